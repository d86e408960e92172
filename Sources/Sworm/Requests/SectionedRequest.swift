/// A request whose objects are divided into sections by the value of a column.
///
/// ```swift
/// for try await list in store.lists(of: Book.all.sort(\.title).sections(by: \.year)) {
///     for section in list.sections { print(section.key, section.map(\.title)) }
/// }
/// ```
/// ``Request/sections(by:ascending:)`` returns one.
public struct SectionedRequest<PlainObject: ManagedObjectConvertible, Key: Hashable & Sendable>: Sendable {
    /// The request, sorted by the key first.
    let request: Request<PlainObject>
    /// The keys of the sections and the numbers of their objects, in the order of the request.
    let sections: Projection<PlainObject, (Key, Int)>

    /// Throws an error if the request is invalid.
    ///
    /// - Throws: The ``StoreError`` that would be thrown before the request runs.
    public func validate() throws {
        try request.validate()
        try sections.validate()
    }
}

extension SectionedRequest: CustomStringConvertible {
    /// The entity, the condition, the sort order and the limits, on one line. The first sort key is that of the sections.
    public var description: String { request.description }
}

extension Request where PlainObject: ManagedObjectConvertible {
    /// Divides the objects into sections by an attribute, also one that is reached through relations to one.
    ///
    /// ```swift
    /// Book.all.sort(\.title).sections(by: \.author.name)
    /// ```
    /// The key becomes the first sort key of the request. Objects without a value are in a section of their own, which
    /// comes first in ascending order. A limit and an offset select objects in the new order. Use the result with
    /// ``PersistentContainer/lists(of:)-(SectionedRequest<PlainObject,Key>)`` and ``SectionedLiveResults``.
    ///
    /// - Parameters:
    ///   - key: The attribute, or the count of a relation. A section has the objects with the same stored value.
    ///   - ascending: Whether the sections are in ascending order of their keys.
    public func sections<Base: SupportedAttributeType, Key: Hashable & Sendable>(
        by key: KeyPath<EntityPath<PlainObject, PlainObject>, Term<PlainObject, Base, Key>>, ascending: Bool = true
    ) -> SectionedRequest<PlainObject, Key> where Base.PrimitiveAttributeType: Comparable {
        let others = sorts
        let sorted = with { $0.sorts = [] }.sort(key, ascending: ascending).with { $0.sorts += others }
        // The sort order selects the rows of a limited request. Otherwise, groups are sorted by their key alone.
        let isLimited = content.limit != nil || content.offset > 0
        let grouped = isLimited ? sorted : sorted.with { $0.sorts = [] }
        let groups = grouped.grouped { $0[keyPath: key] }.sort(ascending: ascending) { $0.key }
        return SectionedRequest(request: sorted, sections: groups.select { ($0.key, $0.count) })
    }
}
