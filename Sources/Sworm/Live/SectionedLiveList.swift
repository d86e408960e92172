/// The objects that a sectioned request finds at one moment, and the differences from the previous list of the same
/// consumer.
///
/// ```swift
/// for try await list in store.lists(of: Book.all.sort(\.title).sections(by: \.year)) {
///     for section in list.sections { print(section.key, section.map(\.title)) }
/// }
/// ```
/// The list is a collection of all objects, in their order. ``sections`` divides them.
public struct SectionedLiveList<PlainObject: ManagedObjectConvertible, Key: Hashable & Sendable>: RandomAccessCollection
{
    let rows: SectionedRows<PlainObject, Key>
    /// The sections, in the order of the list. None is empty.
    public let sections: [LiveSection<PlainObject, Key>]
    /// The differences from the list that the consumer received before. In the first list, all objects and sections are
    /// inserted.
    public let changes: ListChanges
    /// The ranges of the sections in the list before.
    package let previousRanges: [Range<Int>]

    /// Creates a list without objects.
    package init() { self.init(rows: SectionedRows(), changes: ListChanges(), since: SectionedRows()) }

    init(
        rows: SectionedRows<PlainObject, Key>, changes: ListChanges, since previous: SectionedRows<PlainObject, Key>
    ) {
        self.rows = rows
        self.changes = changes
        sections = rows.sections.map { LiveSection(key: $0.key, range: $0.range, rows: rows.rows) }
        previousRanges = previous.sections.map(\.range)
    }

    /// The offset of the first object, which is zero.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { rows.rows.count }

    /// Accesses the object at an offset in the list.
    public subscript(offset: Int) -> LiveRow<PlainObject> { LiveRow(rows.rows, at: offset) }

    /// The values of the objects.
    public var values: [PlainObject] { rows.rows.records.map(\.value) }

    /// The identities of the objects.
    public var ids: [ManagedObjectID<PlainObject>] { rows.rows.ids }
}

extension SectionedLiveList: Sendable where PlainObject: Sendable {}
