#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit
public import Sworm

extension NSDiffableDataSourceSnapshot {
    /// Creates a snapshot of a list, whose items are the ids of the objects.
    ///
    /// ```swift
    /// for try await list in store.lists(of: Book.all.sort(\.title)) {
    ///     books = list
    ///     await dataSource.apply(NSDiffableDataSourceSnapshot(list))
    /// }
    /// ```
    /// Objects with other values are marked to be reloaded.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - section: The section of all items.
    public init<PlainObject: ManagedObjectConvertible>(_ list: LiveList<PlainObject>, section: SectionIdentifierType)
    where ItemIdentifierType == ManagedObjectID<PlainObject> {
        self.init()
        appendSections([section])
        appendItems(list.ids, toSection: section)
        reloadItems(list.changes.updated.map { list[$0].id })
    }

    /// Creates a snapshot of a list in the section 0, whose items are the ids of the objects.
    ///
    /// - Parameter list: The list.
    public init<PlainObject: ManagedObjectConvertible>(_ list: LiveList<PlainObject>)
    where SectionIdentifierType == Int, ItemIdentifierType == ManagedObjectID<PlainObject> {
        self.init(list, section: 0)
    }

    /// Creates a snapshot of a list with sections, whose items are the ids of the objects.
    ///
    /// Objects with other values are marked to be reloaded.
    /// Sections whose keys are equal in Swift, but are stored differently, are joined.
    ///
    /// - Parameter list: The list.
    public init<PlainObject: ManagedObjectConvertible>(_ list: SectionedLiveList<PlainObject, SectionIdentifierType>)
    where ItemIdentifierType == ManagedObjectID<PlainObject> {
        self.init()
        var known: Set<SectionIdentifierType> = []
        for section in list.sections {
            if known.insert(section.key).inserted { appendSections([section.key]) }
            appendItems(section.map(\.id), toSection: section.key)
        }
        reloadItems(list.changes.updated.map { list[$0].id })
    }
}
#endif
