/// How far a migration is.
struct MigrationProgress: Sendable, Hashable {
    enum Phase: String, Sendable, CaseIterable {
        /// The store is copied. The unit is a page of the file.
        case copying
        /// The copy is changed. The unit is a statement.
        case changing
        /// The copy is checked. The unit is an entity.
        case verifying
        /// The copy takes the store's place. This cannot be cancelled any more.
        case replacing
    }

    var phase: Phase
    var done: Int
    var total: Int
}

/// What a migration has done.
struct MigrationReport: Sendable, Hashable {
    /// How many objects of an entity became how many of which other one.
    struct Entity: Sendable, Hashable {
        /// Nil for an entity whose objects went.
        var destination: String?
        var source: String
        var count: Int64
    }

    var entities: [Entity] = []
    /// What the migrated store breaks of the rules of its model, and what others had put into the file and could not stay.
    var notes: [String] = []
    /// The files of external data that no object has any more.
    var removedFiles = 0
}
