/// How far a migration is.
package struct MigrationProgress: Sendable, Hashable {
    package enum Phase: String, Sendable, CaseIterable {
        /// The store is copied. The unit is a page of the file.
        case copying
        /// The copy is changed. The unit is a statement.
        case changing
        /// The copy is checked. The unit is an entity.
        case verifying
        /// The copy takes the store's place. What is thrown now cancels the migration for the last time.
        case replacing
    }

    package var phase: Phase
    package var done: Int
    package var total: Int

    /// How much of the whole is done, by and large: copying, changing and checking take about as long.
    package var fraction: Double {
        let part = total > 0 ? Double(done) / Double(total) : 0
        return switch phase {
        case .copying: part / 3
        case .changing: (1 + part) / 3
        case .verifying: (2 + part) / 3
        case .replacing: 1
        }
    }
}

/// What a migration has done.
package struct MigrationReport: Sendable, Hashable {
    /// How many objects of an entity became how many of which other one.
    package struct Entity: Sendable, Hashable {
        /// Nil for an entity whose objects went.
        package var destination: String?
        package var source: String
        package var count: Int64
    }

    package var entities: [Entity] = []
    /// What the migrated store breaks of the rules of its model, and what others had put into the file and could not stay.
    package var notes: [String] = []
    /// The files of external data that no object has any more.
    package var removedFiles = 0
}
