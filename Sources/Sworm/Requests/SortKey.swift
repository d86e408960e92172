/// A key of a sort order: a path of names that ends in an attribute or in `@count`.
package struct SortKey: Sendable, Hashable {
    package let path: [String]
    package let ascending: Bool

    package init(path: [String], ascending: Bool) {
        self.path = path
        self.ascending = ascending
    }
}
