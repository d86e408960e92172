import Sworm

/// The form of a call that writes rows with its name, and counts itself.
enum LossForm: CaseIterable, Sendable {
    case perform, performRetrying, schedule, serializable, write, asyncWrite, lock, bulk, bulkUpdate

    /// The number of rows that the call writes.
    var parts: Int { self == .bulk || self == .bulkUpdate ? 3 : 1 }

    func make(_ call: String, by owner: String, in store: PersistentContainer) throws {
        let own = Tally.all.where(\.owner == owner)
        @Sendable func count(_ context: ManagedObjectContext) throws {
            guard let tally = try context.fetchOne(own) else { throw Failure("the row of \(owner) is missing") }
            try tally.encode(\.calls, tally.decode(\.calls) + 1)
        }
        @Sendable func insert(_ context: ManagedObjectContext) throws {
            try count(context)
            try context.insert(Entry(call: call))
        }
        @Sendable func insertInBulk(_ context: ManagedObjectContext) throws {
            try context.insert(contentsOf: (0..<parts).map { Entry(call: call, part: $0) })
        }
        switch self {
        case .perform: try store.perform { try insert($0) }
        case .performRetrying: try store.perform(retrying: 3) { try insert($0) }
        case .schedule: try blocking { try await store.schedule(retrying: 3) { try insert($0) } }
        case .serializable: try store.withTransactions(isolation: .serializable).perform { try insert($0) }
        case .write: try store.write { try insert($0) }
        case .asyncWrite: try blocking { try await store.write { try insert($0) } }
        case .lock: try store.write(locking: own) { try insert($0) }
        case .bulk:
            try store.perform { context in
                try count(context)
                try insertInBulk(context)
            }
        case .bulkUpdate:
            try store.write { context in
                try insertInBulk(context)
                let calls = try context.decodeOne(own)?.calls ?? 0
                guard try context.update(own, set: (\.calls, calls + 1)) == 1 else {
                    throw Failure("the row of \(owner) was not updated")
                }
            }
        }
    }
}
