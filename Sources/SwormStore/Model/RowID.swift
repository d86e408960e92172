/// A row by the number of its entity and its key. A negative key is temporary: the row is inserted by the next save.
package struct RowID: Sendable, Hashable {
    package var entity: Int
    package var key: Int64

    @inlinable
    package init(entity: Int, key: Int64) {
        self.entity = entity
        self.key = key
    }
}
