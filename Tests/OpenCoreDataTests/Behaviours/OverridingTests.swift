import OpenCoreData
import TestSupport
import Testing

/// Subclasses of contexts, objects and controllers that override members, as code written for Core Data does.
@Suite(.overEachStore)
struct OverridingTests {
    @Test func `a subclass of the context overrides saving, deleting and fetching`() throws {
        let context = AuditedContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = try GraphLibrary.coordinator()
        let book = try context.make("Book", ["title": "a"])
        try context.save()
        _ = try context.all("Book")
        context.delete(book)
        try context.save()
        #expect(context.calls == ["save", "fetch", "delete", "save"])
        context.perform {}
        context.performAndWait {}
        #expect(context.calls.suffix(2) == ["perform", "performAndWait"])
        #expect(throws: AuditedContext.Closed.self) {
            context.isClosed = true
            try context.save()
        }
    }

    @Test func `a subclass of an object overrides its accessors and its class methods`() throws {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: UppercaseTag.self)
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model))
        let tag = UppercaseTag(context: context)
        tag.setPrimitiveValue("a", forKey: "name")
        #expect(tag.primitiveValue(forKey: "name") as? String == "A")
        #expect(tag.changedValues().isEmpty)
        #expect(UppercaseTag.entity().name == "Overridden")
    }

    @Test func `a subclass of a controller has results of its own`() throws {
        let context = try GraphLibrary.context()
        let book = try context.make("Book", ["title": "a"])
        let controller: NSFetchedResultsController<NSManagedObject> = FixedController([book], in: context)
        try controller.performFetch()
        let first: IndexPath = [0, 0]
        #expect(controller.fetchedObjects == [book] && controller.object(at: first) === book)
        #expect(controller.indexPath(forObject: book) == first && controller.sections?.isEmpty == true)
        #expect(controller.cacheName == "fixed" && controller.fetchRequest.entityName == "Tag")
        controller.delegate = nil
        #expect((controller as? FixedController)?.delegateChanges == 1)
        FixedController.deleteCache(withName: nil)
    }
}

/// A controller with given results, which fetches nothing.
private final class FixedController: NSFetchedResultsController<NSManagedObject> {
    let books: [NSManagedObject]
    var delegateChanges = 0

    init(_ books: [NSManagedObject], in context: NSManagedObjectContext) {
        self.books = books
        super.init(
            fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Book"), managedObjectContext: context,
            sectionNameKeyPath: nil, cacheName: nil)
    }

    override var delegate: (any NSFetchedResultsControllerDelegate)? { didSet { delegateChanges += 1 } }
    override var fetchRequest: NSFetchRequest<NSManagedObject> { NSFetchRequest(entityName: "Tag") }
    override var managedObjectContext: NSManagedObjectContext { super.managedObjectContext }
    override var sectionNameKeyPath: String? { "fixed" }
    override var cacheName: String? { "fixed" }
    override var fetchedObjects: [NSManagedObject]? { books }
    override var sections: [any NSFetchedResultsSectionInfo]? { [] }
    override class func deleteCache(withName name: String?) {}
    override func performFetch() throws {}
    override func object(at indexPath: IndexPath) -> NSManagedObject { books[indexPath[1]] }

    override func indexPath(forObject object: NSManagedObject) -> IndexPath? {
        books.firstIndex(of: object).map { [0, $0] }
    }
}

/// A context that notes its calls.
///
/// @unchecked: used on one thread at a time.
private final class AuditedContext: NSManagedObjectContext, @unchecked Sendable {
    struct Closed: Error {}

    var calls: [String] = []
    var isClosed = false

    override func save() throws {
        if isClosed { throw Closed() }
        calls.append("save")
        try super.save()
    }

    override func delete(_ object: NSManagedObject) {
        calls.append("delete")
        super.delete(object)
    }

    override func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] {
        calls.append("fetch")
        return try super.fetch(request)
    }

    override func perform(_ block: @escaping @Sendable () -> Void) {
        calls.append("perform")
        super.perform(block)
    }

    override func performAndWait(_ block: () -> Void) {
        calls.append("performAndWait")
        super.performAndWait(block)
    }
}

final class UppercaseTag: NSManagedObject {
    override func primitiveValue(forKey key: String) -> Any? {
        (super.primitiveValue(forKey: key) as? String)?.uppercased()
    }

    override func changedValues() -> [String: Any] { [:] }

    override class func entity() -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = "Overridden"
        return entity
    }
}
