import SwormPredicates

/// The listening to the commits of stores, which ends when the last reference is released.
final class CommitListening: Sendable {
    private let endings: Locked<[@Sendable () -> Void]>
    private let noticing: [@Sendable () -> Bool]

    /// - Parameters:
    ///   - endings: Closures that end the listening.
    ///   - noticing: Closures that announce the commits of other processes before they return; false if it is unknown
    ///     whether there are any.
    init(_ endings: [@Sendable () -> Void], noticing: [@Sendable () -> Bool] = []) {
        self.endings = Locked(endings)
        self.noticing = noticing
    }

    deinit { end() }

    /// Announces the commits of other processes that have ended, which are otherwise announced soon after they have become
    /// visible.
    ///
    /// - Returns: False if it is unknown whether there are such commits.
    @discardableResult
    func notice() -> Bool { noticing.map { $0() }.allSatisfy { $0 } }

    func end() {
        let endings = endings.withLock { endings in
            defer { endings = [] }
            return endings
        }
        for ending in endings { ending() }
    }
}
