#if PostgreSQL
import Foundation

/// The versions of a model that the tables of a store on a server serve, and what is left to do.
///
/// The store keeps it in its table `_sworm`, beside the metadata, the names and the model of the newest version.
struct ServerMigrationState: Sendable, Hashable {
    /// An older version that programs still use.
    struct Version: Sendable, Hashable, Codable {
        /// The version hashes by entity name.
        var hashes: [String: Data]
        /// The names that the version's properties have in the tables.
        var names: PostgresNames
    }

    /// The version hashes of the newest version; nil for a store that was never migrated, whose metadata have them.
    var current: [String: Data]?
    var older: [Version] = []
    /// The digests of the versions that are no longer served.
    var retired: Set<String> = []
    /// A migration whose tables are ready, and whose values are not.
    var prepared: PreparedMigration?
    /// The triggers, at most one for a table.
    var syncs: [ServerSync] = []
    var leftovers = ServerLeftovers()
    /// The work that programs do while they use the store.
    var work: [ServerWork] = []
    /// The indexes of the newest version; nil if they are not known.
    var indexes: ServerIndexes?
}

/// The parts of the tables that only older versions use.
struct ServerLeftovers: Sendable, Hashable, Codable {
    struct Column: Sendable, Hashable, Codable {
        var table: String
        var name: String
    }

    struct Index: Sendable, Hashable, Codable {
        var name: String
        /// The statement that creates the index, without its name.
        var definition: String
    }

    /// A column that has no default while a trigger fills it.
    struct Default: Sendable, Hashable, Codable {
        var table: String
        var column: String
        /// The value as SQL text.
        var value: String
    }

    var tables: [String] = []
    var columns: [Column] = []
    var indexes: [Index] = []
    var defaults: [Default] = []

    var isEmpty: Bool { tables.isEmpty && columns.isEmpty && indexes.isEmpty && defaults.isEmpty }
}

/// A step of the work that needs no exclusive lock for long, and is done while programs use the store.
struct ServerWork: Sendable, Hashable, Codable {
    enum Task: Sendable, Hashable, Codable {
        /// An index that is missing, with the statement that creates it, without the name.
        case index(name: String, definition: String, isUnique: Bool)
        /// A foreign key that does not yet hold for the rows that it was added to.
        case reference(table: String, constraint: String, column: String, target: String)
        /// A column that has a value in every row, and is to be declared NOT NULL.
        case required(table: String, column: String)
    }

    var task: Task
    /// The reason why the step failed the last time.
    var failure: String?
    /// The time of that failure by the server's clock, in seconds since 1970.
    var failureTime: Double?

    init(_ task: Task) { self.task = task }
}

/// Values that are computed for the present rows by parts, in the order of their keys.
struct ServerFill: Sendable, Hashable, Codable {
    var table: String
    /// The assignments of an UPDATE.
    var assignments: String
    /// The condition of the rows that need them.
    var condition: String
    /// The highest key that was treated.
    var progress: Int64 = 0
}

/// The part of a migration that remains after the tables were changed. Any program can finish it.
struct PreparedMigration: Sendable, Hashable, Codable {
    var hashes: [String: Data]
    var names: PostgresNames
    /// The archived model, if it is known.
    var model: Data?
    /// The framework's part of the metadata, as a property list.
    var metadata: Data
    var fills: [ServerFill]
    var syncs: [ServerSync]
    var leftovers: ServerLeftovers
    var work: [ServerWork]
    /// Whether older versions are still served afterwards.
    var keepsOlderVersions: Bool
    /// The indexes of the new version.
    var indexes: ServerIndexes?
}

// MARK: JSON

// Parts that are missing are those of a store that was never migrated.
extension ServerMigrationState: Codable {
    private enum CodingKeys: String, CodingKey {
        case current, older, retired, prepared, syncs, leftovers, work, indexes
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        current = try values.decodeIfPresent([String: Data].self, forKey: .current)
        older = try values.decodeIfPresent([Version].self, forKey: .older) ?? []
        retired = try values.decodeIfPresent(Set<String>.self, forKey: .retired) ?? []
        prepared = try values.decodeIfPresent(PreparedMigration.self, forKey: .prepared)
        syncs = try values.decodeIfPresent([ServerSync].self, forKey: .syncs) ?? []
        leftovers = try values.decodeIfPresent(ServerLeftovers.self, forKey: .leftovers) ?? ServerLeftovers()
        work = try values.decodeIfPresent([ServerWork].self, forKey: .work) ?? []
        indexes = try values.decodeIfPresent(ServerIndexes.self, forKey: .indexes)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(current, forKey: .current)
        if !older.isEmpty { try values.encode(older, forKey: .older) }
        if !retired.isEmpty { try values.encode(retired.sorted(), forKey: .retired) }
        try values.encodeIfPresent(prepared, forKey: .prepared)
        if !syncs.isEmpty { try values.encode(syncs, forKey: .syncs) }
        if !leftovers.isEmpty { try values.encode(leftovers, forKey: .leftovers) }
        if !work.isEmpty { try values.encode(work, forKey: .work) }
        try values.encodeIfPresent(indexes, forKey: .indexes)
    }

    /// The state as the store keeps it.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        }
    }
}

extension ServerMigrationState {
    /// Returns whether a newer version of the model uses the tables as well.
    func isOlder(_ hashes: [String: Data]) -> Bool { older.contains { $0.hashes == hashes } }

    /// Returns whether an index is created while the store is used.
    func creates(_ index: ServerIndex) -> Bool {
        work.contains {
            if case .index(index.name, _, _) = $0.task { true } else { false }
        }
    }
}

// MARK: Versions

extension ServerRecord {
    /// The version hashes of the newest version that the tables serve.
    var currentHashes: [String: Data] { migration.current ?? metadata.versionHashes }

    /// Returns whether a newer version of the model uses the tables as well, or is about to use them.
    func isOlder(_ hashes: [String: Data]) -> Bool { migration.prepared != nil || migration.isOlder(hashes) }

    /// Returns the names that a version of the model has in the tables, or nil if they do not serve it.
    func names(serving hashes: [String: Data]) -> PostgresNames? {
        if hashes == currentHashes { return names }
        return migration.older.first { $0.hashes == hashes }?.names
    }
}
#endif
