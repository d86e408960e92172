import OpenCoreData

/// The facts that a model states about one of its entities or properties.
///
/// The facts are those of the JSON form of a model, and a few that it leaves out.
struct DriftFacts {
    struct Fact {
        let subject: String
        /// The text to compare.
        let text: String
        /// The words to show, which different facts may share.
        let words: String

        init(_ subject: String, says text: String, in words: String? = nil) {
            (self.subject, self.text, self.words) = (subject, text, words ?? text)
        }
    }

    var kind: String
    var name: String
    /// The name before a renaming, as the model states it; nil for none.
    var formerName: String?
    /// The facts, in the order of the JSON form.
    private(set) var facts: [Fact] = []
    /// The facts of the elements of a composite attribute.
    private(set) var elements: [DriftFacts] = []

    /// Members of the JSON form that are compared separately, or that follow from other ones.
    private static let separate: Set<String> = [
        "name", "number", "versionHash", "attributes", "relationships", "fetchedProperties", "uniquenessConstraints",
        "indexes", "elements", "renamingIdentifier", "predicate",
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
            add(
                ModelJSON.attribute(attribute), former: attribute.renamingIdentifier,
                isDecimal: attribute.attributeType == .decimalAttributeType)
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
            // A compiled model marks each fetched property as transient, a document does not.
            facts.removeAll { $0.subject == "isTransient" }
            add("predicate", says: Self.text(.optional(fetched.request.canonicalPredicateText)))
        default: kind = "property"
        }
        add("isSearchable", says: "\(property.isIndexedBySpotlight)")
        add("userInfo", says: Self.text(property.userInfo))
    }

    /// - Parameter isDecimal: Whether the JSON form has the default, a number, as a string.
    private mutating func add(_ value: JSONValue, former: String?, isDecimal: Bool = false) {
        formerName = former == name ? nil : former
        guard case .object(let members) = value else { return }
        for (subject, member) in members where !Self.separate.contains(subject) {
            switch subject {
            case "versionHashModifier": add(subject, says: Self.isEmpty(member) ? "none" : Self.text(member))
            case "default" where !isDecimal: addDefault(member)
            default: add(subject, says: Self.text(member))
            }
        }
    }

    /// Returns whether a value is an empty string: an empty modifier is no modifier.
    private static func isEmpty(_ value: JSONValue) -> Bool {
        if case .string(let text) = value { text.isEmpty } else { false }
    }

    /// Adds a default, with the quotes of a string and the brackets of a collection, so that different values differ.
    private mutating func addDefault(_ value: JSONValue) {
        let (text, words) = (ModelJSON.text(value), Self.text(value))
        switch value {
        case .null: add("default", says: words)
        case .array, .object, .encoded: add("default", says: text)
        case .bool, .int, .double, .string: facts.append(Fact("default", says: text, in: words))
        }
    }

    private mutating func add(_ subject: String, says text: String) { facts.append(Fact(subject, says: text)) }

    /// A text that is equal for things that differ in nothing but their names.
    var fingerprint: String {
        let own = facts.map { "\($0.subject)=\($0.text)" }
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
        // With quotes, the word is not that for a missing value.
        case .string(let text): return text.isEmpty || text == "none" ? "\"\(text)\"" : SwiftNames.oneLine(text)
        case .array(let items): return items.isEmpty ? "none" : items.map(text).joined(separator: ", ")
        case .encoded(let json): return json
        case .object(let members): return members.map { "\($0.0): \(text($0.1))" }.joined(separator: ", ")
        }
    }

    private static func text(_ userInfo: [AnyHashable: Any]?) -> String {
        let entries = (userInfo ?? [:]).map { "\($0.key.base) = \($0.value)" }.sorted()
        return entries.isEmpty ? "none" : entries.joined(separator: ", ")
    }
}
