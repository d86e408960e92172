import Foundation
import TestSupport
import Testing

@testable import OpenCoreData

@Suite("Sections and types of fetched results controllers", .overEachStore)
struct FetchedResultsSectionTests {
    private let context: NSManagedObjectContext

    init() throws { context = GraphLibrary.context(try ShopModel.coordinator()) }

    @Test func `objects with nil and with an empty string are in one section`() throws {
        for genre in [nil, "", "x"] as [String?] {
            try context.make("Book", ["title": "a"]).setValue(genre, forKey: "genre")
        }
        let controller = ShopModel.controller(context, sorts: ["genre"], sections: "genre")
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["", "x"])
        #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
    }

    @Test func `names of Boolean and transient values are Core Data's`() throws {
        let entity = Build.entity("Task", [Build.attribute("isDone", .booleanAttributeType), Build.attribute("title")])
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(entity)))
        for isDone in [true, false, true] { try context.make("Task", ["isDone": isDone]) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Task")
        request.sortDescriptors = [NSSortDescriptor(key: "isDone", ascending: false)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "isDone", cacheName: nil)
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["1", "0"])
    }

    @Test func `sections by a transient value follow its changes`() throws {
        let books = try ["Anna", "Bert", "Carl"].map { try context.make("Book", ["title": $0]) }
        for (book, initial) in zip(books, ["A", "B", "B"]) { book.setValue(initial, forKey: "initial") }
        let controller = ShopModel.controller(context, sorts: ["title"], sections: "initial")
        let mirror = TableMirror(render: ShopModel.render)
        controller.delegate = mirror
        try controller.performFetch()
        mirror.reload(controller)
        #expect(controller.sections?.map(\.name) == ["A", "B"])
        books[2].setValue("C", forKey: "initial")
        context.processPendingChanges()
        #expect(
            controller.sections?.map(\.name) == ["A", "B", "C"] && controller.sectionIndexTitles == ["A", "B", "C"])
        #expect(mirror.differences(from: controller).isEmpty && mirror.counts["section insert"] == 1)
    }

    @Test func `a subclass decides the titles, also those that a delegate sees`() throws {
        final class Titled: NSFetchedResultsController<NSManagedObject> {
            override func sectionIndexTitle(forSectionName sectionName: String) -> String? { "<\(sectionName)>" }
        }
        final class Delegate: NSFetchedResultsControllerDelegate {
            var titles: [String?] = []
            func controller(
                _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
                didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
                for type: NSFetchedResultsChangeType
            ) {
                titles.append(sectionInfo.indexTitle)
            }
        }
        let plain = ShopModel.controller(context, sorts: ["genre"], sections: "genre")
        let controller = Titled(
            fetchRequest: plain.fetchRequest, managedObjectContext: context, sectionNameKeyPath: "genre",
            cacheName: nil)
        let delegate = Delegate()
        controller.delegate = delegate
        try controller.performFetch()
        try context.make("Book", ["genre": "play"])
        context.processPendingChanges()
        #expect(delegate.titles == ["<play>"] && controller.sections?.map(\.indexTitle) == ["<play>"])
        #expect(controller.sectionIndexTitles == ["<play>"])
        #expect(controller.section(forSectionIndexTitle: "<play>", at: 0) == 0)
    }

    @Test func `sections keep the objects that they had`() throws {
        let book = try context.make("Book", ["genre": "play"])
        let controller = ShopModel.controller(context, sorts: ["genre"], sections: "genre")
        let mirror = TableMirror(render: ShopModel.render)
        controller.delegate = mirror
        try controller.performFetch()
        let section = try #require(controller.sections?.first)
        try context.make("Book", ["genre": "play"])
        context.processPendingChanges()
        #expect(section.objects as? [NSManagedObject] == [book] && section.numberOfObjects == 1)
        #expect(controller.sections?.first?.numberOfObjects == 2)
    }

    // MARK: Types

    private func tags(_ model: NSManagedObjectModel) throws -> NSFetchedResultsController<LifeTag> {
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model))
        let request = NSFetchRequest<LifeTag>(entityName: "Tag")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    }

    @Test func `an index path without an object has one of the results' type, also before the first fetch`() throws {
        let model = GraphLibrary.model()
        model.entitiesByName["Tag"]?.managedObjectClassName = String(reflecting: LifeTag.self)
        let controller = try tags(model)
        #expect(controller.object(at: [0, 0]).managedObjectContext == nil)
        #expect(coreDataError { _ = try controller.managedObjectContext.all("Tag") } != nil)
        try controller.performFetch()
        let tag = LifeTag(context: controller.managedObjectContext)
        #expect(controller.object(at: [0, 3]).managedObjectContext == nil)
        #expect(coreDataError { _ = try controller.managedObjectContext.all("Tag") } != nil)
        try controller.performFetch()
        #expect(controller.object(at: [0, 0]) === tag)
    }

    @Test func `objects of another class are an error, and no results`() throws {
        let controller = try tags(GraphLibrary.model())
        let context = controller.managedObjectContext
        let mirror = ListMirror()
        controller.delegate = mirror
        try controller.performFetch()
        try context.make("Tag", ["name": "a"])
        context.processPendingChanges()
        #expect(controller.fetchedObjects?.isEmpty ?? false && mirror.calls == 0)
        let error = coreDataError { _ = try context.all("Tag") }
        #expect(error?.entity == "Tag" && error?.message.contains("type of the controller") ?? false)
        #expect(coreDataError { try controller.performFetch() }?.message == error?.message)
        // The error is recorded once.
        try context.save()
        #expect(try context.all("Tag").count == 1)
    }
}
