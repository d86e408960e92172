import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Models from archives that Apple's framework and compiler wrote, compared with the XML that they came from.
@Suite("Models in stores and compiled models", .enabled(if: Fixtures.folder != nil, AppleStores.missing))
struct StoredModelTests {
    @Test(arguments: AppleStores.storeURLs)
    func `the model in a store is the one that it was written with`(_ url: URL) throws {
        let metadata = try PlainStore(copyOf: url).metadata
        let hashes = try #require(metadata["NSStoreModelVersionHashes"] as? [String: Data])
        let stored = try StoredModel(ofStoreAt: url)
        guard stored.source == .cache else {
            print("\(Fixtures.relative(url)): no cache")
            return
        }
        #expect(stored.model.entityVersionHashesByName == hashes)
        // Defaults of an application's own classes cannot be said.
        #expect(stored.notes.allSatisfy { $0.contains("default value") }, "\(stored.notes)")
        _ = try stored.model.compiled()
    }

    @Test(arguments: AppleStores.stores)
    func `the model in a store equals the XML`(_ store: AppleStore) throws {
        let stored = try StoredModel(ofStoreAt: store.url)
        guard stored.source == .cache, store.isFromFile else { return }
        // An application may name classes and versions when it runs.
        func plain(_ model: NSManagedObjectModel) -> [String] {
            outline(of: model).filter { !$0.contains(": class ") && !$0.hasPrefix("identifiers") }
        }
        let found = plain(stored.model)
        let written = try store.model.make()
        if try PlainStore(copyOf: store.url).frameworkVersion >= 847 { try compileIndexes(of: written) }
        let expected = plain(written)
        #expect(found.filter { !expected.contains($0) } == [])
        #expect(expected.filter { !found.contains($0) } == [])
    }

    /// Makes fetch indexes of compound ones, as Apple's model compiler does since there are fetch indexes.
    private func compileIndexes(of model: NSManagedObjectModel) throws {
        for entity in model.entities {
            entity.indexes += try entity.compoundIndexNames.map { names in
                let elements = try names.map { name in
                    NSFetchIndexElementDescription(
                        property: try #require(entity.propertiesByName[name]), collationType: .binary)
                }
                return NSFetchIndexDescription(name: names.joined(separator: "_"), elements: elements)
            }
            entity.compoundIndexes = []
        }
    }

    @Test(arguments: Fixtures.paths.filter { $0.hasSuffix(".momd") })
    func `compiled models equal the XML`(_ path: String) throws {
        let folder = try #require(Fixtures.folder).appendingPathComponent(path, isDirectory: true)
        let source = folder.deletingPathExtension().appendingPathExtension("xcdatamodeld")
        let compiled = try NSManagedObjectModel.versions(at: folder)
        let written = try NSManagedObjectModel.versions(at: source)
        #expect(compiled.map(\.name) == written.map(\.name))
        #expect(
            try NSManagedObjectModel.currentVersionName(at: folder)
                == NSManagedObjectModel.currentVersionName(at: source))
        for (one, other) in zip(compiled, written) {
            #expect(outline(of: one.model) == outline(of: other.model), "\(one.name)")
        }
        #expect(NSManagedObjectModel(contentsOf: folder) != nil)
    }

    @Test(arguments: Fixtures.paths.filter { $0.hasSuffix(".omo") })
    func `an optimized model is rejected with the way to the compiled one`(_ path: String) throws {
        let file = try #require(Fixtures.folder).appendingPathComponent(path)
        let error = #expect(throws: CoreDataError.self) { try NSManagedObjectModel.load(contentsOf: file) }
        #expect(error?.message.contains(".mom file of the same name") == true)
    }

    @Test(arguments: AppleStores.storeURLs)
    func `our archive of a model has the classes and keys of Apple's`(_ url: URL) throws {
        let plain = try PlainStore(copyOf: url)
        guard let apple = try Self.cacheVocabulary(of: plain) else { return }
        let ours = try Self.vocabulary(ModelArchiveWriter.archive(of: StoredModel(ofStoreAt: url).model))
        // Before iOS 11 models had no fetch indexes.
        let era = plain.metadata["NSPersistenceFrameworkVersion"] as? Int ?? 0
        let later: Set<String> = [
            "NSFetchIndexDescription", "NSFetchIndexElementDescription", "NSFetchIndexDescriptions",
        ]
        for (name, keys) in ours where era >= 847 || !later.contains(name) {
            // Which list or set an empty value is differs between Apple's own archives.
            let known = try #require(apple[name] ?? Self.cacheVocabularies[name], "\(name)")
            #expect(keys.subtracting(known).subtracting(era >= 847 ? [] : later) == [], "\(name)")
        }
        // What the compiler adds for older systems, what cannot be said, and other forms of what ours has: mutable ones,
        // and those of inherited properties.
        let others = apple.keys.filter { ours[$0] == nil }
        let forms: Set = [
            "NSSortDescriptor", "NSMutableArray", "NSMutableSet", "NSMutableString", "_NSPropertyDescriptionProxy",
        ]
        #expect(others.allSatisfy { forms.contains($0) || $0.contains(".") }, "\(others)")
        for (name, keys) in apple {
            #expect(keys.subtracting(ours[name] ?? keys).subtracting(["NSCompoundIndexes"]) == [], "\(name)")
        }
    }

    /// The keys of each class in the archives of all stores.
    private static let cacheVocabularies: [String: Set<String>] = AppleStores.storeURLs.reduce(into: [:]) { all, url in
        guard let plain = try? PlainStore(copyOf: url), let own = try? cacheVocabulary(of: plain) else { return }
        all.merge(own) { $0.union($1) }
    }

    private static func cacheVocabulary(of store: PlainStore) throws -> [String: Set<String>]? {
        guard case .blob(let bytes)? = store.rows["Z_MODELCACHE"]?.first?["Z_CONTENT"] else { return nil }
        return try vocabulary(Deflate.inflate(Data(bytes), limit: 1 << 24))
    }

    /// The keys of each class in an archive.
    private static func vocabulary(_ data: Data) throws -> [String: Set<String>] {
        let list = try BinaryPropertyList(data)
        func fields(_ number: Int) -> [String: Int] {
            guard case .dictionary(let keys, let values) = list.node(number) else { return [:] }
            var result: [String: Int] = [:]
            for (key, value) in zip(keys, values) {
                if case .string(let name) = list.node(key) { result[name] = value }
            }
            return result
        }
        guard let entries = fields(list.root)["$objects"], case .array(let objects) = list.node(entries) else {
            return [:]
        }
        var result: [String: Set<String>] = [:]
        for object in objects {
            let own = fields(object)
            guard let link = own["$class"], case .uid(let uid) = list.node(link),
                let name = fields(objects[uid])["$classname"], case .string(let className) = list.node(name)
            else { continue }
            result[className, default: []].formUnion(own.keys)
        }
        return result
    }

    @Test(arguments: AppleStores.storeURLs)
    func `a store is read with a model that was inferred from it`(_ url: URL) throws {
        let plain = try PlainStore(copyOf: url)
        let inferred = try StoredModel(ofStoreAt: url, ignoresCache: true)
        #expect(inferred.source == .inferred)
        let store = AppleStore(
            url: url, testDescription: "",
            model: AppleModel(testDescription: "inferred") {
                try StoredModel(ofStoreAt: url, ignoresCache: true).model
            })
        try store.withContext(readOnly: true) { context in
            for entity in inferred.model.entities where entity.superentity == nil {
                let name = try #require(entity.name)
                let request = NSFetchRequest<NSManagedObject>(entityName: name)
                let objects = try context.fetch(request)
                let rows = plain.rows["Z" + PlainModel.upper(name)]?.count ?? 0
                #expect(objects.count == rows, "\(name)")
                for object in objects {
                    for property in object.entity.properties { _ = object.value(forKey: property.name) }
                }
            }
        }
        let folder = try StoreFolder()
        let copy = try Fixtures.copy(url, to: folder.url(""))
        #expect(throws: CocoaError.self) { try store.withContext(at: copy) { _ in } }
    }

    @Test func `inferred relationships are correct`() throws {
        var found = 0
        var missed: [String] = []
        for store in AppleStores.stores where store.isFromFile {
            let inferred = try StoredModel(ofStoreAt: store.url, ignoresCache: true).model
            for entity in try store.model.make().entities {
                for relationship in entity.ownProperties.compactMap({ $0 as? NSRelationshipDescription }) {
                    // Only keys and joins are in the tables; the other side of a key is nowhere.
                    let isJoin = relationship.isToMany && relationship.inverseRelationship?.isToMany == true
                    guard isJoin || !relationship.isToMany else { continue }
                    let other = entity.name.flatMap { inferred.entitiesByName[$0] }?
                        .relationshipsByName[relationship.name.lowercased()]
                    guard let other else {
                        missed.append("\(store.testDescription): \(entity.name ?? "").\(relationship.name)")
                        continue
                    }
                    found += 1
                    #expect(other.isToMany == relationship.isToMany && other.isOrdered == relationship.isOrdered)
                    #expect(
                        other.destinationEntity?.lineage.first?.name
                            == relationship.destinationEntity?.lineage.first?.name)
                }
            }
        }
        print("\(found) relationships were inferred; not these: \(missed)")
        #expect(found > 0)
    }
}
