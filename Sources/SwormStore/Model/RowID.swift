/// A row, identified by the number of its entity and its key. A negative key is temporary: the next save inserts the
/// row.
@frozen @usableFromInline
package struct RowID: Sendable, Hashable {
    @usableFromInline package var entity: Int
    @usableFromInline package var key: Int64

    @inlinable
    package init(entity: Int, key: Int64) {
        self.entity = entity
        self.key = key
    }

    // Inlinable, as row ids are the keys of dictionaries in the layers above.
    @inlinable
    package static func == (one: RowID, other: RowID) -> Bool { one.key == other.key && one.entity == other.entity }

    @inlinable
    package func hash(into hasher: inout Hasher) {
        hasher.combine(entity)
        hasher.combine(key)
    }
}
