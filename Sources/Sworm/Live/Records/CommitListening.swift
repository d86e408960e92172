import SwormPredicates

/// The listening to the commits of stores, which ends when the last reference is released.
final class CommitListening: Sendable {
    private let endings: Locked<[@Sendable () -> Void]>

    init(_ endings: [@Sendable () -> Void]) { self.endings = Locked(endings) }

    deinit { end() }

    func end() {
        let endings = endings.withLock { endings in
            defer { endings = [] }
            return endings
        }
        for ending in endings { ending() }
    }
}
