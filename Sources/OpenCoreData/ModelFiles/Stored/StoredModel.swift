public import Foundation
import SwormSQLite
import SwormStore

/// The model of a store, found in the store itself.
///
/// A store that was written since iOS 9 contains the model that it was written with. For an older store, the model is
/// inferred from its tables as far as possible.
///
/// ```swift
/// let stored = try StoredModel(ofStoreAt: url)
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: stored.model)
/// ```
public struct StoredModel {
    /// The source of a model.
    public enum Source: String, Sendable, Hashable {
        /// The store's table `Z_MODELCACHE`, which contains the exact model that the store was written with.
        case cache
        /// The tables of the store. The spelling of names, the inverses of some relationships, required properties, and
        /// default values are not known. A store is read with such a model, but is only written if the option
        /// `SwormWritesWithInferredModelOption` is set; saves that are ambiguous for the tables are then rejected.
        case inferred
    }

    /// The model.
    public let model: NSManagedObjectModel
    /// The source of the model.
    public let source: Source
    /// Human-readable notes about parts that could not be read or decided.
    public let notes: [String]

    /// Reads the model of a store. The store is not changed, and need not match any model.
    ///
    /// - Parameter url: The file URL of the store.
    /// - Throws: An error of the Cocoa domain if there is no store, or if the store contains no information about a
    ///   model.
    public init(ofStoreAt url: URL) throws {
        self = try throwingCocoaErrors { try StoredModel(ofStoreAt: url, ignoresCache: false) }
    }

    /// Reads the model of a store, optionally without its cache.
    ///
    /// - Parameter ignoresCache: Whether the model is always inferred.
    init(ofStoreAt url: URL, ignoresCache: Bool) throws {
        let files = StoreFiles(url: url)
        let (inspection, _, connection) = try SQLiteStore.inspect(files, options: StoreOptions())
        var notes: [String] = []
        if !ignoresCache {
            do {
                if let found = try Self.cached(in: connection, inspection, path: files.main) {
                    (model, source, self.notes) = (found.model, .cache, found.notes)
                    return
                }
                notes.append("The store has no copy of its model. The model was inferred from its tables.")
            } catch {
                notes.append("The store's copy of its model cannot be used: \((error as NSError).localizedDescription)")
            }
        }
        var inference = try CoreDataError.translating(while: "read", path: files.main) {
            try ModelInference(connection, inspection: inspection)
        }
        model = try inference.model()
        source = .inferred
        self.notes = notes + inference.notes
    }

    /// Returns the model in the content of a cache.
    ///
    /// - Parameter source: The name of the cache in messages.
    package static func model(
        inCache content: Data, source: String
    ) throws -> (model: NSManagedObjectModel, notes: [String]) {
        let archive: Data
        do {
            archive = try Deflate.inflate(content, limit: ModelArchiveReader.cacheLimit)
        } catch {
            throw CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue, "\(source) cannot be read: \(error).")
        }
        let model = NSManagedObjectModel()
        return (model, try ModelArchiveReader.read(archive, source: source, into: model))
    }

    /// Returns the model in the cache; nil for a store without a cache.
    private static func cached(
        in connection: StoreConnection, _ inspection: StoreInspection, path: String
    ) throws -> (model: NSManagedObjectModel, notes: [String])? {
        guard inspection.columns["Z_MODELCACHE"]?.contains("Z_CONTENT") ?? false else { return nil }
        var content: Data?
        try connection.rows("SELECT Z_CONTENT FROM Z_MODELCACHE WHERE Z_CONTENT IS NOT NULL LIMIT 1") {
            content = $0.data(0)
        }
        guard let content else { return nil }
        let source = "The model cache of '\(path)'"
        let (model, notes) = try Self.model(inCache: content, source: source)
        let hashes = inspection.metadata.versionHashes
        // A store of a configuration has only some of the model's entities.
        let own = model.entityVersionHashesByName
        guard hashes.allSatisfy({ own[$0.key] == $0.value }) else {
            let lines = differences(between: model, and: hashes, named: ("the cache", "the store"))
            throw CoreDataError(
                NSPersistentStoreIncompatibleVersionHashError,
                "\(source) is not the model that the store was written with: \(lines.prefix(5).joined(separator: " "))"
            )
        }
        // A model that no store can be opened with is not useful either.
        _ = try model.compiled()
        // The parts that were left out do not affect any hash, so the model still matches.
        return (model, notes)
    }
}
