import Dispatch
@testable import Sworm

/// A sectioned live list, with each list that is delivered made from the previous one.
final class LiveSectionsCheck<T: ManagedObjectConvertible & Sendable & Equatable, Key: Hashable & Sendable>: LiveCheck {
    private struct Content: Sendable {
        var rows = SectionedRows<T, Key>()
        var values: [T] = []
        var keys: [Key] = []
        var isRead = false
        var failure: String?
    }

    private let request: SectionedRequest<T, Key>
    private let keys: Projection<T, Key>
    private let store: PersistentContainer
    private let work: LiveSections<T, Key>
    private let content = Locked(Content())

    /// - Parameter keys: The key of each object, in the order of the request.
    init(_ request: SectionedRequest<T, Key>, keys: Projection<T, Key>, in store: PersistentContainer) {
        self.request = request
        self.keys = keys
        self.store = store
        let (content, work) = (content, LiveSections<T, Key>(request, in: store))
        self.work = work
        let consumer = LiveConsumer<SectionedRows<T, Key>> { rows in
            content.withLock { content in
                let changes = rows.changes(since: content.rows)
                if content.isRead, changes.isEmpty { content.failure = "an equal list was delivered" }
                content.values = changes.applied(to: content.values) { rows.rows[$0].value }
                for offset in changes.sections.removed.reversed() { content.keys.remove(at: offset) }
                for offset in changes.sections.inserted { content.keys.insert(rows.sections[offset].key, at: offset) }
                (content.rows, content.isRead) = (rows, true)
            }
        } fail: { error in
            content.withLock { $0.failure = "\(error)" }
        }
        store.live.queue.async {
            work.add(consumer, ObjectIdentifier(work))
            store.live.start(work)
        }
    }

    func problem() throws -> String? {
        let values = try store.read { try $0.decode(request.request) }
        let keys: [Key] = try store.read { try $0.fetch(self.keys) }
        var expected: [(key: Key, range: Range<Int>)] = []
        for (offset, key) in keys.enumerated() {
            if let last = expected.last, last.key == key {
                expected[expected.count - 1].range = last.range.lowerBound..<offset + 1
            } else {
                expected.append((key, offset..<offset + 1))
            }
        }
        let content = content.withLock { $0 }
        if let failure = content.failure { return "\(request): \(failure)" }
        let sections = content.rows.sections
        guard content.values == values, content.keys == expected.map(\.key), sections.map(\.key) == content.keys,
            sections.map(\.range) == expected.map(\.range)
        else { return "\(request) has \(content.values) in \(content.keys) instead of \(values) in \(expected)" }
        return nil
    }

    func end() {
        let (store, work) = (store, work)
        store.live.queue.async { store.live.remove(work) }
    }
}
