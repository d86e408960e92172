#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// Checks of a store on a server: its tables, the work that a migration has left, its rows, and the rights of its user.
package enum ServerVerification {
    /// Returns all findings, in one state of the store and without changing anything.
    ///
    /// - Throws: ``CoreDataError`` if there is no store, or if the server cannot be asked.
    package static func findings(of server: PostgresOptions, model: CompiledModel) throws -> [StoreIssue] {
        var options = StoreOptions()
        options.isReadOnly = true
        let opening = try ServerOpening(model: model, options: options, serverOptions: server)
        return try opening.closing {
            try opening.withConnection(while: "read") { connection throws -> [StoreIssue] in
                var transaction = TransactionOptions(.repeatableRead, isReadOnly: true)
                // All rows are read.
                var timeouts = connection.address.timeouts
                timeouts.statement = nil
                transaction.timeouts = timeouts
                return try connection.transaction(transaction) { () throws -> [StoreIssue] in
                    let found = try opening.read(connection)
                    guard let record = found.record else {
                        throw CoreDataError(
                            CocoaError.Code.fileReadNoSuchFile.rawValue, "There is no store at \(server.place).")
                    }
                    return try findings(of: record, found: found.catalog, by: opening, on: connection)
                }
            }
        }
    }

    private static func findings(
        of record: ServerRecord, found catalog: ServerCatalog, by opening: ServerOpening,
        on connection: PostgresConnection
    ) throws -> [StoreIssue] {
        guard record.names(serving: opening.model.versionHashes) != nil else {
            let reason = ServerVersionCheck(model: opening.model, record: record)
                .error(place: opening.serverOptions.place)
            return [StoreIssue(.model, reason?.message ?? "the model is not that of the store")]
        }
        let tables = try opening.tables(record, in: catalog)
        let differences = ServerDifferences(
            writer: tables.writer, catalog: catalog, migration: record.migration,
            isOlder: record.isOlder(opening.model.versionHashes))
        var issues = differences.list.map { message, subject in
            StoreIssue(.schema, message, entity: subject?.entity, property: subject?.properties.first)
        }
        issues += work(record)
        // Statements about missing columns would fail.
        if issues.allSatisfy({ $0.severity != .error }) {
            let schema = ServerSchema(
                model: opening.model, layout: tables.layout, names: tables.names,
                identifier: record.metadata.identifier)
            issues += try ServerRowCheck(schema: schema, connection: connection).issues()
        }
        issues += notes(tables.writer, in: catalog)
        if let issue = try rights(tables.writer, on: connection) { issues.append(issue) }
        return issues
    }

    /// The steps that a migration has left.
    private static func work(_ record: ServerRecord) -> [StoreIssue] {
        record.migration.work.map { work in
            let name =
                switch work.task {
                case .index(let name, _, _): "the index \"\(name)\" does not exist yet"
                case .reference(let table, let name, _, _):
                    "the foreign key \"\(name)\" of the table \"\(table)\" is not validated yet"
                case .required(let table, let column):
                    "the column \"\(column)\" of the table \"\(table)\" is not declared as required yet"
                }
            return StoreIssue(
                .unfinished, work.failure.map { "\(name): \($0)" } ?? "\(name); 'sworm-tool migrate' completes it",
                severity: .warning)
        }
    }

    private static func notes(_ writer: ServerSchemaWriter, in catalog: ServerCatalog) -> [StoreIssue] {
        let tables = writer.versionedTables.filter { !catalog.versionTriggers.contains($0) }
        guard !tables.isEmpty else { return [] }
        let list = tables.map { "\"\($0)\"" }.joined(separator: ", ")
        return [
            StoreIssue(
                .foreignVersions,
                "changes by SQL of other programs are noticed as conflicts only if these raise \"_version\": no trigger does so in \(list). Open the store once with the configuration 'versions: .everybody' to create the triggers, if there are such programs",
                severity: .note)
        ]
    }

    /// Returns a warning if row-level security does not apply to the user, although tables have it.
    private static func rights(_ writer: ServerSchemaWriter, on connection: PostgresConnection) throws -> StoreIssue? {
        let parameters = Parameters()
        guard parameters.append(writer.schema), parameters.append(writer.tables.tables.map { Optional($0.name) }) else {
            return nil
        }
        let result = try connection.run(
            """
            SELECT u.rolname::text, u.rolsuper, u.rolbypassrls, c.relname::text
            FROM pg_catalog.pg_roles u, pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE u.rolname = CURRENT_USER AND n.nspname = $1 AND c.relname::text = ANY($2) AND c.relrowsecurity
              AND (u.rolsuper OR u.rolbypassrls
                OR pg_catalog.pg_has_role(u.oid, c.relowner, 'USAGE') AND NOT c.relforcerowsecurity)
            ORDER BY c.relname
            """, with: parameters)
        guard result.rowCount > 0 else { return nil }
        let role = try result.string(0, column: 0) ?? ""
        let tables = try (0..<result.rowCount).map { "\"\(try result.string($0, column: 3) ?? "")\"" }
        let (isSuperuser, bypasses) = (try result.bool(0, column: 1), try result.bool(0, column: 2))
        let reason =
            isSuperuser == true ? "is a superuser" : bypasses == true ? "has the attribute BYPASSRLS" : "owns them"
        return StoreIssue(
            .rowSecurity,
            "the policies of row-level security of \(tables.joined(separator: ", ")) do not apply to the role \"\(role)\", which \(reason). Let the program run as another role",
            severity: .warning)
    }
}

extension StoreIssue.Kind {
    /// A step of a migration is left to do, or has failed.
    fileprivate static let unfinished = Self("unfinished")
    /// Changes by other programs do not raise versions.
    fileprivate static let foreignVersions = Self("foreign-versions")
    /// Row-level security does not apply.
    fileprivate static let rowSecurity = Self("row-level-security")
}
#endif
