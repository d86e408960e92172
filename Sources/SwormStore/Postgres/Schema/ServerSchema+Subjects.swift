#if PostgreSQL
import SwormPostgres

extension ServerSchema {
    typealias Subject = ServerSubject

    /// Returns the tables with everything that their declarations say.
    var tables: ServerTables { ServerTables(model: compiler.model, layout: layout) }

    /// Returns the properties that an error of the server is about, or nil if it does not name a part of the store.
    func subject(of error: ServerError) -> ServerSubject? {
        guard error.constraint != nil || error.column != nil,
            error.schema == nil || error.schema == layout.server?.schema
        else { return nil }
        let tables = tables
        if let constraint = error.constraint,
            let subject = tables.subject(ofConstraint: constraint, table: error.table)
        {
            return subject
        }
        guard let table = error.table, let column = error.column else { return nil }
        return tables.subject(ofTable: table, column: column)
    }
}
#endif
