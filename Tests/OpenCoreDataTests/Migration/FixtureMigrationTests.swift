import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// The stores of an application from all its versions, taken to every later version.
@Suite("Migrations of Apple's stores", .enabled(if: AppleStores.folder != nil, AppleStores.missing))
struct FixtureMigrationTests {
    /// A version of a model, and a later one.
    struct Step: CustomTestStringConvertible, Sendable {
        var store: URL
        var model: URL
        /// The version of the store that lies here. Where none lies here of the one to begin with, it is taken there first.
        var stored: Int
        var from: Int
        var to: Int
        var testDescription: String { "\(Fixtures.relative(store)), \(from) to \(to)" }

        var chain: String { model.deletingPathExtension().lastPathComponent }

        /// A copy of the store at the version to begin with.
        func begin() throws -> MigratedStore {
            let versions = try versions()
            let copy = try MigratedStore(copyOf: store, model: versions[stored])
            if from != stored { try copy.run(to: versions[from]) }
            return copy
        }

        func versions() throws -> [NSManagedObjectModel] {
            try NSManagedObjectModel.versions(at: model).sorted {
                $0.name.compare($1.name, options: .numeric) == .orderedAscending
            }.map(\.model)
        }
    }

    /// Only sound stores: ``AppleStoreWritingTests`` says which are left out, and why.
    static let steps: [Step] = {
        guard let folder = AppleStores.folder else { return [] }
        var steps: [Step] = []
        for path in Fixtures.paths.filter({ $0.hasSuffix(".xcdatamodeld") }) {
            let model = folder.appendingPathComponent(path, isDirectory: true)
            let probe = Step(store: model, model: model, stored: 0, from: 0, to: 0)
            guard let versions = try? probe.versions() else { continue }
            let place = model.deletingLastPathComponent().path
            var found: [Int: [URL]] = [:]
            for store in AppleStores.storeURLs where store.deletingLastPathComponent().path == place {
                guard AppleStores.soundURLs.contains(store),
                    let hashes = try? PlainStore(copyOf: store).metadata["NSStoreModelVersionHashes"]
                        as? [String: Data],
                    let from = versions.firstIndex(where: { $0.entityVersionHashesByName == hashes })
                else { continue }
                found[from, default: []].append(store)
            }
            for from in versions.indices {
                guard let stored = found.keys.filter({ $0 <= from }).max(), let stores = found[stored] else { continue }
                for store in stored == from ? stores[...] : stores.prefix(1) {
                    steps += versions.indices.dropFirst(from + 1).map {
                        Step(store: store, model: model, stored: stored, from: from, to: $0)
                    }
                }
            }
        }
        return steps
    }()

    /// The chains that are known, with the number of their pairs of versions. A mapping can be inferred for each pair; for
    /// which of them objects lack something, ``FixtureManagerTests`` says.
    static let chains = ["SampleModel": 3, "SampleModel3": 3, "BookmarksModel": 15, "Moody": 15]

    @Test func `no pair of versions is left out`() {
        let found = Dictionary(grouping: Self.steps, by: \.chain).mapValues { Set($0.map { [$0.from, $0.to] }).count }
        for (name, count) in Self.chains where found[name] != nil { #expect(found[name] == count, "\(name)") }
    }

    @Test(arguments: steps)
    func `every object has the expected values after every migration that can be inferred`(_ step: Step) throws {
        let versions = try step.versions()
        let mapping: ModelMapping
        do {
            mapping = try ModelMapping.inferred(from: versions[step.from], to: versions[step.to])
        } catch let error as CoreDataError {
            #expect(error.errorCode == NSInferredMappingModelError)
            #expect(Self.chains[step.chain] == nil, "\(error)")
            return
        }
        guard versions[step.from].entityVersionHashesByName != versions[step.to].entityVersionHashesByName else {
            return
        }
        let store = try step.begin()
        try store.migrate(to: versions[step.to], mapping: mapping)
        #expect(store.report.entities.contains { $0.count > 0 })
    }

    /// One version after the other, the model each time found in the store itself, as an application does it.
    @Test(arguments: steps.filter { $0.to == $0.from + 1 && $0.stored == $0.from })
    func `a coordinator runs the whole migration`(_ step: Step) throws {
        let versions = try step.versions()
        let store = try MigratedStore(copyOf: step.store, model: versions[step.from])
        for version in versions[step.to...] {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: version)
            let description = NSPersistentStoreDescription(url: store.url)
            // The store is added before the call returns.
            nonisolated(unsafe) var failure: (any Error)?
            coordinator.addPersistentStore(with: description) { failure = $1 }
            if let error = failure as? CocoaError {
                #expect([.inferredMappingModel, .migrationMissingSourceModel].contains(error.code), "\(error)")
                return
            }
            #expect(failure == nil)
            for open in coordinator.persistentStores { try coordinator.remove(open) }
            let compiled = try version.compiled()
            #expect(try StoreVerification.findings(of: store.url, model: compiled).map(\.message) == [])
        }
    }

    /// The later stores of the same identifier, which were made of a store by Apple's framework.
    private static let successors: [(step: Step, store: URL)] = steps.filter { $0.stored == $0.from }.flatMap { step in
        let place = step.store.deletingLastPathComponent().path
        return AppleStores.storeURLs.filter { $0.deletingLastPathComponent().path == place }.filter { other in
            guard let versions = try? step.versions(), let theirs = try? PlainStore(copyOf: other),
                let identifier = try? PlainStore(copyOf: step.store).identifier
            else { return false }
            return theirs.identifier == identifier
                && theirs.metadata["NSStoreModelVersionHashes"] as? [String: Data]
                    == versions[step.to].entityVersionHashesByName
        }.map { (step, $0) }
    }

    @Test func `a store that Apple's framework migrated has the content of ours`() throws {
        var compared: [String: Int] = [:]
        for (step, url) in Self.successors {
            let theirs = try PlainStore(copyOf: url)
            let versions = try step.versions()
            let store = try step.begin()
            try store.migrate(to: versions[step.to])
            let model = PlainModel(versions[step.to])
            var (ours, other) = (try store.graph(), try ObjectGraphText(theirs, model))
            // One that was copied object by object has other keys.
            if !theirs.wasMigrated {
                ours = try ours.named(without: Self.handmade, model)
                other = try other.named(without: Self.handmade, model)
            }
            #expect(ours.differences(from: other) == [], "\(step.testDescription)")
            compared[step.chain, default: 0] += 1
        }
        for (name, count) in ["SampleModel": 1, "Moody": 10] where Self.steps.contains(where: { $0.chain == name }) {
            #expect(compared[name] == count)
        }
    }

    /// The properties that code of the application has set while objects were copied. No mapping specifies them.
    static let handmade: Set<String> = ["Mood.continent", "Continent.moods", "Country.isoContinent"]
}

extension ObjectGraphText {
    /// The same objects, each named after its values, as keys say nothing between copies.
    ///
    /// - Parameter left: The properties that are left out.
    func named(without left: Set<String> = [], _ model: PlainModel) throws -> ObjectGraphText {
        func entity(_ key: String) -> String { String(key.prefix { $0 != "/" }) }
        var kept = nodes
        for (key, node) in nodes {
            func stays(_ name: String) -> Bool { !left.contains("\(entity(key)).\(name)") }
            kept[key] = Node(
                attributes: node.attributes.filter { stays($0.key) }, links: node.links.filter { stays($0.key) })
        }
        let names = kept.mapValues { node in
            node.attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        }
        func name(_ key: String) throws -> String { "\(entity(key))/\(try #require(names[key]))" }
        var result = ObjectGraphText()
        for (key, node) in kept {
            var node = node
            for (relationship, links) in node.links {
                let isOrdered = model[entity(key)]?.relationship(relationship)?.isOrdered ?? false
                let renamed = try links.map { try name($0) }
                node.links[relationship] = isOrdered ? renamed : renamed.sorted()
            }
            try #require(result.nodes.updateValue(node, forKey: name(key)) == nil, "two objects have the same values")
        }
        return result
    }
}
