import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Behaviours: class names", .overEachStore)
struct ClassNameTests {
    /// A model with an entity "Dog", whose sub-entity is "Puppy".
    private func model(dog: String?, puppy: String? = nil) -> NSManagedObjectModel {
        let entity = Build.entity("Dog", [Build.attribute("name")])
        let below = Build.entity("Puppy")
        entity.managedObjectClassName = dog ?? "NSManagedObject"
        below.managedObjectClassName = puppy ?? "NSManagedObject"
        entity.subentities = [below]
        return Build.model(entity, below)
    }

    private func contexts(_ model: NSManagedObjectModel) throws -> (NSManagedObjectContext, NSManagedObjectContext) {
        let coordinator = try GraphLibrary.coordinator(model: model)
        return (GraphLibrary.context(coordinator), GraphLibrary.context(coordinator))
    }

    @Test func `class names as Xcode writes them are found in the program's module`() {
        let modules = ["NoModule", "OpenCoreDataTests"]
        for name in ["BehaviourDog", ".BehaviourDog", "OpenCoreDataTests.BehaviourDog"] {
            #expect(ManagedObjectClasses.named(name, in: modules) == BehaviourDog.self, "\(name)")
        }
        for name in ["", ".", "..", "Other.BehaviourDog", "BehaviourCat", "A.B.C", ".A.", "Foundation.NSString"] {
            #expect(ManagedObjectClasses.named(name, in: modules) == nil, "\(name)")
        }
        #expect(ManagedObjectClasses.moduleName("my-tool 2") == "my_tool_2")
        #expect(!ManagedObjectClasses.programModules.isEmpty)
    }

    @Test(arguments: ["BehaviourDog", ".BehaviourDog", "OpenCoreDataTests.BehaviourDog"])
    func `objects have the class that the model names, whichever way Xcode wrote it`(name: String) throws {
        let (writer, reader) = try contexts(model(dog: name, puppy: ".BehaviourPuppy"))
        let dog = BehaviourDog(context: writer)
        dog.setValue("Rex", forKey: "name")
        let puppy = NSEntityDescription.insertNewObject(forEntityName: "Puppy", into: writer)
        #expect(puppy is BehaviourPuppy)
        try writer.save()
        let found = try reader.fetch(NSFetchRequest<BehaviourDog>(entityName: "Dog"))
        #expect(found.map { $0.objectID } == [dog.objectID, puppy.objectID])
        #expect(try reader.fetch(NSFetchRequest<BehaviourPuppy>(entityName: "Puppy")).count == 1)
        #expect(NSEntityDescription.insertNewObject(forEntityName: "Dog", into: reader) is BehaviourDog)
    }

    @Test func `a fetch that asks for a class that cannot be found is an error that names both classes`() throws {
        let (context, _) = try contexts(model(dog: "Kennel.BehaviourDog"))
        let error = coreDataError { _ = try context.fetch(NSFetchRequest<BehaviourDog>(entityName: "Dog")) }
        #expect(error?.entity == "Dog")
        #expect(error?.message.contains("'Kennel.BehaviourDog'") ?? false)
        #expect(error?.message.contains("OpenCoreDataTests.BehaviourDog") ?? false)
        let request = NSFetchRequest<BehaviourDog>(entityName: "Dog")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        #expect(coreDataError { try controller.performFetch() }?.message == error?.message)
    }

    @Test func `results that are not of the class that was asked for are an error that says why`() throws {
        let (plain, _) = try contexts(model(dog: nil))
        try plain.make("Dog")
        let error = coreDataError { _ = try plain.fetch(NSFetchRequest<BehaviourDog>(entityName: "Dog")) }
        #expect(error?.message.contains("names no class for the entity") ?? false)
        let (mixed, _) = try contexts(model(dog: "BehaviourDog", puppy: "Kennel.BehaviourPuppy"))
        _ = BehaviourDog(context: mixed)
        try mixed.make("Puppy")
        let other = coreDataError { _ = try mixed.fetch(NSFetchRequest<BehaviourDog>(entityName: "Dog")) }
        #expect(other?.entity == "Puppy" && other?.message.contains("'Kennel.BehaviourPuppy'") ?? false)
        let (cats, _) = try contexts(model(dog: "OpenCoreDataTests.BehaviourCow"))
        _ = BehaviourCow(context: cats)
        let third = coreDataError { _ = try cats.fetch(NSFetchRequest<BehaviourDog>(entityName: "Dog")) }
        #expect(third?.message.contains("OpenCoreDataTests.BehaviourCow") ?? false)
    }

    @Test func `an object of a class without an entity is an error of the save that names the class`() throws {
        let (context, _) = try contexts(model(dog: "Kennel.BehaviourDog"))
        _ = BehaviourDog(context: context)
        let error = coreDataError { try context.save() }
        #expect(error?.message.contains("OpenCoreDataTests.BehaviourDog") ?? false)
        #expect(error?.message.contains("'Kennel.BehaviourDog'") ?? false)
        let (twice, _) = try contexts(model(dog: "BehaviourDog", puppy: ".BehaviourDog"))
        _ = BehaviourDog(context: twice)
        #expect(coreDataError { try twice.save() }?.message.contains("Dog, Puppy") ?? false)
    }

    @Test(.over(.memory, .file))
    func `otherwise the object is plain, and a missing class is reported once for each coordinator`() throws {
        for _ in 0..<2 {
            let coordinator = try GraphLibrary.coordinator(model: model(dog: "Kennel.BehaviourDog", puppy: ".Pup"))
            let store = try #require(coordinator.persistentStores.first?.objectStore as? SQLiteStore)
            let messages = Locked<[String]>([])
            let stop = store.addWarningListener { warning in messages.withLock { $0.append(warning.message) } }
            for _ in 0..<2 {
                let context = GraphLibrary.context(coordinator)
                let dog = NSEntityDescription.insertNewObject(forEntityName: "Dog", into: context)
                #expect(type(of: dog) == NSManagedObject.self)
                try context.save()
            }
            #expect(messages.withLock { $0.count } == 1)
            #expect(messages.withLock { $0.first?.contains("'Kennel.BehaviourDog'") } == true)
            #expect(try GraphLibrary.context(coordinator).all("Puppy").isEmpty)
            _ = NSEntityDescription.insertNewObject(forEntityName: "Puppy", into: GraphLibrary.context(coordinator))
            #expect(messages.withLock { $0.count } == 2)
            stop()
        }
    }

    @Test(.over(.memory, .file)) func `a migration and plain entities look for no class`() throws {
        let coordinator = try GraphLibrary.coordinator(model: model(dog: "NSManagedObject"))
        let store = try #require(coordinator.persistentStores.first?.objectStore as? SQLiteStore)
        let count = Locked(0)
        let stop = store.addWarningListener { _ in count.withLock { $0 += 1 } }
        let context = GraphLibrary.context(coordinator)
        try context.make("Dog")
        _ = NSEntityDescription.insertNewObject(forEntityName: "Puppy", into: context)
        #expect(count.withLock { $0 } == 0)
        stop()
    }
}

class BehaviourDog: NSManagedObject {}
final class BehaviourPuppy: BehaviourDog {}
final class BehaviourCow: NSManagedObject {}
