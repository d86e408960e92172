// Closures that return several managed objects at once. The ids are returned as a tuple.
extension PersistentContainer {
    /// Runs a closure that returns two managed objects, and returns their ids.
    ///
    /// ```swift
    /// let (author, book) = try store.perform { context in
    ///     (try context.insert(Author(name: "Leo")), try context.insert(Book(title: "War and Peace")))
    /// }
    /// ```
    /// Each element is a managed object, or an optional or a collection of managed objects. The parameters and errors
    /// are those of ``perform(retrying:deadline:action:)->R.ResultID``.
    @discardableResult
    public func perform<First: ManagedObjectResult, Second: ManagedObjectResult>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: (ManagedObjectContext) throws -> (First, Second)
    ) throws -> (First.ResultID, Second.ResultID) {
        try perform(retrying: repetitions, deadline: deadline) { Pair(try action($0)) }
    }

    /// Runs a closure that returns three managed objects, and returns their ids.
    @discardableResult
    public func perform<First: ManagedObjectResult, Second: ManagedObjectResult, Third: ManagedObjectResult>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: (ManagedObjectContext) throws -> (First, Second, Third)
    ) throws -> (First.ResultID, Second.ResultID, Third.ResultID) {
        try perform(retrying: repetitions, deadline: deadline) { Triple(try action($0)) }
    }

    /// Runs a closure that reads one snapshot of the store and returns two managed objects, and returns their ids.
    @discardableResult
    public func read<First: ManagedObjectResult, Second: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: (ManagedObjectContext) throws -> (First, Second)
    ) throws -> (First.ResultID, Second.ResultID) {
        try read(deadline: deadline) { Pair(try action($0)) }
    }

    /// Runs a closure that reads one snapshot of the store and returns three managed objects, and returns their ids.
    @discardableResult
    public func read<First: ManagedObjectResult, Second: ManagedObjectResult, Third: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: (ManagedObjectContext) throws -> (First, Second, Third)
    ) throws -> (First.ResultID, Second.ResultID, Third.ResultID) {
        try read(deadline: deadline) { Triple(try action($0)) }
    }

    /// Runs a closure that holds the write lock of the store from the start and returns two managed objects, and
    /// returns their ids.
    @discardableResult
    public func write<First: ManagedObjectResult, Second: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: (ManagedObjectContext) throws -> (First, Second)
    ) throws -> (First.ResultID, Second.ResultID) {
        try write(deadline: deadline) { Pair(try action($0)) }
    }

    /// Runs a closure that holds the write lock of the store from the start and returns three managed objects, and
    /// returns their ids.
    @discardableResult
    public func write<First: ManagedObjectResult, Second: ManagedObjectResult, Third: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: (ManagedObjectContext) throws -> (First, Second, Third)
    ) throws -> (First.ResultID, Second.ResultID, Third.ResultID) {
        try write(deadline: deadline) { Triple(try action($0)) }
    }
}

extension PersistentContainer {
    /// Runs a closure that returns two managed objects on the queue of its context, and returns their ids.
    @discardableResult
    public func schedule<First: ManagedObjectResult, Second: ManagedObjectResult>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: sending @escaping (ManagedObjectContext) throws -> (First, Second)
    ) async throws -> (First.ResultID, Second.ResultID) {
        try await schedule(retrying: repetitions, deadline: deadline) { Pair(try action($0)) }
    }

    /// Runs a closure that returns three managed objects on the queue of its context, and returns their ids.
    @discardableResult
    public func schedule<First: ManagedObjectResult, Second: ManagedObjectResult, Third: ManagedObjectResult>(
        retrying repetitions: Int = 0, deadline: ContinuousClock.Instant? = nil,
        action: sending @escaping (ManagedObjectContext) throws -> (First, Second, Third)
    ) async throws -> (First.ResultID, Second.ResultID, Third.ResultID) {
        try await schedule(retrying: repetitions, deadline: deadline) { Triple(try action($0)) }
    }

    /// Runs a closure that reads one snapshot of the store and returns two managed objects, without blocking a thread,
    /// and returns their ids.
    @discardableResult
    public func read<First: ManagedObjectResult, Second: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> (First, Second)
    ) async throws -> (First.ResultID, Second.ResultID) {
        try await read(deadline: deadline) { Pair(try action($0)) }
    }

    /// Runs a closure that reads one snapshot of the store and returns three managed objects, without blocking a
    /// thread, and returns their ids.
    @discardableResult
    public func read<First: ManagedObjectResult, Second: ManagedObjectResult, Third: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> (First, Second, Third)
    ) async throws -> (First.ResultID, Second.ResultID, Third.ResultID) {
        try await read(deadline: deadline) { Triple(try action($0)) }
    }

    /// Runs a closure that holds the write lock of the store from the start and returns two managed objects, without
    /// blocking a thread, and returns their ids.
    @discardableResult
    public func write<First: ManagedObjectResult, Second: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> (First, Second)
    ) async throws -> (First.ResultID, Second.ResultID) {
        try await write(deadline: deadline) { Pair(try action($0)) }
    }

    /// Runs a closure that holds the write lock of the store from the start and returns three managed objects, without
    /// blocking a thread, and returns their ids.
    @discardableResult
    public func write<First: ManagedObjectResult, Second: ManagedObjectResult, Third: ManagedObjectResult>(
        deadline: ContinuousClock.Instant? = nil,
        _ action: sending @escaping (ManagedObjectContext) throws -> (First, Second, Third)
    ) async throws -> (First.ResultID, Second.ResultID, Third.ResultID) {
        try await write(deadline: deadline) { Triple(try action($0)) }
    }
}

// A parameter pack could replace both types, but returning one from a task corrupts the task's stack (Swift 6.3).
private struct Pair<First: ManagedObjectResult, Second: ManagedObjectResult>: ManagedObjectResult {
    private let results: (First, Second)

    init(_ results: (First, Second)) { self.results = results }

    var resultID: (First.ResultID, Second.ResultID) { (results.0.resultID, results.1.resultID) }
}

private struct Triple<
    First: ManagedObjectResult, Second: ManagedObjectResult, Third: ManagedObjectResult
>: ManagedObjectResult {
    private let results: (First, Second, Third)

    init(_ results: (First, Second, Third)) { self.results = results }

    var resultID: (First.ResultID, Second.ResultID, Third.ResultID) {
        (results.0.resultID, results.1.resultID, results.2.resultID)
    }
}
