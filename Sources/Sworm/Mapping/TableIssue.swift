/// An issue of a table of attributes or relations.
struct TableIssue: Sendable, Hashable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
        case emptyEntityName, emptyName, repeatedName, repeatedKeyPath, attributeAndRelation
        case repeatedEntity, illegalName, unfitDefault, unknownInverse
        case unfitOption, unfitComposite, unknownKeyPath, repeatedIndex, foreignInverse, oneSidedInverse, sharedInverse
        case unfitSubentity, unboundedBranch
    }

    let kind: Kind
    let entity: String
    /// The name of the attribute, relation, index or constraint.
    let member: String?
    let message: String

    init(_ kind: Kind, entity: String, member: String?, message: String) {
        self.kind = kind
        self.entity = entity
        self.member = member
        self.message = message
    }

    var description: String {
        let place = [entity, member ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
        return place.isEmpty ? message : "\(place): \(message)"
    }
}
