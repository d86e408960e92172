import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// The Swift form of an attribute: a property of a struct and a line of its table.
struct SwiftAttribute {
    /// The location of a property: in the struct of an entity, or in the struct of a composite attribute.
    struct Place {
        /// The number of the enclosing composites.
        var depth = 0
        /// The values that the enclosing composites define for their elements in new objects.
        var defaults: [String: Any] = [:]

        var isElement: Bool { depth > 0 }

        /// Returns the location inside a composite at this location.
        func inside(_ composite: NSCompositeAttributeDescription) -> Place {
            let own = composite.defaultValue as? [String: Any] ?? [:]
            // The defaults of an enclosing composite take precedence over the composite's own.
            let outer = defaults[composite.name] as? [String: Any] ?? [:]
            return Place(depth: depth + 1, defaults: own.merging(outer) { $1 })
        }
    }

    /// The property, preceded by comments about the rules that it cannot express.
    var declaration: [(text: String, depth: Int)]
    /// The name of the property, and its type.
    let property: String
    let type: String
    /// The line of the table of a struct.
    var line: String
    /// Whether the table is that of an enum, whose cases share the attribute.
    var isShared = false
    /// The key path, by its name in the model; empty for a composite attribute, whose elements have no indexes.
    var paths: [String: String]

    /// Returns the reason why an attribute cannot be in a table, or nil if it can.
    static func obstacle(_ attribute: NSAttributeDescription) -> String? {
        switch attribute.attributeType.attributeType {
        case .composite where !attribute.isTransient:
            guard let composite = attribute as? NSCompositeAttributeDescription, composite.isNestedOnce else {
                return "is a composite attribute that is nested more than once"
            }
            return composite.elements.contains { obstacle($0) == nil }
                ? nil : "is a composite attribute without elements"
        case .undefined, .objectID: return "has a type that cannot be stored"
        default: return attribute.isTransient ? "is transient: it is not stored" : nil
        }
    }

    /// - Parameters:
    ///   - name: The name of the property in Swift.
    ///   - place: The struct that contains the property.
    ///   - isUnique: Whether the attribute alone has a uniqueness constraint.
    ///   - isFlagged: Whether the attribute has an index of its own, which makes its indexed flag redundant.
    init(
        _ attribute: NSAttributeDescription, as name: String, in place: Place = Place(), isUnique: Bool, isFlagged: Bool
    ) {
        let type = attribute.attributeType.attributeType
        let isDerived = attribute is NSDerivedAttributeDescription
        // A derived value only exists after the store has computed it.
        let isOptional = attribute.isOptional || isDerived
        var unsaid: [String] = []
        let declaration: String
        let swiftType = Self.type(type)
        let defaultValue = place.defaults[attribute.name] ?? attribute.defaultValue
        let value = AttributeValue(any: defaultValue).flatMap { Self.literal($0, as: type) }
        if isOptional {
            declaration = "var \(name): \(swiftType)?" + (value.map { " = \($0)" } ?? "")
        } else {
            let start = value ?? Self.start(type)
            // The compiler infers these types.
            let isPlain =
                ["Int", "String", "Bool", "Double"].contains(swiftType)
                || (start.hasPrefix("\(swiftType)(") && !start.contains(" ?? "))
            declaration = isPlain ? "var \(name) = \(start)" : "var \(name): \(swiftType) = \(start)"
        }
        if defaultValue != nil, value == nil { unsaid.append("its default cannot be written here") }
        if isDerived {
            unsaid.append("derived by the store: \((attribute as? NSDerivedAttributeDescription)?.derivation ?? "")")
        }
        if type == .transformable {
            unsaid.append("the bytes of \(attribute.valueTransformerName ?? "its transformer")")
        }
        var options = isUnique ? [".unique"] : []
        if attribute.isIndexed, !isFlagged { options.append(".indexed") }
        let server = attribute.serverTraits
        if server.contains(.foldedIndex), type == .string { options.append(".indexed(.folded)") }
        if server.contains(.searchColumn), type == .string { options.append(".indexed(.searched)") }
        if server.contains(.exactDate), type == .date { options.append(".exact") }
        if attribute.allowsExternalBinaryDataStorage { options.append(".external") }
        if attribute.preservesValueInHistoryOnDeletion { options.append(".preservedOnDeletion") }
        if let former = attribute.renamingIdentifier, former != attribute.name {
            options.append(".renamed(from: \(SwiftNames.literal(former)))")
        }
        if let modifier = attribute.versionHashModifier, !modifier.isEmpty {
            options.append(".hashModifier(\(SwiftNames.literal(modifier)))")
        }
        let (rules, others) = Self.rules(attribute.validationRules, for: type)
        options += rules
        unsaid += others
        if place.isElement {
            let missing = [
                ".unique", ".indexed", ".indexed(.folded)", ".indexed(.searched)", ".external", ".preservedOnDeletion",
            ]
            for option in missing where options.contains(option) {
                unsaid.append("`\(option)` in the model, which elements of composite attributes in tables cannot be")
            }
            options.removeAll { missing.contains($0) }
        }
        self.declaration = unsaid.map { ("// \(SwiftNames.oneLine($0))", 0) } + [(declaration, 0)]
        line = Self.line(of: name, named: attribute.name, options: options)
        paths = place.isElement ? [:] : [attribute.name: name]
        property = name
        self.type = isOptional ? swiftType + "?" : swiftType
    }

    /// Removes the options from the line of the table, because a super-entity declares them.
    mutating func removeOptions(named name: String) { line = Self.line(of: property, named: name, options: []) }

    /// The line of the table.
    var entry: String {
        guard isShared else { return line }
        return line.replacingOccurrences(of: ".init(\\.\(property), ", with: ".init(shared: \\.\(property), named: ")
    }

    /// Returns a line of a table.
    static func line(of property: String, named name: String, options: [String]) -> String {
        ".init(" + (["\\.\(property)", SwiftNames.literal(name)] + options).joined(separator: ", ") + ")"
    }

    /// Returns the Swift type of the values.
    static func type(_ type: SwormPredicates.AttributeType) -> String {
        switch type {
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Bool"
        case .date: "Date"
        case .uuid: "UUID"
        case .uri: "URL"
        case .binaryData, .transformable, .undefined, .objectID, .composite: "Data"
        }
    }

    /// Returns the initial value of a type, for attributes without a default in the model.
    private static func start(_ type: SwormPredicates.AttributeType) -> String {
        switch type {
        case .integer16, .integer32, .integer64, .decimal, .float: "0"
        case .double: "0.0"
        case .string: "\"\""
        case .boolean: "false"
        // Every evaluation returns another value, so it cannot be used as a default.
        case .date: "Date()"
        case .uuid: "UUID()"
        case .uri: "URL(filePath: \"/\")"
        case .binaryData, .transformable, .undefined, .objectID, .composite: "Data()"
        }
    }
}
