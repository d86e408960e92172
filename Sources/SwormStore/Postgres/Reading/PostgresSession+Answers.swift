#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

extension PostgresSession {
    /// Answers a request by a statement or, if a part of it has no exact form on the server or fails there because a number is
    /// out of range, by testing rows in memory.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - selection: The values that the statement selects.
    ///   - isComputing: Whether the statement computes numbers beside those of the condition.
    ///   - compile: Compiles the request, or another one of the same shape.
    ///   - exact: Runs the statement. A statement that fails because of a number must not have had effects.
    ///   - inMemory: Answers the request with a search in memory.
    final func answer<Answer>(
        _ request: FetchSpecification, selecting selection: StatementShapes.Selection,
        compile: (FetchSpecification) throws -> CompiledStatement, byStatement exact: (ServerQuery) throws -> Answer,
        inMemory: (RowSearch) throws -> Answer
    ) throws -> Answer {
        try read { connection in
            let query: ServerQuery
            do {
                let found = try schema.reading.shapes.statement(
                    for: request, selecting: selection, compile: compile)
                query = try self.query(
                    found.statement, on: connection,
                    isGuarded: !found.isKnown && request.predicate?.computesNumbers ?? false,
                    limit: request.limit > 0 ? request.limit : nil)
            } catch is NotExact {
                return try inMemory(search(request, on: connection))
            }
            do {
                return try exact(query)
            } catch let error as ServerError where query.isGuarded && error.isOutOfRange {
                return try inMemory(search(request, leavingComputations: true, on: connection))
            }
        }
    }

    /// Returns a statement to run on a connection.
    final func query(
        _ compiled: CompiledStatement, on connection: PostgresConnection, isGuarded: Bool = false, limit: Int? = nil
    ) throws -> ServerQuery {
        ServerQuery(
            statement: try SQLStatement(compiled), connection: connection, isGuarded: isGuarded, limit: limit,
            sizes: schema.reading.sizes)
    }

    /// Returns the search in memory for the rows of a request that has no exact statement.
    ///
    /// - Parameters:
    ///   - leavesComputations: Whether a statement that computes numbers has failed.
    ///   - names: The names of properties that are read beside those of the condition and of the order.
    ///   - keys: The keys of the rows among which to search; nil for all.
    ///   - reason: The reason why other parts than the condition and the order are evaluated in memory.
    /// - Throws: The errors of invalid requests, and an error if the store does not evaluate conditions in memory.
    final func search(
        _ request: FetchSpecification, leavingComputations leavesComputations: Bool = false,
        reading names: ReadNames = ReadNames(), among keys: [Int64]? = nil, because reason: NotExact? = nil,
        on connection: PostgresConnection
    ) throws -> RowSearch {
        // The parts that a server cannot express are checked as those of a file.
        _ = try schema.reading.validator.identities(request)
        let split = try compiler.split(request, leavingComputations: leavesComputations)
        try requireAllowed(split, of: request)
        return try RowSearch(
            request, split: split, reading: names, among: keys, because: reason, in: self, on: connection)
    }

    /// Throws an error if a request needs an evaluation in memory, and the store does none.
    final func requireAllowed(_ split: SplitRequest, of request: FetchSpecification) throws {
        guard store.serverOptions.refusesEvaluationInMemory else { return }
        if let (tree, reason) = split.conjuncts.lazy.compactMap({ part in part.reason.map { (part.tree, $0) } }).first {
            throw refusal("The condition `\(tree.format)`", of: request, because: reason)
        }
        if let reason = split.sortReason { throw refusal("The order", of: request, because: reason) }
    }

    /// Throws an error if a level of trees needs an evaluation in memory, and the store does none.
    final func requireAllowed(_ level: TreeLevel, leavingComputations leavesComputations: Bool) throws {
        guard store.serverOptions.refusesEvaluationInMemory else { return }
        if leavesComputations {
            let reason = NotExact(.outOfRange, path: "a number", entity: store.model[level.fetch.entity].name)
            throw refusal("A part", of: level.fetch, because: reason)
        }
        do {
            _ = try compiler.level(level)
        } catch let reason as NotExact {
            try requireAllowed(compiler.split(level.fetch), of: level.fetch)
            throw refusal("`\(reason.path)`", of: level.fetch, because: reason)
        }
    }

    final func refusal(
        _ part: String, of request: FetchSpecification, because reason: NotExact
    ) -> CoreDataError {
        let entity = store.model[request.entity].name
        return CoreDataError(
            NSPersistentStoreUnsupportedRequestTypeError,
            "\(part) of a request for \(entity) has no exact form on the server, because \(reason.reason). The store does not evaluate requests in memory. Change the request, or open the store with evaluation in memory.",
            entity: entity, cause: reason, condition: .unsupported)
    }

    // MARK: Errors

    /// Throws the errors of an invalid request, which has no exact statement, and an error if the store does not evaluate it.
    final func checkInexact(_ request: FetchSpecification) throws {
        _ = try schema.reading.validator.identities(request)
        try requireAllowed(compiler.split(request), of: request)
    }

    /// Runs a closure that decodes values, and adds the names of the entity and the attribute to its errors.
    final func naming<Result>(
        entity: Int, attributes: [Int], _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            throw store.model.named(error, entity: entity, attributes: attributes)
        }
    }
}

extension ServerError {
    /// Whether a number or a date that the statement computes is out of the range of its type, or a number is divided by zero.
    var isOutOfRange: Bool {
        switch state?.rawValue {
        case "22003", "22008", "22012": true
        default: false
        }
    }
}
#endif
