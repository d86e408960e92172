public import Foundation
import SwormSQLite
import SwormStore

/// The model of a store, found in the store itself.
///
/// A store that was written since iOS 9 carries the model that it was written with. Of an older one the model is inferred
/// from its tables, as well as they tell.
///
/// ```swift
/// let stored = try StoredModel(ofStoreAt: url)
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: stored.model)
/// ```
public struct StoredModel {
    /// Where a model was found.
    public enum Source: String, Sendable, Hashable {
        /// In the store's table `Z_MODELCACHE`: the very model that the store was written with.
        case cache
        /// Worked out from the tables. The spelling of names, the other ends of some relationships, what is required, and
        /// default values are not known. A store is read with such a model, and written only where the option
        /// `SwormWritesWithInferredModelOption` asks for it: then saves that the tables leave unclear are refused.
        case inferred
    }

    /// The model.
    public let model: NSManagedObjectModel
    /// Where it was found.
    public let source: Source
    /// What could not be read or decided, for people.
    public let notes: [String]

    /// Reads the model of a store. The store is not changed, and need not fit anything.
    ///
    /// - Parameter url: The file URL of the store.
    /// - Throws: An error of the Cocoa domain when there is no store, or nothing in it tells of a model.
    public init(ofStoreAt url: URL) throws {
        try self.init(ofStoreAt: url, ignoresCache: false)
    }

    /// - Parameter ignoresCache: Whether the model is inferred in any case.
    package init(ofStoreAt url: URL, ignoresCache: Bool) throws {
        let files = StoreFiles(url: url)
        let (inspection, _, connection) = try SQLiteStore.inspect(files, options: StoreOptions())
        var notes: [String] = []
        if !ignoresCache {
            do {
                if let found = try Self.cached(in: connection, inspection, path: files.main) {
                    (model, source, self.notes) = (found.model, .cache, found.notes)
                    return
                }
                notes.append("The store has no copy of its model. What is said of it was inferred from its tables.")
            } catch {
                notes.append("The store's copy of its model is of no use: \((error as NSError).localizedDescription)")
            }
        }
        var inference = try CoreDataError.translating(while: "read", path: files.main) {
            try ModelInference(connection, inspection)
        }
        model = try inference.model()
        source = .inferred
        self.notes = notes + inference.notes
    }

    /// The model that the content of a cache is.
    ///
    /// - Parameter source: The cache, as messages call it.
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

    /// The model in the cache; nil for a store without.
    private static func cached(
        in connection: StoreConnection, _ inspection: StoreInspection, path: String
    ) throws -> (model: NSManagedObjectModel, notes: [String])? {
        guard inspection.columns["Z_MODELCACHE"]?.contains("Z_CONTENT") ?? false else { return nil }
        var content: Data?
        try connection.rows("SELECT Z_CONTENT FROM Z_MODELCACHE WHERE Z_CONTENT IS NOT NULL LIMIT 1") {
            content = $0.data(0)
        }
        guard let content else { return nil }
        let source = "The model cache of “\(path)”"
        let (model, notes) = try Self.model(inCache: content, source: source)
        let hashes = inspection.metadata.versionHashes
        // A store of a configuration holds some of the model's entities.
        let own = model.entityVersionHashesByName
        guard hashes.allSatisfy({ own[$0.key] == $0.value }) else {
            let lines = differences(between: model, and: hashes, named: ("the cache", "the store"))
            throw CoreDataError(
                NSPersistentStoreIncompatibleVersionHashError,
                "\(source) is another model than the one that the store was written with: \(lines.prefix(5).joined(separator: " "))"
            )
        }
        // One that no store can be opened with is of no use either.
        _ = try model.compiled()
        // What was left out can be of no hash, so the model is still the right one.
        return (model, notes)
    }
}
