extension ModelContract {
    /// A difference between tables and a model.
    public struct Violation: Sendable, Hashable, CustomStringConvertible {
        /// The kind of a difference.
        public enum Kind: Sendable, Hashable, CaseIterable {
            /// The model has no entity with the name that the type declares.
            case unknownEntity
            /// The entity has no attribute with the name that the table declares.
            case unknownAttribute
            /// The entity has no relation with the name that the table declares.
            case unknownRelation
            /// The property cannot be stored as the attribute's type in the model.
            case type
            /// One side allows nil, and the other does not.
            case optionality
            /// The relation differs in kind: to-one, to-many, or ordered to-many.
            case relationKind
            /// The relation points to a different entity.
            case destination
            /// The relation has a different inverse, or its inverse does not point back.
            case inverse
            /// The table declares a name twice.
            case repeatedName
            /// The table declares a property twice.
            case repeatedKeyPath
            /// The model requires a value that the table does not declare, so that an object could not be saved.
            case missingAttribute
            /// The model requires a destination that no table can set, so that an object could not be saved.
            case missingRelation
            /// The hierarchy of entities differs: a case is no sub-entity in the model, or a sub-entity has no case.
            case subentity
            /// The tables are invalid regardless of the model.
            case table
        }

        /// The kind of the difference.
        public let kind: Kind
        /// The name of the entity.
        public let entity: String
        /// The name of the attribute or relation; nil if the difference concerns the entity as a whole.
        public let member: String?
        /// A description of the difference and of how to resolve it, on one line.
        public let message: String
        /// The most similar name in the model, for a name that the model does not have.
        public let suggestion: String?

        init(_ kind: Kind, entity: String, member: String?, message: String, suggestion: String? = nil) {
            self.kind = kind
            self.entity = entity
            self.member = member
            self.suggestion = suggestion
            self.message = oneLine(message + (suggestion.map { ". Did you mean '\($0)'?" } ?? ""))
        }

        /// The entity, the attribute or relation, and the message, on one line.
        public var description: String {
            let subject = [entity, member ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
            return subject.isEmpty ? message : "\(oneLine(subject)): \(message)"
        }
    }
}

/// A difference between tables and a model.
@available(*, deprecated, renamed: "ModelContract.Violation")
public typealias ContractFault = ModelContract.Violation
