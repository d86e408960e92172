import OpenCoreData
import TestSupport
import Testing

/// Requests whose type of results is not a class, as much code written for Core Data has them.
@Suite(.overEachStore)
struct ExistentialRequestTests {
    private func context() throws -> NSManagedObjectContext {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: RequestedTag.self)
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model))
        try context.make("Tag", ["name": "a"])
        try context.make("Tag", ["name": "b"])
        try context.save()
        return context
    }

    @Test func `a request for any results fetches objects, ids, dictionaries and counts`() throws {
        let context = try context()
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let objects = try context.fetch(request)
        #expect((objects as? [NSManagedObject])?.map { $0.text("name") } == ["a", "b"])
        #expect(try context.count(for: request) == 2)
        request.resultType = .managedObjectIDResultType
        #expect(try context.fetch(request).first is NSManagedObjectID)
        request.resultType = .dictionaryResultType
        #expect((try context.fetch(request).first as? NSDictionary)?["name"] as? String == "a")
        request.resultType = .countResultType
        #expect(try context.fetch(request).first as? NSNumber == 2)
    }

    @Test func `a batch deletion takes a request for any results`() throws {
        let context = try context()
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
        request.predicate = NSPredicate(format: "name == 'a'", argumentArray: [])
        try context.execute(NSBatchDeleteRequest(fetchRequest: request))
        #expect(try context.all("Tag").count == 1)
    }

    @Test func `a controller takes a request for any results`() throws {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: try context(), sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
        #expect(controller.fetchedObjects?.count == 2)
    }

    @Test func `the controller that a delegate receives has the request of its own type only`() throws {
        final class Delegate: NSFetchedResultsControllerDelegate {
            var names: [String?] = []
            func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
                names.append(controller.fetchRequest.entityName)
            }
        }
        let context = try context()
        let delegate = Delegate()
        func follow<Result>(_ request: NSFetchRequest<Result>) throws -> NSFetchedResultsController<Result> {
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            controller.delegate = delegate
            try controller.performFetch()
            return controller
        }
        let untyped = try follow(NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag"))
        try context.make("Tag", ["name": "c"])
        context.processPendingChanges()
        #expect(delegate.names == ["Tag"])
        untyped.delegate = nil
        let typed = try follow(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
        try context.make("Tag", ["name": "d"])
        context.processPendingChanges()
        #expect(delegate.names == ["Tag", nil])
        #expect(typed.fetchRequest.entityName == "Tag")
    }

    @Test func `fetchRequest of a class requests the objects of its entity`() throws {
        let context = try context()
        let untyped: NSFetchRequest<any NSFetchRequestResult> = RequestedTag.fetchRequest()
        let typed: NSFetchRequest<RequestedTag> = RequestedTag.fetchRequest()
        #expect(try context.fetch(untyped).count == 2)
        #expect(try context.fetch(typed).compactMap { $0.value(forKey: "name") as? String }.sorted() == ["a", "b"])
    }

    @Test func `a generic function creates objects of its type`() throws {
        let context = try context()
        func make<T: NSManagedObject>(_ type: T.Type) -> T { T(context: context) }
        let tag = make(RequestedTag.self)
        #expect(tag.isInserted && tag.entity.name == "Tag")
        #expect(RequestedTag.made(in: context).isInserted)
    }

    @Test func `Foundation is imported with the module`() {
        #expect(Date(timeIntervalSinceReferenceDate: 0).timeIntervalSinceReferenceDate == 0)
    }
}

final class RequestedTag: NSManagedObject {
    class func fetchRequest() -> NSFetchRequest<RequestedTag> { NSFetchRequest(entityName: "Tag") }
    static func made(in context: NSManagedObjectContext) -> Self { Self(context: context) }
}
