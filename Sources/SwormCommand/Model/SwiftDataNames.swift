import OpenCoreData
import SwormPredicates

/// The names of a model's entities and properties in the source of a SwiftData schema.
///
/// SwiftData takes the names of entities and properties from the source, so that a name that Swift or SwiftData reserves
/// has no substitute.
struct SwiftDataNames {
    /// The names of all entities. A class hides a type of the same name.
    let entities: Set<String>

    init(entities: [String]) { self.entities = Set(entities) }

    /// The names that a type in another type cannot have, even in backticks.
    private static let reservedTypes: Set<String> = ["Any", "Protocol", "Self", "Type"]

    /// The members of SwiftData's models.
    private static let reservedProperties: Set<String> = [
        "Protocol", "Self", "Type", "modelContext", "persistentBackingData", "persistentModelID", "schemaMetadata",
    ]

    /// Returns the reason why an entity cannot be a class, or nil if it can.
    func obstacle(to entity: NSEntityDescription) -> String? {
        Self.reservedTypes.contains(entity.name ?? "") ? "has a name that Swift reserves for itself" : nil
    }

    /// Returns the name of the class of an entity.
    func type(of entity: NSEntityDescription) -> String { Self.escaped(entity.name ?? "") }

    /// Returns the reason why a property cannot have its name, or nil if it can.
    static func obstacle(toProperty name: String) -> String? {
        reservedProperties.contains(name) ? "has a name that Swift or SwiftData reserves for itself" : nil
    }

    /// Returns the name of a property.
    static func property(_ name: String) -> String { escaped(name) }

    private static func escaped(_ name: String) -> String {
        SwiftNames.keywords.contains(name) ? "`\(name)`" : name
    }

    /// Returns the type of an attribute's values, with its module if a class hides it.
    func type(_ type: SwormPredicates.AttributeType) -> String { qualified(SwiftAttribute.type(type)) }

    private func qualified(_ type: String) -> String {
        guard entities.contains(type) else { return type }
        let isSwift = ["Bool", "Double", "Float", "Int", "Int16", "Int32", "String"].contains(type)
        return (isSwift ? "Swift." : "Foundation.") + type
    }

    /// Returns a value as Swift code; nil if no code makes it.
    func literal(_ value: AttributeValue, as type: SwormPredicates.AttributeType) -> String? {
        guard let text = SwiftAttribute.literal(value, as: type) else { return nil }
        let name = SwiftAttribute.type(type)
        return text.hasPrefix("\(name)(") ? text.replacing("\(name)(", with: "\(qualified(name))(") : text
    }
}
