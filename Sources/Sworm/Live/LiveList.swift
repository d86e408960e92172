/// The objects that a request finds at one moment, and the differences from the previous list of the same consumer.
///
/// ```swift
/// for try await list in store.lists(of: Book.all.sort(\.title)) {
///     table.apply(list.changes)
///     print(list.map(\.title))
/// }
/// ```
public struct LiveList<PlainObject: ManagedObjectConvertible>: RandomAccessCollection {
    let rows: LiveRows<PlainObject>
    /// The differences from the list that the consumer received before. In the first list, all objects are inserted.
    public let changes: ListChanges

    /// Creates a list without objects.
    package init() { self.init(rows: LiveRows(), changes: ListChanges()) }

    init(rows: LiveRows<PlainObject>, changes: ListChanges) {
        self.rows = rows
        self.changes = changes
    }

    /// The offset of the first object, which is zero.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { rows.count }

    /// Accesses the object at an offset.
    public subscript(offset: Int) -> LiveRow<PlainObject> { LiveRow(rows, at: offset) }

    /// The values of the objects.
    ///
    /// - Complexity: O(*n*), because the values are copied out of the list.
    public var values: [PlainObject] { rows.records.map(\.value) }

    /// The identities of the objects.
    ///
    /// - Complexity: O(*n*).
    public var ids: [ManagedObjectID<PlainObject>] { rows.ids }
}

extension LiveList: Sendable where PlainObject: Sendable {}
