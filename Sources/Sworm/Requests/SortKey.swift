/// A key of a sort order: a path of names that ends in an attribute or in `@count`.
struct SortKey: Sendable, Hashable {
    let path: [String]
    let ascending: Bool
}
