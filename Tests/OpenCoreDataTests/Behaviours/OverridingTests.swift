import OpenCoreData
import Testing

/// Subclasses of the context and of objects that override members, as code written for Core Data does.
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
