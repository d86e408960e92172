import Foundation
import SwormSQLite

extension SQLiteStore {
    /// Creates a store that exists in memory only.
    static func inMemory(
        url: URL? = nil, model: CompiledModel, options: StoreOptions = StoreOptions()
    ) throws -> SQLiteStore {
        let type = url == nil ? StoreMetadata.inMemoryType : StoreMetadata.sqliteType
        let (open, metadata) = try makeInMemory(type: type, model: model, options: options)
        return SQLiteStore(url: url, files: nil, model: model, options: options, metadata: metadata, open: open)
    }

    /// Creates a store in memory.
    ///
    /// - Parameter fill: Writes the tables and rows of the store, and returns its metadata and the layout of its tables.
    static func inMemory(
        model: CompiledModel, options: StoreOptions,
        filledBy fill: (StoreConnection) throws -> (StoreMetadata, StoreLayout)
    ) throws -> SQLiteStore {
        let (open, metadata) = try makeInMemory(model: model, options: options, filledBy: fill)
        return SQLiteStore(url: nil, files: nil, model: model, options: options, metadata: metadata, open: open)
    }

    /// Makes the connection and the tables of a store in memory.
    static func makeInMemory(
        type: String, model: CompiledModel, options: StoreOptions
    ) throws -> (OpenStore, StoreMetadata) {
        try makeInMemory(model: model, options: options) { connection in
            let metadata = StoreMetadata(newStoreOf: type, model: model)
            let layout = StoreLayout(model: model)
            try connection.base.transaction(.immediate) {
                try fill(connection, metadata: metadata, model: model, layout: layout, options: options)
            }
            return (metadata, layout)
        }
    }

    private static func makeInMemory(
        model: CompiledModel, options: StoreOptions,
        filledBy fill: (StoreConnection) throws -> (StoreMetadata, StoreLayout)
    ) throws -> (OpenStore, StoreMetadata) {
        try CoreDataError.translating(while: "make", path: nil) {
            let connection = try StoreConnection(
                Connection(
                    .memory(name: "store"),
                    options: .init(busyTimeout: options.busyTimeout, cacheSizeKiB: options.cacheSizeKiB)))
            connection.base.watch = options.watch
            try StoreFunctions.register(on: connection.base, changes: connection.changes)
            let (metadata, layout) = try fill(connection)
            try limit(connection, by: options)
            let pool = ConnectionPool(
                kind: .single, writer: connection, timeout: options.busyTimeout, idleReaders: options.idleReaders
            ) {
                throw CoreDataError.storeIsClosed
            }
            let open = OpenStore(
                pool: pool, model: model, layout: layout, identifier: metadata.identifier, place: nil, path: nil)
            return (open, metadata)
        }
    }
}
