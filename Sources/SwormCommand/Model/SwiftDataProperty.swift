import OpenCoreData
import SwormPredicates
import SwormStore

/// A property of a model class in the source of a SwiftData schema.
struct SwiftDataProperty {
    /// The name in Swift, and the type with its question mark.
    let name: String
    let type: String
    /// The lines of the declaration: a nested type, comments, and the property itself.
    private(set) var lines: [(text: String, depth: Int)] = []
    /// Whether an initializer must set the property.
    private(set) var needsValue = false

    /// - Parameter value: The initial value; nil for none.
    private init(
        name: String, type: String, attribute: String = "", value: String? = nil, comments: [String],
        nested: [(text: String, depth: Int)] = []
    ) {
        self.name = SwiftDataNames.property(name)
        self.type = type
        needsValue = value == nil && !type.hasSuffix("?")
        lines = nested + comments.map { ("// \(SwiftNames.oneLine($0))", 0) }
        lines.append(("\(attribute)var \(self.name): \(type)" + (value.map { " = \($0)" } ?? ""), 0))
    }

    /// Creates a comment about a property that the class does not have.
    init(leftOut name: String, because reason: String) {
        (self.name, type) = (name, "")
        lines = [("// `\(name)` \(SwiftNames.oneLine(reason)).", 0)]
    }

    // MARK: Attributes

    /// Returns the reason why the class cannot have a property for an attribute, or nil if it can.
    static func obstacle(to attribute: NSAttributeDescription) -> String? {
        if let obstacle = SwiftDataNames.obstacle(toProperty: attribute.name) { return obstacle }
        if let derived = attribute as? NSDerivedAttributeDescription {
            return "is derived from `\(derived.derivation ?? "")`, and SwiftData has no derived attributes"
        }
        switch attribute.attributeType.attributeType {
        case .undefined, .objectID: return "has a type that SwiftData does not store"
        case .transformable where attribute.attributeValueClassName == nil:
            let transformer = attribute.valueTransformerName ?? "the default transformer"
            return "is transformed by \(transformer), and the model does not name the class of its values"
        case .composite:
            guard let composite = attribute as? NSCompositeAttributeDescription,
                composite.elements.contains(where: { obstacle(toElement: $0) == nil })
            else { return "is a composite attribute without elements that SwiftData can express" }
            return composite.isTransient ? "is a transient composite attribute, which SwiftData does not have" : nil
        default: return nil
        }
    }

    private static func obstacle(toElement element: NSAttributeDescription) -> String? {
        if element.attributeType == .transformableAttributeType {
            return "is transformable, which properties of structs cannot be"
        }
        return obstacle(to: element)
    }

    /// - Parameters:
    ///   - isUnique: Whether the attribute alone has a uniqueness constraint.
    ///   - taken: Names that a nested type must not have.
    init(_ attribute: NSAttributeDescription, isUnique: Bool, names: SwiftDataNames, taken: Set<String>) {
        if let obstacle = Self.obstacle(to: attribute) {
            self.init(leftOut: attribute.name, because: obstacle)
            return
        }
        let kind = attribute.attributeType.attributeType
        var comments = Self.rules(of: attribute)
        var value: String?
        if let given = attribute.defaultValue {
            value = AttributeValue(any: given).flatMap { names.literal($0, as: kind) }
            if value == nil { comments.append("its default cannot be written here") }
        }
        var nested: [(text: String, depth: Int)] = []
        let type: String
        switch attribute {
        case let composite as NSCompositeAttributeDescription:
            let name = SwiftNames.type(composite: composite.name, avoiding: taken)
            nested = Self.structLines(of: composite, named: name, names: names, taken: taken)
            type = name
        case _ where kind == .transformable: type = attribute.attributeValueClassName ?? "NSObject"
        default: type = names.type(kind)
        }
        self.init(
            name: attribute.name, type: attribute.isOptional ? type + "?" : type,
            attribute: Self.macro(of: attribute, isUnique: isUnique), value: value, comments: comments, nested: nested)
    }

    private static func rules(of attribute: NSAttributeDescription) -> [String] {
        attribute.validationPredicates.map { "validated by \($0.description); SwiftData has no validation" }
    }

    private static func macro(of attribute: NSAttributeDescription, isUnique: Bool) -> String {
        var arguments = isUnique ? [".unique"] : []
        if attribute.isTransient { arguments.append(".ephemeral") }
        if attribute.allowsExternalBinaryDataStorage { arguments.append(".externalStorage") }
        if attribute.preservesValueInHistoryOnDeletion { arguments.append(".preserveValueOnDeletion") }
        if attribute.allowsCloudEncryption { arguments.append(".allowsCloudEncryption") }
        if attribute.isIndexedBySpotlight { arguments.append(".spotlight") }
        if attribute.attributeType == .transformableAttributeType {
            let transformer = attribute.valueTransformerName ?? "NSKeyedUnarchiveFromData"
            arguments.append(".transformable(by: \(SwiftNames.literal(transformer)))")
        }
        arguments += former(attribute) + modifier(attribute)
        return arguments.isEmpty ? "" : "@Attribute(\(arguments.joined(separator: ", "))) "
    }

    private static func former(_ property: NSPropertyDescription) -> [String] {
        guard let former = property.renamingIdentifier, former != property.name else { return [] }
        return ["originalName: \(SwiftNames.literal(former))"]
    }

    private static func modifier(_ property: NSPropertyDescription) -> [String] {
        guard let modifier = property.versionHashModifier, !modifier.isEmpty else { return [] }
        return ["hashModifier: \(SwiftNames.literal(modifier))"]
    }

    /// Returns the lines of the struct of a composite attribute.
    private static func structLines(
        of composite: NSCompositeAttributeDescription, named name: String, names: SwiftDataNames, taken: Set<String>
    ) -> [(text: String, depth: Int)] {
        var lines: [(text: String, depth: Int)] = [("struct \(name): Codable {", 0)]
        var taken = taken.union([name]).union(composite.elements.map(\.name))
        for element in composite.elements {
            if let obstacle = obstacle(toElement: element) {
                lines.append(("// `\(element.name)` \(SwiftNames.oneLine(obstacle)).", 1))
                continue
            }
            var property = SwiftDataProperty(element, isUnique: false, names: names, taken: taken)
            property.removeMacro(of: element)
            if !element.isOptional {
                lines.append(("// required in the model; SwiftData makes the elements of structs optional", 1))
            }
            lines += property.lines.map { ($0.text, $0.depth + 1) }
            if element is NSCompositeAttributeDescription {
                taken.insert(SwiftNames.type(composite: element.name, avoiding: taken))
            }
        }
        lines.append(("}", 0))
        return lines
    }

    /// Turns the macro of an element into a comment: properties of structs have none.
    private mutating func removeMacro(of element: NSAttributeDescription) {
        let macro = Self.macro(of: element, isUnique: false)
        guard !macro.isEmpty, let line = lines.popLast() else { return }
        lines.append(("// \(macro.dropLast()) in the model, which properties of structs cannot have", 0))
        lines.append((String(line.text.dropFirst(macro.count)), line.depth))
    }

    // MARK: Relationships

    init(_ relationship: NSRelationshipDescription, names: SwiftDataNames) {
        guard let destination = relationship.destinationEntity else {
            self.init(leftOut: relationship.name, because: "has no destination")
            return
        }
        if let obstacle = SwiftDataNames.obstacle(toProperty: relationship.name) {
            self.init(leftOut: relationship.name, because: obstacle)
            return
        }
        if names.obstacle(to: destination) != nil {
            self.init(
                leftOut: relationship.name, because: "refers to `\(destination.name ?? "")`, which has no class here")
            return
        }
        guard !relationship.isTransient else {
            self.init(leftOut: relationship.name, because: "is a transient relationship, which SwiftData does not have")
            return
        }
        let type = names.type(of: destination)
        let full = relationship.isToMany ? "[\(type)]" : relationship.isOptional ? "\(type)?" : type
        self.init(
            name: relationship.name, type: full, attribute: Self.macro(of: relationship, destination: type),
            value: relationship.isToMany ? "[]" : nil, comments: Self.notes(of: relationship))
    }

    private static func macro(of relationship: NSRelationshipDescription, destination: String) -> String {
        var arguments: [String] = []
        switch relationship.deleteRule {
        case .cascadeDeleteRule: arguments.append("deleteRule: .cascade")
        case .denyDeleteRule: arguments.append("deleteRule: .deny")
        case .noActionDeleteRule: arguments.append("deleteRule: .noAction")
        case .nullifyDeleteRule: break
        }
        if relationship.minCount > 0 { arguments.append("minimumModelCount: \(relationship.minCount)") }
        if relationship.isToMany, relationship.maxCount > 0 {
            arguments.append("maximumModelCount: \(relationship.maxCount)")
        }
        arguments += former(relationship)
        if let inverse = relationship.inverseRelationship, namesInverse(inverse, of: relationship) {
            arguments.append("inverse: \\\(destination).\(SwiftDataNames.property(inverse.name))")
        }
        arguments += modifier(relationship)
        return arguments.isEmpty ? "" : "@Relationship(\(arguments.joined(separator: ", "))) "
    }

    /// Returns whether a relationship names its inverse. Only one side of each pair can.
    private static func namesInverse(
        _ inverse: NSRelationshipDescription, of relationship: NSRelationshipDescription
    ) -> Bool {
        let here = (relationship.entity.name ?? "", relationship.name)
        return here < (inverse.entity.name ?? "", inverse.name)
    }

    private static func notes(of relationship: NSRelationshipDescription) -> [String] {
        var notes: [String] = []
        if relationship.isOrdered { notes.append("ordered in the model; SwiftData's relationships are not") }
        if relationship.isToMany, !relationship.isOptional {
            notes.append("required in the model; SwiftData's relationships to many are not")
        }
        if relationship.inverseRelationship === relationship {
            notes.append("its own inverse in the model, which a class cannot state")
        }
        if let rival = rival(of: relationship) {
            notes.append("without an inverse in the model; SwiftData may take `\(rival)` for it")
        }
        return notes
    }

    /// Returns a relationship that SwiftData may choose as the inverse of one that has none.
    private static func rival(of relationship: NSRelationshipDescription) -> String? {
        guard relationship.inverseRelationship == nil else { return nil }
        return relationship.destinationEntity?.relationshipsByName.values.filter {
            $0.inverseRelationship == nil && $0.destinationEntity === relationship.entity && $0 !== relationship
        }.map(\.name).min()
    }
}
