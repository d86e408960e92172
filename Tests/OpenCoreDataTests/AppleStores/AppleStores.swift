import Foundation
import OpenCoreData
import SwormSQLite
import TestSupport
import Testing

/// One version of a model: read from a file, or built in code where the application did so too.
struct AppleModel: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var make: @Sendable () throws -> NSManagedObjectModel
}

/// A store that Apple's framework wrote, with the version of a model that its hashes name.
struct AppleStore: Sendable, CustomTestStringConvertible {
    var url: URL
    /// Relative to the folder of fixtures.
    var testDescription: String
    var model: AppleModel

    /// Whether the model is one that was read from a file, and not built in code.
    var isFromFile: Bool { AppleStores.fileModels.contains { $0.testDescription == model.testDescription } }

    /// The store's files in a folder of their own, under the names that they have.
    func copied() throws -> (folder: StoreFolder, url: URL) {
        let folder = try StoreFolder()
        return (folder, try Fixtures.copy(url, to: folder.url("")))
    }
}

/// What is in the folder of fixtures: any tree of stores and models, in which nothing has an agreed name.
enum AppleStores {
    static var folder: URL? { Fixtures.folder }

    static let missing = Comment(rawValue: Fixtures.missing)

    /// Every version of every model in the tree.
    static let fileModels: [AppleModel] = {
        guard let folder else { return [] }
        return Fixtures.paths.filter { $0.hasSuffix(".xcdatamodel") }.compactMap { path in
            let url = folder.appendingPathComponent(path, isDirectory: true)
            // A binary model of the oldest kind is refused on purpose.
            guard FileManager.default.fileExists(atPath: url.appendingPathComponent("contents").path) else {
                return nil
            }
            return AppleModel(testDescription: path) { try #require(NSManagedObjectModel(contentsOf: url)) }
        }
    }()

    static let models: [AppleModel] = fileModels + LibraryStoreModel.versions

    /// Every file of the tree that is an SQLite database with Core Data's table of metadata.
    static let storeURLs: [URL] = Fixtures.databases.filter { url in
        (try? PlainStore(copyOf: url).tables["Z_METADATA"]) != nil
    }

    /// The stores whose hashes name one of the models.
    static let stores: [AppleStore] = {
        let hashes = models.map { try? $0.make().entityVersionHashesByName }
        return storeURLs.compactMap { url in
            guard let metadata = try? PlainStore(copyOf: url).metadata,
                let own = metadata["NSStoreModelVersionHashes"] as? [String: Data],
                let index = hashes.firstIndex(where: { $0 == own })
            else { return nil }
            return AppleStore(url: url, testDescription: Fixtures.relative(url), model: models[index])
        }
    }()

    /// The content of every file of a folder, by path.
    static func contents(of folder: URL) throws -> [String: Data] {
        var result: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            result[path] = FileManager.default.contents(atPath: folder.appendingPathComponent(path).path) ?? Data()
        }
        return result
    }
}

extension AppleStore {
    /// Opens a store through the public API and hands out a context on it.
    func withContext<Result>(
        at url: URL? = nil, readOnly: Bool = false, _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model.make())
        let options: [AnyHashable: Any]? = readOnly ? [NSReadOnlyPersistentStoreOption: true] : nil
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url ?? self.url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        defer { try? coordinator.remove(store) }
        return try context.performAndWait { try body(context) }
    }
}
