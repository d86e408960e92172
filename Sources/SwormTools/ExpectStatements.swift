public import Sworm

/// Runs a closure, and throws an error if the container did not run the expected number of statements in it.
///
/// ```swift
/// try expectStatements(2, in: store.container) {
///     try store.container.perform { context in
///         for author in try context.fetch(Author.all) { _ = try author.books.map { try $0.decode(\.title) } }
///     }
/// }
/// ```
/// The function works with every test library, because a thrown error fails the test. It counts `SELECT`, `INSERT`,
/// `UPDATE` and `DELETE` statements. It does not count the statements of internal maintenance: transactions, pragmas,
/// and access to the tables that contain the primary keys, the metadata and the history of the store. Statements of
/// other tasks that use the same container concurrently are counted; statements of other containers are not.
///
/// - Parameters:
///   - count: The expected number of statements.
///   - container: The container. It need not have been created with a trace.
///   - body: The closure whose statements are counted. If it is called inside a `perform`, the save of that `perform`
///     is not included.
/// - Returns: The result of the closure.
/// - Throws: A `StoreError` with the code `statementCount`, which lists the statements; the error of the closure; or
///   a `StoreError` with the code `unsupported` on Apple's platforms, where Core Data does not report its statements.
@discardableResult
public func expectStatements<R>(
    _ count: Int, in container: PersistentContainer, _ body: () throws -> R
) throws -> R {
    try expectStatements(count...count, in: container, body)
}

/// Runs a closure, and throws an error if the number of statements that the container ran in it is outside a range.
///
/// - Parameters:
///   - range: The expected number of statements, such as `1...3`.
///   - container: The container.
///   - body: The closure whose statements are counted.
/// - Returns: The result of the closure.
/// - Throws: The same errors as ``expectStatements(_:in:_:)-(Int,_,_)``.
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

/// Runs an asynchronous closure, and throws an error if the container did not run the expected number of statements in
/// it.
///
/// - Parameters:
///   - count: The expected number of statements.
///   - container: The container.
///   - isolation: The actor that the closure runs on, which is that of the caller.
///   - body: The closure whose statements are counted.
/// - Returns: The result of the closure.
/// - Throws: The errors of the synchronous variant.
@discardableResult
public func expectStatements<R>(
    _ count: Int, in container: PersistentContainer, isolation: isolated (any Actor)? = #isolation,
    _ body: () async throws -> R
) async throws -> R {
    try await expectStatements(count...count, in: container, isolation: isolation, body)
}

/// Runs an asynchronous closure, and throws an error if the number of statements that the container ran in it is
/// outside a range.
///
/// - Parameters:
///   - range: The expected number of statements, such as `1...3`.
///   - container: The container.
///   - isolation: The actor that the closure runs on, which is that of the caller.
///   - body: The closure whose statements are counted.
/// - Returns: The result of the closure.
/// - Throws: The errors of the synchronous variant.
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
    /// A closure ran a different number of statements than expected.
    public static let statementCount = Self("statementCount")
}

extension ExpectedStoreErrors where Self == StoreError.Code {
    /// An error with the code ``StoreError/Code/statementCount``.
    @_disfavoredOverload
    public static var statementCount: StoreError { Self.statementCount.expected }
}
