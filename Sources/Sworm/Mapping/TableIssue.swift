/// An issue of a table of attributes or relations.
package struct TableIssue: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: Sendable, Hashable {
        case emptyEntityName, emptyName, repeatedName, repeatedKeyPath, attributeAndRelation
        case repeatedEntity, illegalName, unfitDefault, unknownInverse
        case unfitOption, unknownKeyPath, repeatedIndex, foreignInverse, oneSidedInverse, sharedInverse
    }

    package let kind: Kind
    package let entity: String
    /// The name of the attribute, relation, index or constraint.
    package let member: String?
    package let message: String

    package init(_ kind: Kind, entity: String, member: String?, message: String) {
        self.kind = kind
        self.entity = entity
        self.member = member
        self.message = message
    }

    package var description: String {
        let place = [entity, member ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
        return place.isEmpty ? message : "\(place): \(message)"
    }
}
