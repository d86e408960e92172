import OpenCoreData

/// The facts that a model states about one of its entities or properties, each with a subject and a text to compare.
///
/// The facts are those of the JSON form of a model, and a few that it leaves out.
struct DriftFacts {
    var kind: String
    var name: String
    /// The name before a renaming, as the model states it; nil for none.
    var formerName: String?
    /// The facts, in the order of the JSON form.
    private(set) var texts: [(subject: String, text: String)] = []
    /// The facts of the elements of a composite attribute.
    private(set) var elements: [DriftFacts] = []

    /// Members of the JSON form that are compared separately, or that follow from other ones.
    private static let separate: Set<String> = [
        "name", "number", "versionHash", "attributes", "relationships", "fetchedProperties", "uniquenessConstraints",
        "indexes", "elements", "renamingIdentifier",
    ]

    init(_ entity: NSEntityDescription) {
        kind = "entity"
        name = entity.name ?? ""
        add(ModelJSON.entity(entity, number: 0), former: entity.renamingIdentifier)
        add("userInfo", says: Self.text(entity.userInfo))
    }

    init(_ property: NSPropertyDescription) {
        name = property.name
        switch property {
        case let attribute as NSAttributeDescription:
            kind = "attribute"
            add(ModelJSON.attribute(attribute), former: attribute.renamingIdentifier)
            if attribute.attributeType == .transformableAttributeType {
                add("valueClass", says: attribute.attributeValueClassName ?? "none")
            }
            add("isEncrypted", says: "\(attribute.allowsCloudEncryption)")
            elements = (attribute as? NSCompositeAttributeDescription)?.elements.map { DriftFacts($0) } ?? []
        case let relationship as NSRelationshipDescription:
            kind = "relationship"
            add(ModelJSON.relationship(relationship), former: relationship.renamingIdentifier)
        case let fetched as NSFetchedPropertyDescription:
            kind = "fetched property"
            add(ModelJSON.fetched(fetched), former: fetched.renamingIdentifier)
        default: kind = "property"
        }
        add("isSearchable", says: "\(property.isIndexedBySpotlight)")
        add("userInfo", says: Self.text(property.userInfo))
    }

    private mutating func add(_ value: JSONValue, former: String?) {
        formerName = former == name ? nil : former
        guard case .object(let members) = value else { return }
        for (subject, member) in members where !Self.separate.contains(subject) {
            switch subject {
            case "versionHashModifier": add(subject, says: Self.isEmpty(member) ? "none" : Self.text(member))
            // With its brackets, so that collections of the same values differ.
            case "default": add(subject, says: Self.isCollection(member) ? ModelJSON.text(member) : Self.text(member))
            default: add(subject, says: Self.text(member))
            }
        }
    }

    /// Returns whether a value is an empty string: an empty modifier is no modifier.
    private static func isEmpty(_ value: JSONValue) -> Bool {
        if case .string(let text) = value { text.isEmpty } else { false }
    }

    private static func isCollection(_ value: JSONValue) -> Bool {
        switch value {
        case .array, .object: true
        case .null, .bool, .int, .double, .string: false
        }
    }

    private mutating func add(_ subject: String, says text: String) { texts.append((subject, text)) }

    /// A text that is equal for things that differ in nothing but their names.
    var fingerprint: String {
        let own = texts.map { "\($0.subject)=\($0.text)" }
        let inner = elements.map { "\($0.name){\($0.fingerprint)}" }.sorted()
        return ([kind] + own + inner).joined(separator: "\n")
    }

    // MARK: Values as text

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: return "none"
        case .bool(let flag): return "\(flag)"
        case .int(let number): return "\(number)"
        case .double(let number): return "\(number)"
        case .string(let text): return text.isEmpty ? "\"\"" : SwiftNames.oneLine(text)
        case .array(let items): return items.isEmpty ? "none" : items.map(text).joined(separator: ", ")
        case .object(let members): return members.map { "\($0.0): \(text($0.1))" }.joined(separator: ", ")
        }
    }

    private static func text(_ userInfo: [AnyHashable: Any]?) -> String {
        let entries = (userInfo ?? [:]).map { "\($0.key.base) = \($0.value)" }.sorted()
        return entries.isEmpty ? "none" : entries.joined(separator: ", ")
    }
}
