/// A statement of a migration, with the values for its parameters: the first belongs to `?1`.
struct MigrationStatement: Sendable, Hashable, ExpressibleByStringInterpolation {
    var sql: String
    var values: [StoredValue] = []
    /// What is done where SQLite does not take the statement; nil for nothing.
    var otherwise: Otherwise?

    struct Otherwise: Sendable, Hashable {
        var sql: String
        /// Tells what that means, without its reason and without an end.
        var note: String
    }

    init(_ sql: String, _ values: [StoredValue] = []) {
        self.sql = sql
        self.values = values
    }

    init(stringLiteral sql: String) { self.init(sql) }
}

/// Everything that makes a store of one model into one of another, in the order in which it is carried out.
struct MigrationPlan: Sendable {
    /// Changes tables and rows. No index and no trigger is there while they are filled.
    var changes: [MigrationStatement] = []
    /// The unique indexes that are to be made, whose rows are looked at before.
    var uniqueIndexes: [SchemaIndex] = []
    /// Makes indexes and triggers, and says whose the rows are.
    var completion: [MigrationStatement] = []
    /// What others have put into the file, and what had to make way for the changes.
    var foreign: [SchemaObject] = []
    /// The R-trees that stay while their triggers do.
    var trees: [LocationTree] = []
    /// The tables of others that have references to tables of the model.
    var referring: Set<String> = []
    /// What of others cannot stay.
    var notes: [String] = []
}

/// Something in a file's schema.
struct SchemaObject: Sendable, Hashable {
    enum Kind: String, Sendable { case table, index, trigger, view }

    var kind: Kind
    var name: String
    /// The table that it is or belongs to.
    var table: String
    /// Nil for an index that SQLite made for a constraint.
    var sql: String?
}

/// What a planner must know of the file that is to be changed.
struct MigrationSource: Sendable {
    var layout: StoreLayout
    /// The declared type of every column, by table and column name.
    var types: [String: [String: String]]
    var objects: [SchemaObject]
    /// The highest key that was ever given out, by root entity.
    var highestKeys: [Int: Int64]
    /// The numbers in `Z_PRIMARYKEY` that are no entity's of the model, by name.
    var otherRecords: [String: Int64] = [:]
    /// The names in `Z_PRIMARYKEY` that are neither the model's nor the history's, by number.
    var foreignRecords: [Int64: String?] = [:]
    /// The columns of others in tables of the model, by table.
    var foreignColumns: [String: [ForeignColumn]] = [:]
    /// The references that others have declared, also in tables of the model.
    var foreignKeys: [ForeignKey] = []

    /// Whether a table has a constraint beside its key.
    func hasConstraint(_ table: String) -> Bool {
        objects.contains { $0.kind == .index && $0.table == table && $0.sql == nil }
    }
}
