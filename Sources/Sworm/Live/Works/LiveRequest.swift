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
    private let rowTest: RowTest?
    /// The name of the root entity.
    private var root = ""
    /// Whether changed rows can be looked at one by one: they are of one entity, the first row is not found by counting,
    /// and rows can be read by their keys. Core Data's ids contain the entity of the object, which commits do not name.
    private var canPatch = false
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
        rowTest = RowTest(request.condition, of: PlainObject.self)
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
        try PlainObject.mapping.requireNoBranches(inList: true)
        let entity = try context.entityDescription(of: PlainObject.self)
        var builder = RegionBuilder()
        try builder.add(request, of: entity, attributes: PlainObject.mapping.decodedPaths)
        region = builder.region
        root = entity.root.stableName
        canPatch =
            region.readsOneEntity && request.offset == 0
            && (context.instance.readsRowsByKey || entity.family.count == 1)
    }

    func refresh(in snapshot: LiveSnapshot) throws {
        guard snapshot.changes != nil, rows != nil, canPatch, offsets.isUnique,
            let changed = try snapshot.changedRows(of: PlainObject.self, root: root),
            let listed = try listedRows(changed, in: snapshot)
        else { return try rerun(in: snapshot) }
        if !listed.isEmpty { try patch(listed, by: changed, in: snapshot) }
    }

    /// Returns the offsets of the listed rows with new values, by their keys, if the changes affect neither which rows are
    /// listed nor their order; nil if the request must be run again.
    private func listedRows(_ changed: ChangedRows, in snapshot: LiveSnapshot) throws -> [Int64: Int]? {
        var listed: [Int64: Int] = [:]
        if !changed.deletedKeys.isEmpty || !changed.updatedKeys.isEmpty {
            let stamps = rows?.stamps ?? []
            if changed.deletedKeys.contains(where: { offsets.offset(of: $0, in: stamps) != nil }) { return nil }
            for key in changed.updatedKeys { listed[key] = offsets.offset(of: key, in: stamps) }
        }
        // A row that is not listed enters the list by its insertion, or by a property that decides.
        if try finds(changed.inserted, in: snapshot.context) { return nil }
        if changed.updatedKeys.isEmpty || !snapshot.decides(region) { return listed }
        return try listed.isEmpty && !finds(changed.updated, in: snapshot.context) ? listed : nil
    }

    /// Returns whether the request would find one of the changed rows, regardless of its order and limits.
    private func finds(_ rows: [ChangedRows.Row], in context: ManagedObjectContext) throws -> Bool {
        var undecided: Set<Int64> = []
        for row in rows {
            switch rowTest?.matches(row.subject) {
            case true?: return true
            case false?: continue
            case nil: undecided.insert(row.key)
            }
        }
        if undecided.isEmpty { return false }
        container.live.steps.withLock { $0.tests += 1 }
        return try context.finds(PlainObject.self, request, among: undecided)
    }

    private func patch(_ listed: [Int64: Int], by changed: ChangedRows, in snapshot: LiveSnapshot) throws {
        let records = changed.records(of: PlainObject.self)
        // A listed row that does not exist any more was deleted by a later transaction, which will be announced.
        guard var patched = rows, listed.keys.allSatisfy({ records[$0] != nil }) else {
            return try rerun(in: snapshot)
        }
        container.live.steps.withLock { $0.patches += 1 }
        // Released first, so that the rows are not copied unless a consumer holds them.
        rows = nil
        var isChanged = false
        for (key, offset) in listed {
            if let record = records[key], patched.replace(offset, by: record) { isChanged = true }
        }
        rows = patched
        if isChanged { announce(patched) }
    }

    private func rerun(in snapshot: LiveSnapshot) throws {
        runs += 1
        container.live.steps.withLock { $0.reruns += 1 }
        var read: Rows
        if let rows, !snapshot.isUnknown {
            read = try snapshot.context.liveRows(request, after: rows, &offsets)
            read.generation = rows.generation
        } else {
            read = try snapshot.context.liveRows(of: PlainObject.self, request)
            read.generation = LiveGeneration.next()
        }
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
