public import Sworm

/// Runs a closure, and throws when the container ran another number of statements in it.
///
/// ```swift
/// try expectStatements(2, in: store.container) {
///     try store.container.perform { context in
///         for author in try context.fetch(Author.all) { _ = try author.books.map { try $0.decode(\.title) } }
///     }
/// }
/// ```
/// It needs no test library, and serves in every one: an error that is thrown fails the test. `SELECT`, `INSERT`, `UPDATE`
/// and `DELETE` are counted. What the store runs for itself is not: transactions, pragmas, and the tables with its numbers,
/// metadata and history. What other tasks do with the same container meanwhile counts, too; other containers do not.
///
/// - Parameters:
///   - count: How many statements there must be.
///   - container: The container. It need not have been made with a trace.
///   - body: What is counted. A `perform` that it is called in has not been saved at its end.
/// - Returns: What the closure returns.
/// - Throws: A ``StoreError`` with the code `statementCount`, which lists the statements; what the closure throws; and a
///   ``StoreError`` with the code `unsupported` on Apple's platforms, where Core Data does not tell its statements.
@discardableResult
public func expectStatements<R>(
    _ count: Int, in container: PersistentContainer, _ body: () throws -> R
) throws -> R {
    try expectStatements(count...count, in: container, body)
}

/// Runs a closure, and throws when the number of statements that the container ran in it is out of a range.
///
/// - Parameters:
///   - range: How many statements there may be, as in `1...3`.
///   - container: The container.
///   - body: What is counted.
/// - Returns: What the closure returns.
/// - Throws: As ``expectStatements(_:in:_:)-(Int,_,_)``.
@discardableResult
public func expectStatements<R>(
    _ range: ClosedRange<Int>, in container: PersistentContainer, _ body: () throws -> R
) throws -> R {
    let ledger = StatementLedger()
    let observation = try container.observeStatements { ledger.note($0) }
    defer { observation.end() }
    let result = try body()
    try ledger.check(range)
    return result
}

/// Runs an asynchronous closure, and throws when the container ran another number of statements in it.
///
/// - Parameters:
///   - count: How many statements there must be.
///   - container: The container.
///   - isolation: Where the closure runs: where the caller is.
///   - body: What is counted.
/// - Returns: What the closure returns.
/// - Throws: As the form for closures that do not wait.
@discardableResult
public func expectStatements<R>(
    _ count: Int, in container: PersistentContainer, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> R
) async throws -> R {
    try await expectStatements(count...count, in: container, isolation: isolation, body)
}

/// Runs an asynchronous closure, and throws when the number of statements that the container ran in it is out of a range.
///
/// - Parameters:
///   - range: How many statements there may be, as in `1...3`.
///   - container: The container.
///   - isolation: Where the closure runs: where the caller is.
///   - body: What is counted.
/// - Returns: What the closure returns.
/// - Throws: As the form for closures that do not wait.
@discardableResult
public func expectStatements<R>(
    _ range: ClosedRange<Int>, in container: PersistentContainer, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> R
) async throws -> R {
    let ledger = StatementLedger()
    let observation = try container.observeStatements { ledger.note($0) }
    defer { observation.end() }
    let result = try await body()
    try ledger.check(range)
    return result
}

extension StoreError.Code {
    /// A piece of work ran another number of statements than was expected.
    public static let statementCount = Self("statementCount")
}

extension ExpectedStoreErrors where Self == StoreError.Code {
    /// An error with the code ``StoreError/Code/statementCount``.
    @_disfavoredOverload
    public static var statementCount: StoreError { Self.statementCount.expected }
}
