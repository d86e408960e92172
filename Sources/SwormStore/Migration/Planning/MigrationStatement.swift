/// A statement of a migration, with the values for its parameters: the first belongs to `?1`.
struct MigrationStatement: Sendable, Hashable, ExpressibleByStringInterpolation {
    var sql: String
    var values: [StoredValue] = []
    /// The alternative that is run if SQLite rejects the statement; nil for none.
    var otherwise: Otherwise?

    struct Otherwise: Sendable, Hashable {
        var sql: String
        /// The note that describes the consequence, without its reason and without a final period.
        var note: String
    }

    init(_ sql: String, binding values: [StoredValue] = []) {
        self.sql = sql
        self.values = values
    }

    init(stringLiteral sql: String) { self.init(sql) }
}

/// The complete plan that migrates a store from one model to another, in the order of its execution.
struct MigrationPlan: Sendable {
    /// The statements that change tables and rows. No index and no trigger exists while they run.
    var changes: [MigrationStatement] = []
    /// The unique indexes that will be created; their rows are checked for duplicates first.
    var uniqueIndexes: [SchemaIndex] = []
    /// The statements that create indexes and triggers, and that record the entities of the rows.
    var completion: [MigrationStatement] = []
    /// The third-party objects in the file that are removed for the changes, and must be recreated afterwards.
    var foreign: [SchemaObject] = []
    /// The R-trees that are retained as long as their triggers are.
    var trees: [LocationTree] = []
    /// The third-party tables that have references to tables of the model.
    var referring: Set<String> = []
    /// Notes about the third-party objects that cannot be retained.
    var notes: [String] = []
}

/// An object in a file's schema.
struct SchemaObject: Sendable, Hashable {
    enum Kind: String, Sendable { case table, index, trigger, view }

    var kind: Kind
    var name: String
    /// The name of the table, or of the table that the object belongs to.
    var table: String
    /// The SQL of the object; nil for an index that SQLite created for a constraint.
    var sql: String?
}

/// The information that a planner needs about the file that is migrated.
struct MigrationSource: Sendable {
    var layout: StoreLayout
    /// The declared type of every column, by table and column name.
    var types: [String: [String: String]]
    var objects: [SchemaObject]
    /// The highest key that was ever assigned, by root entity.
    var highestKeys: [Int: Int64]
    /// The numbers in `Z_PRIMARYKEY` that do not belong to an entity of the model, by name.
    var otherRecords: [String: Int64] = [:]
    /// The names in `Z_PRIMARYKEY` that belong neither to the model nor to the history, by number.
    var foreignRecords: [Int64: String?] = [:]
    /// The third-party columns in tables of the model, by table.
    var foreignColumns: [String: [UnmanagedColumn]] = [:]
    /// The references that third parties have declared, including those in tables of the model.
    var foreignKeys: [ForeignKey] = []

    /// Returns whether a table has a constraint besides its primary key.
    func hasConstraint(_ table: String) -> Bool {
        objects.contains { $0.kind == .index && $0.table == table && $0.sql == nil }
    }
}
