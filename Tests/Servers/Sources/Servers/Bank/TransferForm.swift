import Sworm

/// The form of the call that makes a transfer.
enum TransferForm: String, CaseIterable, Codable, Sendable {
    case perform, performRetrying, schedule, serializable, scheduleSerializable
    case write, asyncWrite, bulkWrite, nestedWrite, lock, asyncLock, bulkPerform

    /// Whether no other transaction can change the accounts while the call reads and writes them.
    var isProtected: Bool {
        switch self {
        case .write, .asyncWrite, .bulkWrite, .nestedWrite, .lock, .asyncLock: true
        default: false
        }
    }

    /// Whether the call repeats conflicts, and runs as a `write` in the end.
    var endsAsWrite: Bool { self == .performRetrying || self == .schedule }

    func make(_ transfer: Transfer, in store: PersistentContainer) throws {
        switch self {
        case .perform: try store.perform { try transfer.make(in: $0) }
        case .performRetrying: try store.perform(retrying: 5) { try transfer.make(in: $0) }
        case .schedule: try blocking { try await store.schedule(retrying: 5) { try transfer.make(in: $0) } }
        case .serializable:
            try store.withTransactions(isolation: .serializable).perform(retrying: 5) { try transfer.make(in: $0) }
        case .scheduleSerializable:
            try blocking {
                try await store.withTransactions(isolation: .serializable).schedule(retrying: 5) {
                    try transfer.make(in: $0)
                }
            }
        case .write: try store.write { try transfer.make(in: $0) }
        case .asyncWrite: try blocking { try await store.write { try transfer.make(in: $0) } }
        case .bulkWrite: try store.write { try transfer.makeInBulk(in: $0) }
        case .nestedWrite:
            try store.write { context in
                do {
                    try store.perform { context in
                        try transfer.make(in: context)
                        throw Undone()
                    }
                } catch is Undone {}
                try store.perform { try transfer.make(in: $0) }
            }
        case .lock: try store.write(locking: transfer.rows) { try transfer.make(in: $0) }
        case .asyncLock:
            try blocking { try await store.write(locking: transfer.rows) { try transfer.make(in: $0) } }
        case .bulkPerform: try store.perform { try transfer.makeInBulk(in: $0) }
        }
    }

    private struct Undone: Error {}
}
