import SwormPredicates

/// The rows of a request, kept up to date.
///
/// @unchecked: everything that changes is used on the queue of the center only.
final class LiveRequest<PlainObject: ManagedObjectConvertible & Sendable>: SharedLiveWork, @unchecked Sendable {
    typealias Rows = LiveRows<PlainObject>
    typealias Consumer = LiveConsumer<Rows>

    let container: any LiveContainer
    private let request: RequestContent
    private var consumers: [ObjectIdentifier: Consumer] = [:]
    private(set) var region = TrackedRegion()
    /// The test of a changed row; nil if the store must test it.
    private let rowTest: RowTest<PlainObject>?
    /// The name of the root entity.
    private var root = ""
    /// Whether changed rows can be read by their keys. Core Data's ids contain the entity of the object, which commits do
    /// not name.
    private var canReadKeys = true
    private(set) var rows: Rows?
    /// The number of times that the request was run.
    private(set) var runs = 0
    /// The number of different rows that the request had.
    private(set) var states = 0
    /// The offsets of the rows by their keys.
    private var offsets = LiveOffsets()

    init(_ request: RequestContent, in container: any LiveContainer) {
        self.request = request
        self.container = container
        rowTest = RowTest(request.condition)
    }

    // MARK: Consumers

    func add(_ consumer: Consumer, _ id: ObjectIdentifier) {
        consumers[id] = consumer
        if let rows { consumer.deliver(rows) }
    }

    func remove(_ id: ObjectIdentifier) -> Bool {
        consumers[id] = nil
        return consumers.isEmpty
    }

    func fail(_ error: any Error) {
        for consumer in consumers.values { consumer.fail(error) }
        consumers = [:]
    }

    // MARK: Rows

    func prepare(in context: ManagedObjectContext) throws {
        let entity = try context.entityDescription(of: PlainObject.self)
        var builder = RegionBuilder()
        try builder.add(request, of: entity, attributes: PlainObject.attributes.map(\.name))
        region = builder.region
        root = entity.root.stableName
        canReadKeys = context.instance.readsRowsByKey || entity.family.count == 1
    }

    func refresh(in snapshot: LiveSnapshot) throws {
        guard let changes = snapshot.changes, let rows else { return try rerun(snapshot.context) }
        guard let changed = try patches(rows, after: changes, in: snapshot) else { return try rerun(snapshot.context) }
        if changed.isEmpty { return }
        container.live.steps.withLock { $0.patches += 1 }
        // Released first, so that the rows are not copied unless a consumer holds them.
        var patched = rows
        self.rows = nil
        var isChanged = false
        for (offset, record) in changed where patched.replace(offset, by: record) { isChanged = true }
        self.rows = patched
        if isChanged { announce(patched) }
    }

    /// Returns the listed rows with new values, by their offsets, if the changes affect neither which rows are listed nor
    /// their order; nil if the request must be run again.
    private func patches(
        _ rows: Rows, after changes: CommittedChanges, in snapshot: LiveSnapshot
    ) throws -> [(offset: Int, record: LiveRecord<PlainObject>)]? {
        guard canReadKeys, region.readsOneEntity, request.offset == 0, offsets.isUnique,
            let records = try snapshot.changedRecords(of: PlainObject.self, root: root)
        else { return nil }
        guard let changed = changes.rows[root] else { return [] }
        if changed.deleted.contains(where: { offsets.offset(of: $0, in: rows.stamps) != nil }) { return nil }
        let listed = changed.updated.filter { offsets.offset(of: $0, in: rows.stamps) != nil }
        let isDecided = region.isDecided(by: changes)
        if isDecided, !listed.isEmpty { return nil }
        // A row that is not listed enters the list by its insertion, or by a property that decides.
        let candidates = isDecided ? changed.inserted.union(changed.updated) : changed.inserted
        if try finds(candidates, records, in: snapshot.context) { return nil }
        var patches: [(offset: Int, record: LiveRecord<PlainObject>)] = []
        for key in listed {
            // A listed row that does not exist any more was deleted by a later transaction, which will be announced.
            guard let offset = offsets.offset(of: key, in: rows.stamps), let record = records[key] else { return nil }
            patches.append((offset, record))
        }
        return patches
    }

    /// Returns whether the request would find one of the changed rows, regardless of its order and limits.
    private func finds(
        _ keys: Set<Int64>, _ records: [Int64: LiveRecord<PlainObject>], in context: ManagedObjectContext
    ) throws -> Bool {
        var undecided: Set<Int64> = []
        for key in keys {
            guard let record = records[key] else { continue }
            switch rowTest?.matches(record.value) {
            case true?: return true
            case false?: continue
            case nil: undecided.insert(key)
            }
        }
        if undecided.isEmpty { return false }
        container.live.steps.withLock { $0.tests += 1 }
        return try context.finds(PlainObject.self, request, among: undecided)
    }

    private func rerun(_ context: ManagedObjectContext) throws {
        runs += 1
        container.live.steps.withLock { $0.reruns += 1 }
        let read =
            try rows.map { try context.liveRows(request, after: $0, &offsets) }
            ?? context.liveRows(of: PlainObject.self, request)
        if let rows, read.isSame(as: rows) { return }
        rows = read
        offsets = read.makeOffsets()
        announce(read)
    }

    private func announce(_ rows: Rows) {
        states += 1
        container.live.steps.withLock { $0.deliveries += 1 }
        for consumer in consumers.values { consumer.deliver(rows) }
    }
}
