import Foundation
@testable import Sworm
import SwormPredicates

/// A live result that is compared with a new fetch.
protocol LiveCheck {
    /// Returns how the live result differs from a new fetch; nil if it does not.
    func problem() throws -> String?
    func end()
}

/// A live list, with each list that is delivered made from the previous one.
final class LiveListCheck<T: ManagedObjectConvertible & Sendable & Equatable>: LiveCheck {
    private struct Content: Sendable {
        var rows: LiveRows<T>?
        var values: [T] = []
        var failure: String?
    }

    private let request: Request<T>
    private let store: PersistentContainer
    private let work: LiveRequest<T>
    private let content = Locked(Content())

    init(_ request: Request<T>, in store: PersistentContainer) {
        self.request = request
        self.store = store
        let (content, work) = (content, LiveRequest<T>(request.content, in: store))
        self.work = work
        let consumer = LiveRequest<T>.Consumer { rows in
            content.withLock { content in
                let changes = rows.changes(since: content.rows)
                if content.rows != nil, changes.isEmpty { content.failure = "an equal list was delivered" }
                content.values = changes.applied(to: content.values) { rows[$0].value }
                content.rows = rows
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
        let fetched = try store.read { try $0.decode(request) }
        let content = content.withLock { $0 }
        if let failure = content.failure { return "\(request): \(failure)" }
        return content.values == fetched ? nil : "\(request) has \(content.values) instead of \(fetched)"
    }

    func end() {
        let (store, work) = (store, work)
        store.live.queue.async { store.live.remove(work) }
    }
}
