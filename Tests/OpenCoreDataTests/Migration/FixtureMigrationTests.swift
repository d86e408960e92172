import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData

/// The stores of an application from all its versions, taken to every later version.
@Suite("Migrations of Apple's stores", .enabled(if: AppleStores.folder != nil, AppleStores.missing))
struct FixtureMigrationTests {
    /// A store, the version of its model, and a later one.
    struct Step: CustomTestStringConvertible, Sendable {
        var store: URL
        var model: URL
        var from: Int
        var to: Int
        var testDescription: String { "\(Fixtures.relative(store)), \(from) to \(to)" }

        func versions() throws -> [NSManagedObjectModel] {
            try NSManagedObjectModel.versions(at: model).sorted {
                $0.name.compare($1.name, options: .numeric) == .orderedAscending
            }.map(\.model)
        }
    }

    static let steps: [Step] = {
        guard let folder = AppleStores.folder else { return [] }
        var steps: [Step] = []
        for path in Fixtures.paths.filter({ $0.hasSuffix(".xcdatamodeld") }) {
            let model = folder.appendingPathComponent(path, isDirectory: true)
            let probe = Step(store: model, model: model, from: 0, to: 0)
            guard let versions = try? probe.versions() else { continue }
            let place = model.deletingLastPathComponent().path
            for store in AppleStores.storeURLs where store.deletingLastPathComponent().path == place {
                guard
                    let hashes = try? PlainStore(copyOf: store).metadata["NSStoreModelVersionHashes"]
                        as? [String: Data],
                    let from = versions.firstIndex(where: { $0.entityVersionHashesByName == hashes })
                else { continue }
                for to in versions.indices where to > from {
                    steps.append(Step(store: store, model: model, from: from, to: to))
                }
            }
        }
        return steps
    }()

    @Test(arguments: steps)
    func `every object has what it should after every migration that can be inferred`(_ step: Step) throws {
        let versions = try step.versions()
        let mapping: ModelMapping
        do {
            mapping = try ModelMapping.inferred(from: versions[step.from], to: versions[step.to])
        } catch let error as CoreDataError {
            #expect(error.errorCode == NSInferredMappingModelError)
            print("\(step.testDescription): \(error.message)")
            return
        }
        guard versions[step.from].entityVersionHashesByName != versions[step.to].entityVersionHashesByName else {
            return
        }
        let store = try MigratedStore(copyOf: step.store, model: versions[step.from])
        try store.migrate(to: versions[step.to], mapping: mapping)
        let counts = store.report.entities.filter { $0.count > 0 }.map { "\($0.count) \($0.source)" }
        print("\(step.testDescription): \(counts.joined(separator: ", "))")
    }

    /// One version after the other, the model each time found in the store itself, as an application does it.
    @Test(arguments: steps.filter { $0.to == $0.from + 1 })
    func `a coordinator goes all the way`(_ step: Step) throws {
        let versions = try step.versions()
        let store = try MigratedStore(copyOf: step.store, model: versions[step.from])
        for version in versions[step.to...] {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: version)
            let description = NSPersistentStoreDescription(url: store.url)
            nonisolated(unsafe) var failure: (any Error)?
            coordinator.addPersistentStore(with: description) { failure = $1 }
            if let error = failure as? CoreDataError {
                #expect(
                    [NSInferredMappingModelError, NSMigrationMissingSourceModelError].contains(error.errorCode),
                    "\(error)")
                return
            }
            #expect(failure == nil)
            for open in coordinator.persistentStores { try coordinator.remove(open) }
            let compiled = try version.compiled()
            #expect(try StoreVerification.findings(of: store.url, model: compiled).map(\.message) == [])
        }
    }

    /// Where a store lies beside that Apple's framework has taken in place from one version to the next, ours has the same
    /// objects. Such a store has the system's tables first. One that was copied object by object has other keys, and what
    /// an application's own code made of its values.
    @Test func `a store that Apple's framework migrated has what ours has`() throws {
        let chains = Dictionary(grouping: Self.steps.filter { $0.to == $0.from + 1 }, by: \.model.path)
        var compared = 0
        for (_, steps) in chains {
            for step in steps {
                let versions = try step.versions()
                let hashes = versions[step.to].entityVersionHashesByName
                let folder = step.store.deletingLastPathComponent().path
                for other in AppleStores.storeURLs where other.deletingLastPathComponent().path == folder {
                    let theirs = try PlainStore(copyOf: other)
                    guard theirs.metadata["NSStoreModelVersionHashes"] as? [String: Data] == hashes,
                        theirs.identifier == (try PlainStore(copyOf: step.store).identifier)
                    else { continue }
                    guard theirs.schema.first?.name.hasPrefix("Z_") ?? false else { continue }
                    let store = try MigratedStore(copyOf: step.store, model: versions[step.from])
                    try store.migrate(to: versions[step.to])
                    let model = PlainModel(versions[step.to])
                    let differences = try store.graph().differences(from: ObjectGraphText(theirs, model))
                    #expect(differences == [], "\(step.testDescription)")
                    compared += 1
                }
            }
        }
        print("\(compared) stores compared")
    }
}
