/// The rows of one level of trees.
enum TreeSource {
    /// The rows that the request finds.
    case request
    /// Of these rows, those with the given keys, in the order of the keys.
    case keys([Int64])
    /// Of these rows, the members of a relation to many. A limit and an offset count for each owner, and `anyOrder` allows
    /// members in the order of their keys instead of that of their owners.
    case members(of: ModelEntity, relation: String, owners: [Int64], anyOrder: Bool)
}
