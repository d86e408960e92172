/// One point in which tables and a model differ.
public struct ContractFault: Sendable, Hashable, CustomStringConvertible {
    /// What differs.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The model has no entity of a type's name.
        case unknownEntity
        /// The entity has no attribute of a name.
        case unknownAttribute
        /// The entity has no relation of a name.
        case unknownRelation
        /// The attribute's type in the model is none that the property can be stored as.
        case type
        /// One side allows nil where the other does not.
        case optionality
        /// To one, to many, or to many in order.
        case relationKind
        /// The relation leads to another entity.
        case destination
        /// The relation's inverse is another one, or does not come back.
        case inverse
        /// The table has one name twice.
        case repeatedName
        /// The table has one property twice.
        case repeatedKeyPath
        /// The model requires a value that the table does not have, so that an object could not be saved.
        case missingAttribute
        /// The model requires a destination that no table can give, so that an object could not be saved.
        case missingRelation
        /// The tables are wrong in themselves.
        case table
    }

    /// What differs.
    public let kind: Kind
    /// The name of the entity.
    public let entity: String
    /// The name of the attribute or relation; nil where the fault is about the entity as a whole.
    public let member: String?
    /// What differs, and the way out, on one line.
    public let message: String
    /// For a name that the model does not have: the most similar one that it has.
    public let suggestion: String?

    init(_ kind: Kind, _ entity: String, _ member: String?, _ message: String, suggestion: String? = nil) {
        self.kind = kind
        self.entity = entity
        self.member = member
        self.suggestion = suggestion
        self.message = oneLine(message + (suggestion.map { ". Did you mean \"\($0)\"?" } ?? ""))
    }

    /// The entity, the attribute or relation, and the message, on one line.
    public var description: String {
        let place = [entity, member ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
        return place.isEmpty ? message : "\(oneLine(place)): \(message)"
    }
}
