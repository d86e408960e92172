import SwormPredicates

/// The source of the transactions of one iteration of a feed.
///
/// With a history it reads on behind the last transaction whenever there was a commit. Without one, it keeps the changes
/// that were announced.
final class ChangeInlet: Sendable {
    private enum Source: Sendable {
        case undecided
        case history(ChangeToken)
        case announcements
    }

    private struct State: Sendable {
        var source = Source.undecided
        var ready: [StoreChanges] = []
        /// The announced changes, in a store without a history.
        var announced: [CommittedChanges] = []
        var listening: CommitListening?
        /// The error of the start, for the consumer.
        var failure: (any Error)?
    }

    /// The number of transactions that are read from the history at once.
    private static let batch = 100
    /// The number of transactions that are kept without a history, whether they were converted for the consumer or not.
    private static let limit = 1_000

    private let feed: ChangeFeed
    private let state = Locked(State())
    private let signal = ChangeSignal()

    /// Creates the source, and determines the position of a feed that starts now, so that it contains the transactions
    /// that its consumer commits before it waits for the first one.
    init(_ feed: ChangeFeed) {
        self.feed = feed
        // A feed that starts while the store is suspended starts when the store is resumed.
        feed.container.feeds.add(signal)
        if case .after = feed.start { return }
        do {
            _ = try feed.container.read { (context: ManagedObjectContext) in try fill(in: context) }
        } catch {
            state.withLock { $0.failure = error }
        }
    }

    func end() {
        signal.end()
        let listening = state.withLock { state in
            defer { state.listening = nil }
            return state.listening
        }
        listening?.end()
        feed.container.feeds.remove(signal)
    }

    func next(isolation: isolated (any Actor)?) async throws -> StoreChanges? {
        while true {
            if Task.isCancelled || signal.isEnded { return nil }
            if let changes = state.withLock({ $0.ready.isEmpty ? nil : $0.ready.removeFirst() }) { return changes }
            signal.clear()
            do {
                if let failure = state.withLock({ $0.failure }) { throw failure }
                if try await fill() { continue }
            } catch StoreError.Code.suspended {
                state.withLock { $0.failure = nil }
                // The feed continues when the store is resumed.
            } catch {
                end()
                if Task.isCancelled { return nil }
                throw error
            }
            await signal.wait(isolation: isolation)
        }
    }

    // MARK: Reading

    /// Reads the transactions that follow.
    ///
    /// - Returns: Whether transactions were found, or the position was determined.
    private func fill() async throws -> Bool {
        try await feed.container.read { [self] context in try fill(in: context) }
    }

    private func fill(in context: ManagedObjectContext) throws -> Bool {
        switch state.withLock({ $0.source }) {
        case .undecided:
            try start(in: context)
            // The snapshot may be older than the listening, so the transactions are read from a newer one.
            return true
        case .announcements: return takeAnnouncements(in: context)
        case .history(let token):
            let all = try translatingErrors { try context.instance.storeChanges(after: token, limit: Self.batch) }
            let container = feed.container
            let ready = all.filter(feed.filter.contains).map { changes in
                var changes = changes
                changes.container = container
                return changes
            }
            state.withLock { state in
                if let last = all.last?.token { state.source = .history(last) }
                state.ready += ready
            }
            return !all.isEmpty
        }
    }

    /// Starts to listen, and then determines the position, so that no commit is missed in between.
    private func start(in context: ManagedObjectContext) throws {
        let listening = context.instance.listenToCommits { [weak self] changes in self?.announce(changes) }
        state.withLock { $0.listening = listening }
        let position = try translatingErrors { try context.instance.changePosition() }
        let source: Source
        switch feed.start {
        case .now: source = position.map { .history($0) } ?? .announcements
        case .after(let token):
            guard let position else { throw StoreError.historyNeeded }
            try token.check(against: position)
            source = .history(token)
        case .consumer(let name):
            if position == nil { throw StoreError.historyNeeded }
            source = .history(try translatingErrors { try context.instance.position(ofConsumer: name) })
        }
        state.withLock { state in
            state.source = source
            if case .history = source { state.announced = [] }
        }
    }

    // MARK: Announcements

    /// Called on the thread that has committed.
    private func announce(_ changes: CommittedChanges) {
        state.withLock { state in
            if case .history = state.source { return }
            state.announced.append(changes)
            if state.ready.count + state.announced.count > Self.limit { state.announced = [.unknown] }
        }
        signal.set()
    }

    private func takeAnnouncements(in context: ManagedObjectContext) -> Bool {
        let announced = state.withLock { state in
            defer { state.announced = [] }
            return state.announced
        }
        let container = feed.container
        let ready = announced.map { changes in
            var changes = context.instance.storeChanges(changes)
            changes.container = container
            return changes
        }
        state.withLock { $0.ready += ready.filter(feed.filter.contains) }
        return !announced.isEmpty
    }
}
