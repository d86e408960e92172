import OpenCoreData
import SwormPredicates

/// A property of a subclass of `NSManagedObject`, as lines of Swift.
struct SwiftClassProperty {
    /// Comments, a nested type, and the property itself; only a comment if the class cannot have the property.
    private(set) var lines: [(text: String, depth: Int)] = []

    /// Creates a comment about a property that the class does not have.
    init(leftOut name: String, because reason: String) {
        lines = [("// `\(name)` \(SwiftNames.oneLine(reason)).", 0)]
    }

    private init(
        comments: [String] = [], nested: [(text: String, depth: Int)] = [], wrapper: String, access: String = "",
        name: String, type: String
    ) {
        lines = nested + comments.map { ("// \(SwiftNames.oneLine($0))", 0) }
        lines.append(("\(wrapper) \(access)var \(SwiftNames.member(name)): \(type)", 0))
    }

    /// - Parameters:
    ///   - name: The name of the property in Swift.
    ///   - entity: The entity whose class declares the property.
    init(_ attribute: NSAttributeDescription, name: String, in entity: NSEntityDescription, names: SwiftClassNames) {
        let wrapper = Self.wrapper(of: attribute, names: names)
        var comments = attribute.isTransient ? ["transient: it is not stored"] : []
        let kind = attribute.attributeType.attributeType
        switch kind {
        case .undefined, .objectID:
            self.init(leftOut: attribute.name, because: "has a type that `Managed` does not have")
        case .transformable:
            comments.append(Self.transformation(of: attribute))
            self.init(
                comments: comments, wrapper: Self.wrapper(of: attribute, keyed: true, names: names), name: name,
                type: "\(names.qualified("Any"))?")
        case .composite:
            self.init(composite: attribute, comments: comments, name: name, in: entity, names: names)
        default:
            if let derived = attribute as? NSDerivedAttributeDescription {
                comments.append("derived by the store: \(derived.derivation ?? "")")
                // The value only exists after the store has computed it.
                self.init(
                    comments: comments, wrapper: wrapper, access: "private(set) ", name: name,
                    type: names.type(kind) + "?")
            } else {
                self.init(
                    comments: comments, wrapper: wrapper, name: name,
                    type: names.type(kind) + (attribute.isOptional ? "?" : ""))
            }
        }
    }

    private static func transformation(of attribute: NSAttributeDescription) -> String {
        let transformer = attribute.valueTransformerName ?? "its transformer"
        return "transformed by \(transformer)\(attribute.attributeValueClassName.map { ": a \($0)" } ?? "")"
    }

    /// Creates a struct and a property for a composite attribute; only a dictionary if tables cannot express it.
    private init(
        composite attribute: NSAttributeDescription, comments: [String], name: String, in entity: NSEntityDescription,
        names: SwiftClassNames
    ) {
        guard let composite = attribute as? NSCompositeAttributeDescription, !names.hidesTypesOfStructs,
            SwiftAttribute.obstacle(composite) == nil
        else {
            self.init(
                comments: comments + ["a composite attribute, as a dictionary of its elements"],
                wrapper: Self.wrapper(of: attribute, keyed: true, names: names), name: name,
                type: "[\(names.qualified("String")): \(names.qualified("Any"))]?")
            return
        }
        let swift = SwiftAttribute(composite, as: name, avoiding: names.taken(by: composite, in: entity))
        self.init(
            comments: comments, nested: Array(swift.declaration.dropLast()),
            wrapper: Self.wrapper(of: attribute, names: names), name: name, type: swift.type)
    }

    /// - Parameter name: The name of the property in Swift.
    init(_ relationship: NSRelationshipDescription, name: String, names: SwiftClassNames) {
        guard let destination = relationship.destinationEntity else {
            self.init(leftOut: relationship.name, because: "has no destination")
            return
        }
        let type = names.type(of: destination)
        let full =
            !relationship.isToMany
            ? "\(type)?" : relationship.isOrdered ? "[\(type)]" : "\(names.qualified("Set"))<\(type)>"
        self.init(
            comments: relationship.isTransient ? ["transient: it is not stored"] : [],
            wrapper: Self.wrapper(of: relationship, names: names), name: name, type: full)
    }

    private static func wrapper(
        of property: NSPropertyDescription, keyed isKeyed: Bool = false, names: SwiftClassNames
    ) -> String {
        "@\(names.qualified("Managed"))(\(isKeyed ? "keyed: " : "")\(SwiftNames.literal(property.name)))"
    }
}
