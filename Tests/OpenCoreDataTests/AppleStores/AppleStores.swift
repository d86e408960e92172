import Foundation
@testable import OpenCoreData
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

    /// Every version of every compiled model in the tree.
    static let compiledModels: [AppleModel] = {
        guard let folder = Fixtures.folder else { return [] }
        return Fixtures.paths.filter { $0.hasSuffix(".mom") }.map { path in
            AppleModel(testDescription: path) {
                try NSManagedObjectModel.load(contentsOf: folder.appendingPathComponent(path))
            }
        }
    }()

    /// The stores, each with every model that its hashes name: from XML or code, from a compiled model, and from the store
    /// itself.
    static let stores: [AppleStore] = {
        func hashes(_ models: [AppleModel]) -> [[String: Data]?] {
            models.map { try? $0.make().entityVersionHashesByName }
        }
        let kinds = [(models, hashes(models)), (compiledModels, hashes(compiledModels))]
        return storeURLs.flatMap { url -> [AppleStore] in
            let name = Fixtures.relative(url)
            guard let metadata = try? PlainStore(copyOf: url).metadata,
                let own = metadata["NSStoreModelVersionHashes"] as? [String: Data]
            else { return [] }
            var found = kinds.compactMap { models, hashes in
                hashes.firstIndex { $0 == own }.map { AppleStore(url: url, testDescription: name, model: models[$0]) }
            }
            if (try? StoredModel(ofStoreAt: url))?.source == .cache {
                let model = AppleModel(testDescription: "the cache of \(name)") {
                    try StoredModel(ofStoreAt: url).model
                }
                found.append(AppleStore(url: url, testDescription: "\(name), by its cache", model: model))
            }
            return found
        }
    }()

    /// What `verify` finds in each store before anything is written, by the store's description.
    static let originalIssues: [String: [String]] = Dictionary(
        stores.map { store in
            do {
                let (folder, url) = try store.copied()
                defer { withExtendedLifetime(folder) {} }
                let issues = try StoreVerification.issues(of: url, model: store.model.make().compiled())
                return (store.testDescription, issues)
            } catch {
                return (store.testDescription, ["it cannot be checked: \(error)"])
            }
        }, uniquingKeysWith: { one, other in one + other })

    /// The stores that are written to. Stores in which Apple's framework itself has left issues are omitted, because
    /// these issues could not be distinguished from ours.
    static let soundStores: [AppleStore] = stores.filter { originalIssues[$0.testDescription] == [] }

    static let soundURLs: Set<URL> = Set(soundStores.map(\.url))

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
        at url: URL? = nil, readOnly: Bool = false, options others: [AnyHashable: Any] = [:],
        _ body: (NSManagedObjectContext) throws -> Result
    ) throws -> Result {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try model.make())
        var options = others
        if readOnly { options[NSReadOnlyPersistentStoreOption] = true }
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url ?? self.url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        defer { try? coordinator.remove(store) }
        return try context.performAndWait { try body(context) }
    }
}
