import CSwormSQLite

extension SQLiteError {
    package static let error = SQLITE_ERROR
    static let internalError = SQLITE_INTERNAL
    package static let permission = SQLITE_PERM
    static let abort = SQLITE_ABORT
    package static let busy = SQLITE_BUSY
    package static let locked = SQLITE_LOCKED
    static let outOfMemory = SQLITE_NOMEM
    package static let readOnly = SQLITE_READONLY
    package static let interrupt = SQLITE_INTERRUPT
    package static let ioError = SQLITE_IOERR
    package static let corrupt = SQLITE_CORRUPT
    static let notFound = SQLITE_NOTFOUND
    package static let full = SQLITE_FULL
    package static let cannotOpen = SQLITE_CANTOPEN
    static let locking = SQLITE_PROTOCOL
    static let schema = SQLITE_SCHEMA
    package static let tooBig = SQLITE_TOOBIG
    package static let constraint = SQLITE_CONSTRAINT
    package static let mismatch = SQLITE_MISMATCH
    package static let misuse = SQLITE_MISUSE
    static let noLargeFiles = SQLITE_NOLFS
    package static let authorization = SQLITE_AUTH
    package static let range = SQLITE_RANGE
    package static let notADatabase = SQLITE_NOTADB

    // The C header builds extended codes with shifts, which Swift does not import.
    static let busyRecovery = SQLITE_BUSY | (1 << 8)
    package static let busySnapshot = SQLITE_BUSY | (2 << 8)
    static let readOnlyDirectory = SQLITE_READONLY | (6 << 8)
    package static let abortRollback = SQLITE_ABORT | (2 << 8)
    package static let constraintCheck = SQLITE_CONSTRAINT | (1 << 8)
    package static let constraintForeignKey = SQLITE_CONSTRAINT | (3 << 8)
    package static let constraintNotNull = SQLITE_CONSTRAINT | (5 << 8)
    package static let constraintPrimaryKey = SQLITE_CONSTRAINT | (6 << 8)
    static let constraintTrigger = SQLITE_CONSTRAINT | (7 << 8)
    package static let constraintUnique = SQLITE_CONSTRAINT | (8 << 8)
    static let constraintRowID = SQLITE_CONSTRAINT | (10 << 8)

    private static let names: [Int32: String] = [
        error: "SQLITE_ERROR", internalError: "SQLITE_INTERNAL", permission: "SQLITE_PERM", abort: "SQLITE_ABORT",
        busy: "SQLITE_BUSY", locked: "SQLITE_LOCKED", outOfMemory: "SQLITE_NOMEM", readOnly: "SQLITE_READONLY",
        interrupt: "SQLITE_INTERRUPT", ioError: "SQLITE_IOERR", corrupt: "SQLITE_CORRUPT",
        notFound: "SQLITE_NOTFOUND", full: "SQLITE_FULL", cannotOpen: "SQLITE_CANTOPEN", locking: "SQLITE_PROTOCOL",
        schema: "SQLITE_SCHEMA", tooBig: "SQLITE_TOOBIG", constraint: "SQLITE_CONSTRAINT",
        mismatch: "SQLITE_MISMATCH", misuse: "SQLITE_MISUSE", noLargeFiles: "SQLITE_NOLFS",
        authorization: "SQLITE_AUTH", range: "SQLITE_RANGE", notADatabase: "SQLITE_NOTADB",
        busyRecovery: "SQLITE_BUSY_RECOVERY", busySnapshot: "SQLITE_BUSY_SNAPSHOT",
        readOnlyDirectory: "SQLITE_READONLY_DIRECTORY", abortRollback: "SQLITE_ABORT_ROLLBACK",
        constraintCheck: "SQLITE_CONSTRAINT_CHECK", constraintForeignKey: "SQLITE_CONSTRAINT_FOREIGNKEY",
        constraintNotNull: "SQLITE_CONSTRAINT_NOTNULL", constraintPrimaryKey: "SQLITE_CONSTRAINT_PRIMARYKEY",
        constraintTrigger: "SQLITE_CONSTRAINT_TRIGGER", constraintUnique: "SQLITE_CONSTRAINT_UNIQUE",
        constraintRowID: "SQLITE_CONSTRAINT_ROWID",
    ]

    /// Returns the name of a code as in SQLite's documentation. An unknown detail is represented by its number.
    package static func name(of code: Int32) -> String {
        if let name = names[code] { return name }
        if let name = names[code & 0xFF] { return "\(name) (\(code))" }
        return "SQLite code \(code)"
    }
}
