import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Batch updates whose values are random expressions, against the values that the objects give for the expressions.
@Suite("Random expressions in batch updates")
struct RandomBatchExpressionTests {
    /// The number of worlds; more for a long run: SWORM_BATCH_WORLDS=2000 swift test --filter RandomBatchExpressionTests
    private static let worlds = ProcessInfo.processInfo.environment["SWORM_BATCH_WORLDS"].flatMap { UInt64($0) } ?? 60

    @Test func `an update gives each object the value that it computes for itself in memory`() throws {
        var (equal, rejected) = (0, 0)
        for seed in 0..<Self.worlds {
            let world = try RandomWorld(seed: 7_000 + seed)
            try world.context.save()
            var random = SeededRandom(seed: ~seed)
            for _ in 0..<12 {
                let entity = random.pick(world.model.entities.count)
                let attributes = world.model.attributes(entity).filter { $0.name != RandomModel.identifier }
                guard let attribute = random.pick(attributes) else { continue }
                var generator = RandomPredicate(
                    world.model, entity: entity, objectCount: world.objects.count, seed: random.next())
                // An expression can be invalid with the objects that it names.
                let value = generator.value(RandomPredicate.Kind(attribute.type), 2)
                guard let tree = try? world.resolved(value) else { continue }
                switch try update(world, world.model.entities[entity].name, attribute, tree, "seed \(seed)") {
                case true?: equal += 1
                case false?: rejected += 1
                case nil: break
                }
            }
        }
        #expect(equal > 200 && rejected > 5, "\(equal) equal, \(rejected) rejected")
    }

    /// Updates all objects of an entity.
    ///
    /// - Returns: Whether the update succeeded; nil if the store refuses the expression.
    private func update(
        _ world: RandomWorld, _ entity: String, _ attribute: RandomModel.Attribute, _ tree: ExpressionTree,
        _ name: String
    ) throws -> Bool? {
        let context = world.context
        context.refreshAllObjects()
        let objects = try context.all(entity)
        let request = NSBatchUpdateRequest(entityName: entity)
        request.propertiesToUpdate = [attribute.name: NSExpression.make(tree)]
        var expected: [NSManagedObjectID: AttributeValue] = [:]
        var rejection: (any Error)?
        var before: [NSManagedObjectID: AttributeValue] = [:]
        for object in objects { before[object.objectID] = object.attribute(try #require(slot(attribute, of: object))) }
        do {
            let projection = try PreparedProjection(ProjectionTree([tree]))
            for object in objects {
                let slot = try #require(self.slot(attribute, of: object))
                let value = try projection.rows(of: [object])[0][0]
                do {
                    expected[object.objectID] = try object.compiledEntity.checked(
                        converted(value, to: object.compiledEntity.attributes[slot].type), slot: slot)
                } catch {
                    rejection = error
                }
            }
        } catch {
            rejection = error
        }
        let failure = coreDataError { _ = try context.execute(request) }
        let fresh = try GraphLibrary.context(#require(context.persistentStoreCoordinator)).all(entity)
        func compare(_ values: [NSManagedObjectID: AttributeValue]) throws {
            for object in fresh {
                let slot = try #require(self.slot(attribute, of: object))
                let (found, wanted) = (object.attribute(slot), values[object.objectID])
                #expect(
                    number(found) == wanted.flatMap(number) && (number(found) != nil || found == wanted),
                    "\(name): \(entity).\(attribute.name) = \(tree.format): \(found), not \(String(describing: wanted))"
                )
            }
        }
        guard let failure else {
            #expect(
                rejection == nil,
                "\(name): \(entity).\(attribute.name) = \(tree.format): \(rejection ?? CocoaError(.coreData))")
            if rejection == nil { try compare(expected) }
            return true
        }
        try compare(before)
        // The store refuses some expressions by their types, before it computes a value.
        guard failure.message.contains("that an update computes") else { return nil }
        #expect(rejection != nil, "\(name): \(entity).\(attribute.name) = \(tree.format): \(failure.message)")
        return false
    }

    private func slot(_ attribute: RandomModel.Attribute, of object: NSManagedObject) -> Int? {
        if case .attribute(let slot)? = object.compiledEntity.slot(named: attribute.name) { slot } else { nil }
    }

    /// The value in the form in which a column of another type of number stores it.
    private func converted(_ value: AttributeValue, to type: SwormPredicates.AttributeType) -> AttributeValue {
        switch (type, value.asStored) {
        case (.integer16, .double(let number)), (.integer32, .double(let number)), (.integer64, .double(let number)):
            abs(number) < 9.2e18 ? .int(Int64(number)) : value
        case (.integer16, .decimal(let number)), (.integer32, .decimal(let number)), (.integer64, .decimal(let number)):
            number.wholeNumber.map { .int($0) }
                ?? (abs(number.nearestDouble) < 9.2e18 ? .int(Int64(number.nearestDouble)) : value)
        case (.boolean, let number): number.numericDouble.map { .bool($0 != 0) } ?? value
        case (.double, .decimal(let number)), (.float, .decimal(let number)): .double(number.nearestDouble)
        case (.double, .bool(let flag)), (.float, .bool(let flag)): .double(flag ? 1 : 0)
        case (.decimal, .bool(let flag)): .decimal(flag ? 1 : 0)
        case (.date, .double(let seconds)): .date(Date(timeIntervalSinceReferenceDate: seconds))
        case (_, let stored): stored
        }
    }

    /// The number that a column stores; nil for a value of another kind. A decimal can be stored as the nearest double.
    private func number(_ value: AttributeValue) -> Double? { value.asStored.numericDouble }
}
