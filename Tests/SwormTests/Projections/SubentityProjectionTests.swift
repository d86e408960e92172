import Sworm
import Testing

@Suite("Columns of entities with sub-entities")
struct SubentityProjectionTests {
    typealias Car = Contract.Car

    struct Truck: ManagedObjectConvertible {
        var plate = ""
        var load = 0.0
        static let attributes: Set<Attribute<Truck>> = [.init(\.plate, "plate"), .init(\.load, "load")]
        struct Relations: Sendable { let owner = ToOneRelation<Contract.Owner>("owner") }
        static let relations = Relations()
    }

    /// A model in which a truck is a car.
    private func store() throws -> PersistentContainer {
        let model = Contract.model { parts in
            let truck = NSEntityDescription()
            truck.name = "Truck"
            truck.properties = [parts.attribute("load", .doubleAttributeType)]
            parts.car.subentities = [truck]
            parts.others.append(truck)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        return PersistentContainer(managedObjectContext: {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = coordinator
            return context
        })
    }

    private func fill(_ context: ManagedObjectContext) throws {
        let owner = try context.insert(Contract.Owner(name: "Anna"))
        for plate in ["c", "a"] { try context.insert(Car(plate: plate)).owner = owner }
        for plate in ["b", "a"] { try context.insert(Truck(plate: plate, load: 3)).owner = owner }
    }

    @Test(arguments: [true, false])
    func `rows of sub-entities are rows of the entity, saved or not`(isSaved: Bool) throws {
        let store = try store()
        try store.perform { context in
            try fill(context)
            if !isSaved { try check(context) }
        }
        if isSaved { try store.perform { try check($0) } }
    }

    private func check(_ context: ManagedObjectContext) throws {
        #expect(try context.fetch(Car.all.sort(\.plate).select(\.plate)) == ["a", "a", "b", "c"])
        #expect(try context.fetch(Car.all.select(\.plate).distinct()) == ["a", "b", "c"])
        let pairs = try context.fetch(Car.all.where { $0.plate > "a" }.sort(\.plate).select(\.plate, \.owner.name))
        #expect(pairs.map(\.0) == ["b", "c"] && pairs.map(\.1) == ["Anna", "Anna"])
        #expect(try context.max(of: Car.all, \.plate) == "c")
        #expect(try context.count(of: Car.all, \.plate) == 4)
        let groups = try context.fetch(Car.all.grouped(by: \.plate).select { ($0.key, $0.count) })
        #expect(groups.map(\.0) == ["a", "b", "c"] && groups.map(\.1) == [2, 1, 1])
        #expect(try context.fetch(Contract.Owner.all.select { $0.cars.count }) == [4])
        // And a sub-entity has its own rows alone.
        #expect(try context.fetch(Truck.all.sort(\.plate).select(\.plate)) == ["a", "b"])
        #expect(try context.sum(of: Truck.all, \.load) == 6)
    }
}
