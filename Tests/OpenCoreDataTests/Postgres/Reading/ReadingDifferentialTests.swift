#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: the same answers from a server and from a file", .enabled(if: PostgresServer.isEnabled))
struct ReadingDifferentialTests {
    private static let normalSeed: UInt64 = 20_260_101

    /// How long to look for differences with seeds that were never tried; nil for the normal run.
    private static let seconds = ProcessInfo.processInfo.environment["SWORM_FUZZ_SECONDS"].flatMap(Double.init)
    /// The seed of one world, to try it alone.
    private static let onlySeed = ProcessInfo.processInfo.environment["SWORM_FUZZ_SEED"].flatMap { UInt64($0) }

    @Test func `random requests have the same answers`() throws {
        var tally = Tally()
        if let seed = Self.onlySeed {
            try tryWorld(seed: seed, &tally)
        } else if let seconds = Self.seconds {
            let start = Date()
            var seeds = SystemRandomNumberGenerator()
            while Date().timeIntervalSince(start) < seconds, tally.differences < 20 {
                try tryWorld(seed: seeds.next(), &tally)
            }
            print("\(tally)")
        } else {
            for number in 0..<12 { try tryWorld(seed: Self.normalSeed &+ UInt64(number), &tally) }
            #expect(tally.found * 10 >= tally.tried * 7, "\(tally)")
            #expect(tally.inMemory * 20 >= tally.tried, "\(tally)")
        }
    }

    private struct Tally {
        var tried = 0
        var found = 0
        /// The requests of which a part was evaluated in memory.
        var inMemory = 0
        var differences = 0
    }

    private func tryWorld(seed: UInt64, _ tally: inout Tally) throws {
        let world = try RandomWorld(seed: seed)
        try world.context.save()
        let stores = try ReadingStores(world.context, objects: world.objects)
        defer { stores.server.close() }
        var random = SeededRandom(seed: ~seed)
        for number in 0..<50 {
            let question = Question(world.model, objectCount: world.objects.count, seed: random.next())
            tally.tried += 1
            guard let problem = try difference(question, world, stores, &tally) else { continue }
            tally.differences += 1
            guard tally.differences <= 20 else { continue }
            Issue.record("seed \(seed), request \(number): \(question.summary)\n\(problem)")
        }
    }

    /// Returns the difference between the answers of both stores, or nil if there is none.
    private func difference(
        _ question: Question, _ world: RandomWorld, _ stores: ReadingStores, _ tally: inout Tally
    ) throws -> String? {
        guard var request = try? world.request(question).specification(in: stores.model) else { return nil }
        func answer(_ store: any ObjectStore) -> String {
            // The objects of a request are those of one store.
            var values: [String: PredicateArgument] = [:]
            for (number, object) in world.objects.enumerated() {
                let reference = object.objectID.reference
                values["o\(number)"] = .value(
                    .object(
                        ObjectReference(
                            storeIdentifier: store.identifier, entityName: reference.entityName, key: reference.key)))
            }
            do {
                request.predicate = try question.tree.substituting(values)
                let shape = RowShape(model: stores.model, entity: request.entity)
                return try stores.read(store) { session in
                    let rows = try session.identities(request)
                    let count = try session.count(request)
                    let cells = try stores.cells(of: session.rows(request, shape: shape), shape: shape)
                    let columns = ProjectionTree([.evaluatedObject, .path([RandomModel.identifier])])
                    let projected = try session.storedRows(ProjectionSpecification(fetch: request, tree: columns)).rows
                    var grouped = ProjectionTree([.path([RandomModel.unrelated]), .aggregate(.count)])
                    grouped.groups = [.path([RandomModel.unrelated])]
                    let groups = try session.storedRows(ProjectionSpecification(fetch: request, tree: grouped)).rows
                    return "\(rows) \(count) \(cells) \(projected) \(groups)"
                }
            } catch {
                return "refused: \(error)"
            }
        }
        let (file, server) = (answer(stores.file), answer(stores.server))
        let isFound = !file.hasPrefix("refused")
        if isFound { tally.found += 1 }
        if isFound, (try? stores.server.schema.compiler.identities(request)) == nil { tally.inMemory += 1 }
        return file == server ? nil : "file: \(file)\nserver: \(server)"
    }
}
#endif
