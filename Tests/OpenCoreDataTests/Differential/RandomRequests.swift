#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Random requests over a random world, which three evaluations answer: that of objects in memory, that of SQLite, and that of
/// a store on a server.
final class RandomRequests {
    let seed: UInt64
    let world: RandomWorld
    let stores: ReadingStores
    let questions: [Question]
    /// The answers of memory, which are made last: they change the objects.
    private(set) var answers: [Rows] = []

    /// The rows that a request finds, in its order; nil if it is rejected.
    typealias Rows = [RowID]?

    init(seed: UInt64, count: Int) throws {
        self.seed = seed
        world = try RandomWorld(seed: seed)
        try world.context.save()
        stores = try ReadingStores(world.context, objects: world.objects)
        var random = SeededRandom(seed: ~seed)
        let (model, objectCount) = (world.model, world.objects.count)
        questions = (0..<count).map { _ in
            Question(model, objectCount: objectCount, seed: random.next(), hasIdentities: true)
        }
    }

    /// Closes the store on the server and removes its schema.
    func end() throws {
        let schema = stores.server.schema.prefix.dropLast()
        stores.server.close()
        try PostgresStores.run("DROP SCHEMA \(schema) CASCADE")
    }

    /// The objects of a store as values of the variables of questions.
    private func objects(of store: any ObjectStore) -> [String: PredicateArgument] {
        var values: [String: PredicateArgument] = [:]
        for (number, object) in world.objects.enumerated() {
            let reference = object.objectID.reference
            let own = ObjectReference(
                storeIdentifier: store.identifier, entityName: reference.entityName, key: reference.key)
            values["o\(number)"] = .value(.object(own))
        }
        return values
    }

    /// Returns the requests of all questions with the objects of a store; nil for an invalid one.
    func requests(in store: any ObjectStore) -> [FetchSpecification?] {
        let values = objects(of: store)
        return questions.map { question in
            guard var request = try? world.request(question).specification(in: stores.model),
                let predicate = try? question.tree.substituting(values)
            else { return nil }
            request.predicate = predicate
            return request
        }
    }

    /// Returns the answers of a store. A request that fails has none, which differs from any answer of another store.
    func answers(of store: any ObjectStore) throws -> [Rows] {
        let requests = requests(in: store)
        return try stores.read(store) { session in
            requests.map { request in request.flatMap { try? session.identities($0) } }
        }
    }

    /// Returns the answers from the objects in memory, of which the store knows no values: all are changed.
    func answersOfMemory() throws -> [Rows] {
        guard answers.isEmpty else { return answers }
        world.touch()
        answers = try questions.map { question in
            guard let request = try? world.request(question), let found = try? world.context.fetch(request) else {
                return nil
            }
            return try found.map { object in
                let reference = object.objectID.reference
                let entity = try #require(stores.model.entity(named: reference.entityName))
                return RowID(entity: entity.number, key: reference.key)
            }
        }
        return answers
    }
}

extension [RowID]? {
    /// The rows in a message.
    var text: String { self.map { "\($0.map { "\($0.entity)/\($0.key)" })" } ?? "rejected" }
}
#endif
