import SwormPredicates

/// A row as it is read for a live list.
struct LiveRecord<PlainObject: ManagedTreeConvertible> {
    // The first property, so that the value has the same memory layout as alone.
    var value: PlainObject
    var identity = LiveIdentity()
    /// A number that is another one after each change of the row; 0 if the store does not have one.
    var version: Int64 = 0
}

extension LiveRecord: Sendable where PlainObject: Sendable {}

extension LiveRecord {
    /// Returns the identities and versions of records.
    static func stamps(_ records: [LiveRecord]) -> [LiveStamp] {
        guard let identity = MemoryLayout<LiveRecord>.offset(of: \.identity),
            let version = MemoryLayout<LiveRecord>.offset(of: \.version)
        else { return records.map { LiveStamp(identity: $0.identity, version: $0.version) } }
        let stride = MemoryLayout<LiveRecord>.stride
        // The loop reads plain integers by their offsets, because a generic loop would copy each value.
        return records.withUnsafeBytes { bytes in
            LiveStamp.read(records.count, from: bytes, stride: stride, identity: identity, version: version)
        }
    }
}

extension LiveStamp {
    /// Reads stamps from memory in which they are at the given offsets.
    fileprivate static func read(
        _ count: Int, from bytes: UnsafeRawBufferPointer, stride: Int, identity: Int, version: Int
    ) -> [LiveStamp] {
        var stamps: [LiveStamp] = []
        stamps.reserveCapacity(count)
        for index in 0..<count {
            stamps.append(
                LiveStamp(
                    identity: bytes.load(fromByteOffset: index * stride + identity, as: LiveIdentity.self),
                    version: bytes.load(fromByteOffset: index * stride + version, as: Int64.self)))
        }
        return stamps
    }
}

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

    /// Whether all rows are in the same store.
    var isOfOneStore: Bool { Set(sources.values.map(\.store)).count < 2 }

    init() {}

    init(_ sources: [Int64: Source]) {
        self.sources = sources
        numbers = Dictionary(sources.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Creates the sources for all combinations. The numbers are the same at each read of the same stores.
    init(stores: [String], entities: [String]) {
        var sources: [Int64: Source] = [:]
        for store in stores {
            for entity in entities { sources[Int64(sources.count)] = Source(store: store, entity: entity) }
        }
        self.init(sources)
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
