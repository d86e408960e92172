import Foundation
import SwormPredicates
import SwormSQLite

/// The stores in memory that coordinators of the process share by their names.
///
/// All of them use one connection. The content exists until the last of them is closed.
enum SharedMemory {
    /// The use of a shared store by one of its stores.
    struct Use: Sendable {
        fileprivate let name: String
        /// The number of this use among those of the shared store.
        fileprivate let number: Int

        /// The numbers of the views of this use, which are unique among all views of the connection.
        var sessions: Range<Int> { number << 32..<(number + 1) << 32 }
    }

    private struct Shared: Sendable {
        let open: OpenStore
        let model: CompiledModel
        /// The number of stores that use it.
        var users = 0
        /// The number of stores that have used it so far.
        var uses = 0

        mutating func join(_ name: String) -> Use {
            users += 1
            uses += 1
            return Use(name: name, number: uses)
        }
    }

    private static let stores = Locked<[String: Shared]>([:])

    /// Opens the store with a name, and creates it if no store has it open.
    ///
    /// - Throws: ``CoreDataError`` if the store was created with another version of the model, or if it does not exist and
    ///   is to be read only.
    static func open(
        named name: String, url: URL, model: CompiledModel, options: StoreOptions
    ) throws -> SQLiteStore {
        var created: SQLiteStore?
        let (shared, use) = try stores.withLock { stores in
            if var shared = stores[name] {
                let use = shared.join(name)
                stores[name] = shared
                return (shared, use)
            }
            guard !options.isReadOnly else { throw missing(url) }
            let (open, metadata) = try SQLiteStore.makeInMemory(
                type: StoreMetadata.sqliteType, model: model, options: options)
            var shared = Shared(open: open, model: model)
            let use = shared.join(name)
            stores[name] = shared
            created = SQLiteStore(
                url: url, files: nil, model: model, options: options, metadata: metadata, open: open, use: use)
            return (shared, use)
        }
        if let created { return created }
        do {
            let inspection = try inspect(shared.open, url: url)
            try inspection.check(against: model, path: url.path)
            try check(model, against: shared.model, path: url.path)
            if options.tracksHistory, !inspection.keepsHistory {
                try shared.open.pool.withWriter { try HistorySchema.add(to: $0, model: model) }
            }
            return SQLiteStore(
                url: url, files: nil, model: model, options: options, metadata: inspection.metadata, open: shared.open,
                use: use)
        } catch {
            if leave(use) { shared.open.pool.retire() }
            throw error
        }
    }

    /// Ends a use.
    ///
    /// - Returns: Whether it was the last one, so that the store is to be closed.
    static func leave(_ use: Use) -> Bool {
        stores.withLock { stores in
            guard var shared = stores[use.name] else { return true }
            shared.users -= 1
            stores[use.name] = shared.users > 0 ? shared : nil
            return shared.users == 0
        }
    }

    /// Returns the metadata of the store with a name.
    static func metadata(named name: String, url: URL) throws -> [String: Any] {
        guard let shared = stores.withLock({ $0[name] }) else { throw missing(url) }
        return try inspect(shared.open, url: url).metadata.dictionary
    }

    private static func inspect(_ open: OpenStore, url: URL) throws -> StoreInspection {
        try CoreDataError.translating(while: "open", path: url.path) {
            let connection = try open.pool.takeReader()
            defer { open.pool.giveBack(connection) }
            return try StoreInspection(connection, path: url.path)
        }
    }

    /// Throws an error if a model of the same version has other positions of its properties than the model that the store
    /// was created with: the statements of the connection are shared.
    private static func check(_ model: CompiledModel, against other: CompiledModel, path: String) throws {
        guard model !== other, !model.hasSameSlots(as: other) else { return }
        throw CoreDataError(
            NSPersistentStoreOpenError,
            "The store '\(path)' in memory is open with a model of the same version that has other properties which are not stored. Use one model for all its coordinators."
        )
    }

    private static func missing(_ url: URL) -> CoreDataError {
        CoreDataError(
            CocoaError.Code.fileReadNoSuchFile.rawValue,
            "There is no store '\(url.path)': no coordinator of this process has it open. Open it for writing first.")
    }
}

extension CompiledModel {
    /// Returns whether the properties of another model have the same positions.
    fileprivate func hasSameSlots(as other: CompiledModel) -> Bool {
        entities.elementsEqual(other.entities) { one, other in
            guard one.name == other.name, one.family == other.family else { return false }
            let haveSameAttributes = one.attributes.elementsEqual(other.attributes) {
                $0.name == $1.name && $0.type == $1.type && $0.isTransient == $1.isTransient && $0.owner == $1.owner
            }
            let haveSameRelationships = one.relationships.elementsEqual(other.relationships) {
                $0.name == $1.name && $0.destination == $1.destination && $0.inverse == $1.inverse
                    && $0.isToMany == $1.isToMany && $0.isTransient == $1.isTransient
            }
            return haveSameAttributes && haveSameRelationships
        }
    }
}
