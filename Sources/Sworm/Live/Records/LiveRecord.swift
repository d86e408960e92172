import SwormPredicates

/// A row as it is read for a live list.
struct LiveRecord<PlainObject: ManagedObjectConvertible> {
    // The first property, so that the value has the same memory layout as alone.
    var value: PlainObject
    var identity = LiveIdentity()
    /// A number that is another one after each change of the row; 0 if the store does not have one.
    var version: Int64 = 0
}

extension LiveRecord: Sendable where PlainObject: Sendable {}

/// The identity of a row, in a form that is read and compared quickly.
struct LiveIdentity: Hashable, Sendable {
    var key: Int64 = 0
    /// The number of the store and the entity in ``LiveSources``.
    var source: Int64 = 0
}

/// The stores and entities of the rows of a list.
struct LiveSources: Sendable {
    struct Source: Hashable, Sendable {
        var store: String
        var entity: String
    }

    private var sources: [Int64: Source] = [:]
    private var numbers: [Source: Int64] = [:]

    init() {}

    init(_ sources: [Int64: Source]) {
        self.sources = sources
        numbers = Dictionary(sources.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the identity of an object, whose source is added if necessary.
    mutating func identity(of reference: ObjectReference) -> LiveIdentity {
        let source = Source(store: reference.storeIdentifier ?? "", entity: reference.entityName)
        if let number = numbers[source] { return LiveIdentity(key: reference.key, source: number) }
        let number = Int64(sources.count)
        sources[number] = source
        numbers[source] = number
        return LiveIdentity(key: reference.key, source: number)
    }

    func reference(of identity: LiveIdentity) -> ObjectReference {
        let source = sources[identity.source]
        return ObjectReference(
            storeIdentifier: source?.store, entityName: source?.entity ?? "", key: identity.key)
    }
}
