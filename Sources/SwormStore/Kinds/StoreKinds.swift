import SwormPredicates

/// The kinds of stores that a coordinator can open, by type.
package enum StoreKinds {
    private static let kinds = Locked(standard)

    private static var standard: [String: StoreKind] {
        #if PostgreSQL
        [NSSQLiteStoreType: .sqlite, NSInMemoryStoreType: .inMemory, SwormPostgreSQLStoreType: .postgres]
        #else
        [NSSQLiteStoreType: .sqlite, NSInMemoryStoreType: .inMemory]
        #endif
    }

    /// Adds a kind, or replaces the one with the same type.
    static func register(_ kind: StoreKind) { kinds.withLock { $0[kind.type] = kind } }

    /// The kind with a type.
    ///
    /// - Throws: ``CoreDataError`` with the code `NSPersistentStoreInvalidTypeError` that lists the types there are.
    package static func kind(ofType type: String) throws -> StoreKind {
        let kinds = kinds.withLock { $0 }
        if let kind = kinds[type] { return kind }
        let names = kinds.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
        throw CoreDataError(
            NSPersistentStoreInvalidTypeError, "Unknown store type '\(type)'. Use one of these: \(names).")
    }
}
