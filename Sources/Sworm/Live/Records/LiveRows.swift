/// The rows of a live request at one moment.
///
/// Copies share the records that were read together. Rows that are replaced later are kept beside them, so that one changed
/// row does not copy a long list.
struct LiveRows<PlainObject: ManagedObjectConvertible> {
    /// The number of replaced rows above which all records are copied.
    private static var replacedLimit: Int { 128 }

    private var base: [LiveRecord<PlainObject>]
    private var replaced: [LiveRecord<PlainObject>] = []
    /// The indexes in `replaced`, by the offsets of the rows.
    private var replacements: [Int: Int] = [:]
    /// The identities and versions of the records. They are separate, because code that does not depend on the model
    /// compares them much faster.
    private(set) var stamps: [LiveStamp]
    let sources: LiveSources
    /// Whether rows with the same version have the same values.
    var hasVersions = true
    /// A number that is another one after changes about which nothing is known. A program that does not know Core Data's
    /// columns may then have changed values without changing versions, or the file may have been replaced.
    var generation = 0
    /// The history of the rows since they were last read completely.
    private var patches = LivePatches()

    init(_ records: [LiveRecord<PlainObject>] = [], stamps: [LiveStamp] = [], sources: LiveSources = LiveSources()) {
        base = records
        self.stamps = stamps
        self.sources = sources
    }

    var count: Int { base.count }

    subscript(offset: Int) -> LiveRecord<PlainObject> {
        if !replacements.isEmpty, let index = replacements[offset] { return replaced[index] }
        return base[offset]
    }

    /// The offsets of the rows by their keys.
    func makeOffsets() -> LiveOffsets { LiveOffsets(stamps, isOfOneStore: sources.isOfOneStore) }

    /// The records in one array.
    var records: [LiveRecord<PlainObject>] {
        var records = base
        for (offset, index) in replacements { records[offset] = replaced[index] }
        return records
    }

    /// Returns the records at the given offsets.
    ///
    /// - Parameter other: Returns the record for the index of a negative offset. If it returns nil, so does this function.
    func records(
        at offsets: [Int], or other: (_ index: Int) -> LiveRecord<PlainObject>?
    ) -> [LiveRecord<PlainObject>]? {
        let all = records
        var found: [LiveRecord<PlainObject>] = []
        found.reserveCapacity(offsets.count)
        var index = 0
        while index < offsets.count {
            let start = offsets[index]
            guard start >= 0 else {
                guard let record = other(index) else { return nil }
                found.append(record)
                index += 1
                continue
            }
            // Generic code copies adjacent records much faster than single ones.
            var length = 1
            while index + length < offsets.count, offsets[index + length] == start + length { length += 1 }
            found.append(contentsOf: all[start..<start + length])
            index += length
        }
        return found
    }

    /// The identities of the objects.
    var ids: [ManagedObjectID<PlainObject>] { stamps.map { ManagedObjectID(sources.reference(of: $0.identity)) } }

    /// Replaces the row at an offset by a newer state of it.
    ///
    /// - Returns: Whether the row has changed.
    mutating func replace(_ offset: Int, by record: LiveRecord<PlainObject>) -> Bool {
        let stamp = LiveStamp(identity: record.identity, version: record.version)
        if stamp == stamps[offset], hasVersions || Self.isSame(self[offset].value, as: record.value) { return false }
        if let index = replacements[offset] {
            replaced[index] = record
        } else {
            replacements[offset] = replaced.count
            replaced.append(record)
        }
        if replaced.count > Self.replacedLimit {
            base = records
            (replaced, replacements) = ([], [:])
        }
        stamps[offset] = stamp
        patches.note(offset)
        return true
    }

    /// Returns whether the rows are the same, in the same order and with the same values.
    func isSame(as other: LiveRows) -> Bool {
        guard stamps == other.stamps else { return false }
        return canCompareVersions(with: other)
            || zip(records, other.records).allSatisfy { Self.isSame($0.value, as: $1.value) }
    }

    private func canCompareVersions(with other: LiveRows) -> Bool { hasVersions && generation == other.generation }

    /// Returns whether two rows with the same identity have the same values.
    private static func isSame(_ one: PlainObject, as other: PlainObject) -> Bool {
        guard let one = try? PlainObject.mapping.caseValues(of: one),
            let other = try? PlainObject.mapping.caseValues(of: other)
        else { return false }
        return one.entity == other.entity && one.values.isStoredSame(as: other.values)
    }

    /// Returns the differences from earlier rows.
    func changes(since old: LiveRows?) -> ListChanges {
        let old = old ?? LiveRows()
        return replacements(since: old) ?? changes(since: old, staysInSection: nil)
    }

    /// Returns the differences from earlier rows if rows were only replaced since then; otherwise nil.
    func replacements(since old: LiveRows) -> ListChanges? {
        guard let offsets = patches.offsets(since: old.patches) else { return nil }
        var changes = ListChanges()
        changes.updated = offsets
        return changes
    }

    /// Returns the differences from earlier rows, by a comparison of all rows.
    ///
    /// - Parameter staysInSection: A closure that returns whether an object at these offsets is in the same section; nil
    ///   if there are no sections.
    func changes(since old: LiveRows, staysInSection: ((_ old: Int, _ new: Int) -> Bool)?) -> ListChanges {
        if canCompareVersions(with: old) {
            return LiveStamp.changes(from: old.stamps, to: stamps, staysInSection) { _, _ in true }
        }
        return LiveStamp.changes(from: old.stamps, to: stamps, staysInSection) { before, now in
            Self.isSame(old[before].value, as: self[now].value)
        }
    }
}

extension LiveRows: Sendable where PlainObject: Sendable {}

/// The numbers of the reads of lists, which are different in the whole process: a list may be compared with one that another
/// request has read.
enum LiveGeneration {
    private static let last = Locked(0)

    static func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}

/// The identity and the version of a row.
struct LiveStamp: Hashable, Sendable {
    var identity: LiveIdentity
    var version: Int64

    /// Returns the differences between two lists.
    ///
    /// - Parameters:
    ///   - staysInSection: Whether an object at these offsets is in the same section; nil if there are no sections.
    ///   - isSame: Compares the values of two rows with the same identity and version.
    static func changes(
        from old: [LiveStamp], to new: [LiveStamp], _ staysInSection: ((_ old: Int, _ new: Int) -> Bool)?,
        isSame: (_ old: Int, _ new: Int) -> Bool
    ) -> ListChanges {
        ListChanges(
            from: old.count, { old[$0].identity }, to: new.count, { new[$0].identity },
            isSame: { old[$0].version == new[$1].version && isSame($0, $1) }, staysInSection: staysInSection)
    }
}

/// The offsets of the rows of a list that were replaced since the list was read completely.
///
/// The differences between two states of the same list are then known without a comparison.
struct LivePatches: Sendable {
    private static let limit = 1000

    private final class List: Sendable {}

    /// The identity of the complete read.
    private var list = List()
    private var offsets: [Int] = []

    init() {}

    mutating func note(_ offset: Int) {
        // A consumer that is so far behind compares the lists.
        if offsets.count == Self.limit { self = LivePatches() }
        offsets.append(offset)
    }

    /// Returns the offsets that were replaced after an earlier state, in ascending order; nil if the earlier state
    /// belongs to another list.
    func offsets(since earlier: LivePatches) -> [Int]? {
        guard list === earlier.list, offsets.count >= earlier.offsets.count else { return nil }
        return Set(offsets[earlier.offsets.count...]).sorted()
    }
}
