#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Random expressions as the values of updates, in a store in memory and on a server.
@Suite("Batches on a server: random expressions", .enabled(if: PostgresServer.isEnabled))
struct BatchExpressionOnServerTests {
    private static let worlds = ProcessInfo.processInfo.environment["SWORM_BATCH_WORLDS"].flatMap { UInt64($0) } ?? 16

    @Test func `rows compute the same values`() throws {
        var (equal, rejected) = (0, 0)
        for seed in 0..<Self.worlds {
            let world = try RandomWorld(seed: 90_000 + seed)
            try world.context.save()
            let stores = try ReadingStores(world.context, objects: world.objects)
            defer { stores.server.close() }
            var random = SeededRandom(seed: ~seed)
            for _ in 0..<25 {
                let number = random.pick(world.model.entities.count)
                let attributes = world.model.attributes(number).filter { $0.name != RandomModel.identifier }
                guard let attribute = random.pick(attributes) else { continue }
                var generator = RandomPredicate(
                    world.model, entity: number, objectCount: world.objects.count, seed: random.next())
                let tree = generator.value(RandomPredicate.Kind(attribute.type), 2)
                guard let entity = stores.model.entity(named: world.model.entities[number].name),
                    case .attribute(let slot)? = entity.slot(named: attribute.name)
                else { continue }
                let batch = BatchUpdate(FetchSpecification(entity: entity.number), values: [])
                var isInRange = true
                let outcomes = [stores.file, stores.server].map { store in
                    // An expression can be invalid with the objects that it names.
                    guard let tree = try? resolved(tree, world.objects, in: store) else { return "" }
                    var batch = batch
                    batch.computed = [(slot, tree)]
                    return outcome(batch, entity, slot, in: store, stores, &isInRange)
                }
                let (file, server) = (outcomes[0], outcomes[1])
                if file.isEmpty, server.isEmpty { continue }
                // A server has no such dates.
                if !isInRange, attribute.type == .dateAttributeType {
                    let codes = [NSValidationDateTooLateError, NSValidationDateTooSoonError]
                    #expect(
                        codes.map { "error \($0) \(entity.name) \(attribute.name)" }.contains(server),
                        "seed \(seed): \(entity.name).\(attribute.name) = \(tree.format)")
                    continue
                }
                #expect(file == server, "seed \(seed): \(entity.name).\(attribute.name) = \(tree.format)")
                if file.hasPrefix("error") { rejected += 1 } else { equal += 1 }
            }
        }
        #expect(Self.worlds < 8 || equal > 60 && rejected > 5, "\(equal) equal, \(rejected) rejected")
    }

    /// Returns an expression with the identities that the objects of its variables have in a store.
    private func resolved(
        _ tree: ExpressionTree, _ objects: [NSManagedObject], in store: any ObjectStore
    ) throws -> ExpressionTree {
        var values: [String: PredicateArgument] = [:]
        for (number, object) in objects.enumerated() {
            let reference = object.objectID.reference
            values["o\(number)"] = .value(
                .object(
                    ObjectReference(
                        storeIdentifier: store.identifier, entityName: reference.entityName, key: reference.key)))
        }
        let comparison = PredicateTree.comparison(Comparison(tree, by: .equal, with: .value(.null)))
        guard case .comparison(let resolved) = try comparison.substituting(values) else { return tree }
        return resolved.left
    }

    /// The values of all rows after an update, which is undone.
    ///
    /// - Parameter isInRange: Set to false for a date that a server does not have.
    private func outcome(
        _ batch: BatchUpdate, _ entity: CompiledEntity, _ slot: Int, in store: any ObjectStore, _ stores: ReadingStores,
        _ isInRange: inout Bool
    ) -> String {
        do {
            let transaction = try store.beginTransaction(nil)
            defer { transaction.end() }
            let count = try transaction.update(batch).count
            let shape = RowShape(model: stores.model, entity: entity.number)
            let rows = try transaction.rows(FetchSpecification(entity: entity.number), shape: shape)
            let cell = shape.cell(ofAttribute: slot, in: entity.number)
            let values = try (0..<rows.count).map {
                try rows.value(row: $0, cell: cell, type: entity.attributes[slot].type).asStored
            }
            for case .date(let date) in values where date.roundedForServer == nil { isInRange = false }
            return "\(count) \(values)"
        } catch let error as CoreDataError {
            return "error \(error.errorCode) \(error.entity ?? "") \(error.key ?? "")"
        } catch {
            return "error \(type(of: error))"
        }
    }
}
#endif
