#if PostgreSQL
import SwormPostgres
import SwormPredicates

// Changes that a trigger, a rule or a policy of the server skips without an error.
extension ServerBatch {
    /// Returns a statement that counts the rows that a request finds, if something could keep the server from changing some of
    /// them; NULL for a usual table, whose rows are not counted.
    func expectedCount(_ specification: FetchSpecification) throws -> CompiledStatement {
        var count = try compiler.count(specification)
        let table = SQLName.literal(schema.columns[specification.entity - 1].table)
        // The type of a trigger has the bit 2 if the trigger runs before the change. The library's own triggers skip nothing.
        count.sql = """
            SELECT CASE WHEN (SELECT c.relrowsecurity OR c.relhasrules OR EXISTS (SELECT 1 FROM pg_catalog.pg_trigger g \
            WHERE g.tgrelid = c.oid AND NOT g.tgisinternal AND g.tgtype & 2 <> 0 \
            AND NOT pg_catalog.starts_with(g.tgname::text, '\(PostgresNames.ownPrefix)')) \
            FROM pg_catalog.pg_class c WHERE c.oid = \(table)::pg_catalog.regclass) THEN (\(count.sql)) END
            """
        return count
    }

    /// Throws an error if a statement has changed fewer rows than the request finds.
    ///
    /// - Parameters:
    ///   - expected: The result of ``expectedCount(_:)``.
    ///   - verb: The change: "delete", "change".
    func require(_ expected: PostgresResult, in result: PostgresResult, verb: String, of entity: CompiledEntity) throws
    {
        guard let count = try expected.int(0, column: 0), result.affectedRows < count else { return }
        throw ignoredChange(
            "\(verb) objects of \(entity.name)", of: entity, in: schema.columns[entity.number - 1].table)
    }

    /// Throws an error if the server has skipped the update of a row by an upsert.
    ///
    /// - Parameters:
    ///   - selection: The rows with the new values.
    ///   - versions: For each row, the number of versions by which it is raised; empty for one.
    ///   - updated: The keys of the rows that were updated.
    func requireUpdates(
        _ selection: ServerRowWriter.Selection, of rows: UpsertedRows, versions: [Int64] = [], in updated: Set<Int64>
    ) throws {
        // Rows that have the values already are not updated, and are most of the rest.
        guard selection.rows.count > updated.count,
            let skipped = try rows.skippedUpdate(selection, versions: versions, except: updated),
            try connection.run(skipped).rowCount > 0
        else { return }
        throw ignoredChange(
            "change objects of \(rows.writer.entity.name)", of: rows.writer.entity, in: rows.plan.columns.table)
    }
}
#endif
