#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// The transaction on a server in which a batch is written.
struct ServerBatch {
    let write: ServerWrite
    let session: PostgresTransaction

    var connection: PostgresConnection { write.connection }
    var schema: ServerSchema { write.schema }
    var model: CompiledModel { write.model }
    var compiler: SQLCompiler { write.schema.compiler }
    /// The name of the column of the primary key.
    var key: String { SystemColumns.postgres.key }

    /// Whether the keys of changed rows are needed.
    var notesRows: Bool { write.changes != nil || write.derivation != nil || write.history != nil }

    /// Returns the identities of the rows that a request finds, in its order. Their numbers are those of the model.
    func identities(_ specification: FetchSpecification) throws -> [RowID] {
        try session.identities(specification)
    }

    /// Takes the turn among the transactions that write, also if the batch has no statement.
    func takeTurn() throws { try connection.sendBeginning() }

    /// Returns the SQL of the model's number of the entity of a row `t0`.
    func entityNumber(of entity: Int) -> String { compiler.entityNumber(of: entity, alias: "t0") }

    /// Runs the statements of a request if they are exact, in one trip to the server.
    ///
    /// - Parameters:
    ///   - specification: The request.
    ///   - compile: Compiles the statements.
    /// - Returns: The results; nil, with nothing changed, if a part of the request must be evaluated in memory.
    func runIfExact(
        _ specification: FetchSpecification, _ compile: () throws -> [CompiledStatement]
    ) throws -> [PostgresResult]? {
        do {
            let statements = try compile().map { try SQLStatement($0) }
            guard specification.predicate?.computesNumbers ?? false else { return try connection.run(statements) }
            return try connection.runBehindSavepoint(statements)
        } catch is NotExact {
            return nil
        } catch let error as ServerError where error.isOutOfRange {
            return nil
        }
    }

    // MARK: Values

    /// Returns the form in which a column stores a value.
    func stored(
        _ value: AttributeValue, for place: ServerColumns.Attribute, of entity: CompiledEntity
    ) throws -> ServerValue {
        try ServerValue(value, for: place, of: entity)
    }

    /// Appends a value to the parameters of a statement, and returns the SQL of the parameter.
    func append(
        _ value: ServerValue, for place: ServerColumns.Attribute, of entity: CompiledEntity,
        to parameters: Parameters
    ) throws -> String {
        guard parameters.append(value, as: place.type) else { throw tooLong(place, of: entity) }
        return "$\(parameters.count)"
    }

    func tooLong(_ place: ServerColumns.Attribute, of entity: CompiledEntity) -> CoreDataError {
        CoreDataError(
            NSManagedObjectValidationError,
            "A value of '\(entity.name).\(place.attribute.name)' is too long for a message to the server, which holds a gibibyte. Nothing was saved.",
            entity: entity.name, key: place.attribute.name)
    }

    // MARK: Errors

    /// Returns the error for a change that a trigger or a policy of the server has skipped.
    ///
    /// - Parameter change: The change, as a verb and its object: "insert objects of Book".
    func ignoredChange(_ change: String, of entity: CompiledEntity, in table: String) -> CoreDataError {
        CoreDataError(
            NSPersistentStoreSaveError,
            "Cannot \(change): a trigger or a policy for rows of the table \(table) skips the change, so the change would be lost silently. Nothing was written. Remove it, or make it raise an error.",
            entity: entity.name)
    }

    /// The error for unique values of a row that the transaction cannot read, because it was committed after the transaction
    /// had begun.
    func unseenRow(_ cause: any Error) -> CoreDataError {
        CoreDataError(
            NSManagedObjectMergeError,
            "Another transaction has saved the same unique values after this transaction had read its rows, so it cannot write them. Start it again, or use a transaction that holds the write lock from its beginning.",
            cause: cause, condition: .conflict)
    }
}

extension SQLStatement {
    /// Creates a statement whose parameters are arrays of keys.
    init(_ sql: String, keys: [Int64]...) {
        let parameters = Parameters()
        for list in keys { parameters.append(keys: list) }
        self.init(sql, with: parameters)
    }
}
#endif
