import SwormPredicates

/// The rows of a sectioned request, kept up to date.
///
/// @unchecked: everything that changes is used on the queue of the center only.
final class LiveSections<PlainObject: ManagedObjectConvertible & Sendable, Key: Hashable & Sendable>: SharedLiveWork,
    @unchecked Sendable
{
    typealias Rows = SectionedRows<PlainObject, Key>

    let container: any LiveContainer
    private let request: LiveRequest<PlainObject>
    private let projection: Projection<PlainObject, (Key, Int)>
    private var consumers: [ObjectIdentifier: LiveConsumer<Rows>] = [:]
    private var rows: Rows?
    /// The number of runs of the request when the sections were read, and that of its states that were delivered.
    private var (runs, states) = (0, 0)

    init(_ request: SectionedRequest<PlainObject, Key>, in container: any LiveContainer) {
        self.container = container
        self.request = LiveRequest(request.request.content, in: container)
        projection = request.sections
    }

    // MARK: Consumers

    func add(_ consumer: LiveConsumer<Rows>, _ id: ObjectIdentifier) {
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

    /// The part of the store on which the rows depend. The key of the sections is part of their order.
    var region: TrackedRegion { request.region }

    func prepare(in context: ManagedObjectContext) throws {
        _ = try projection.checked()
        try request.prepare(in: context)
    }

    func refresh(in snapshot: LiveSnapshot) throws {
        try request.refresh(in: snapshot)
        guard let read = request.rows else { return }
        var sections = rows?.sections ?? []
        // If only rows were replaced, no key has changed. The sections are read in the snapshot of the rows.
        if runs != request.runs { sections = try self.sections(of: read, in: snapshot.context) }
        runs = request.runs
        let isChanged = rows.map { !$0.hasSameSections(as: sections) } ?? true || states != request.states
        states = request.states
        guard isChanged else { return }
        let next = Rows(rows: read, sections: sections)
        rows = next
        container.live.steps.withLock { $0.deliveries += 1 }
        for consumer in consumers.values { consumer.deliver(next) }
    }

    /// Reads the keys of the sections. The rows are sorted by the key first, so that the numbers of rows are enough.
    private func sections(
        of rows: LiveRows<PlainObject>, in context: ManagedObjectContext
    ) throws -> [Rows.Section] {
        let read = try context.liveRows(of: projection)
        var sections: [Rows.Section] = []
        var start = 0
        for (row, values) in zip(read.rows, read.values) {
            let end = start + max(row.1, 0)
            sections.append(
                Rows.Section(key: row.0, identity: SectionIdentity(values.first ?? .null), range: start..<end))
            start = end
        }
        guard start == rows.count else {
            throw StoreError(
                .storeFailed,
                "\(PlainObject.entityName): the sections have \(start) objects, but the request finds \(rows.count). "
                    + "Check the store with `sworm-tool verify`.",
                entity: PlainObject.entityName)
        }
        return sections
    }
}
