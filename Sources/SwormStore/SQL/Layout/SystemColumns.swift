/// The columns that tables have beside those of the model, as SQL text writes their names.
package struct SystemColumns: Sendable, Hashable {
    /// The primary key.
    package var key: String
    /// The number of the row's entity.
    package var entity: String
    /// The version, which increases with each change of the row.
    package var version: String

    /// The columns of Core Data's files.
    package static let coreData = SystemColumns(key: "Z_PK", entity: "Z_ENT", version: "Z_OPT")
    /// The columns of a store on a PostgreSQL server.
    package static let postgres = SystemColumns(key: "\"_key\"", entity: "\"_entity\"", version: "\"_version\"")
}
