/// The progress of a migration.
package struct MigrationProgress: Sendable, Hashable {
    package enum Phase: String, Sendable, CaseIterable {
        /// The store is being copied. The unit is a page of the file.
        case copying
        /// The copy is being changed. The unit is a statement.
        case changing
        /// The copy is being verified. The unit is an entity.
        case verifying
        /// The copy is about to replace the store. This is the last time at which an error that is thrown cancels the
        /// migration.
        case replacing
    }

    package var phase: Phase
    package var done: Int
    package var total: Int

    /// The completed fraction of the whole migration, approximately: copying, changing and verifying take about equally
    /// long.
    var fraction: Double {
        let part = total > 0 ? Double(done) / Double(total) : 0
        return switch phase {
        case .copying: part / 3
        case .changing: (1 + part) / 3
        case .verifying: (2 + part) / 3
        case .replacing: 1
        }
    }
}

/// The results of a migration.
package struct MigrationReport: Sendable, Hashable {
    /// The number of objects of one entity of the source, and the entity that they were migrated to.
    package struct Entity: Sendable, Hashable {
        /// The name of the destination entity; nil for an entity whose objects were deleted.
        package var destination: String?
        package var source: String
        package var count: Int64
    }

    package var entities: [Entity] = []
    /// The rules of its model that the migrated store violates, and the third-party objects in the file that could not
    /// be retained.
    package var notes: [String] = []
    /// The number of files of external data that are no longer referenced by any object.
    package var removedFiles = 0
}
