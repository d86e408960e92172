import Foundation
import SwormStore
import TestSupport
import Testing

@testable import OpenCoreData

@Suite("Fetched results controllers", .overEachStore)
struct FetchedResultsControllerTests {
    private let context: NSManagedObjectContext

    init() throws { context = GraphLibrary.context(try ShopModel.coordinator()) }

    private func titles(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String?] {
        (controller.fetchedObjects ?? []).map { $0.text("title") }
    }

    @discardableResult
    private func make(_ titles: String...) throws -> [NSManagedObject] {
        let books = try titles.map { try context.make("Book", ["title": $0]) }
        try context.save()
        return books
    }

    @Test func `have nothing before the first fetch, then the objects in order`() throws {
        try make("b", "a")
        let controller = ShopModel.controller(context, sorts: ["title"])
        #expect(controller.fetchedObjects == nil && controller.sections == nil)
        #expect(controller.sectionIndexTitles.isEmpty && controller.cacheName == "cache")
        try controller.performFetch()
        #expect(titles(controller) == ["a", "b"] && controller.object(at: [0, 1]).text("title") == "b")
        let section = try #require(controller.sections?.first)
        #expect(section.name.isEmpty && section.numberOfObjects == 2 && section.objects?.count == 2)
        #expect(controller.managedObjectContext === context && controller.fetchRequest.entityName == "Book")
        NSFetchedResultsController<NSManagedObject>.deleteCache(withName: nil)
    }

    @Test func `see unsaved objects, and follow no changes without a delegate`() throws {
        try context.make("Book", ["title": "a"])
        let controller = ShopModel.controller(context, sorts: ["title"])
        try controller.performFetch()
        #expect(titles(controller) == ["a"])
        try context.make("Book", ["title": "b"])
        context.processPendingChanges()
        #expect(titles(controller) == ["a"])
        let mirror = TableMirror(render: ShopModel.render)
        mirror.reload(controller)
        controller.delegate = mirror
        try context.make("Book", ["title": "c"])
        context.processPendingChanges()
        #expect(titles(controller) == ["a", "b", "c"])
        #expect(mirror.differences(from: controller).isEmpty && mirror.counts["insert"] == 2)
    }

    @Test func `find the index path of an object`() throws {
        let books = try make("b", "a", "c")
        books[0].setValue("x", forKey: "genre")
        let controller = ShopModel.controller(context, "title != 'c'", sorts: ["genre", "title"], sections: "genre")
        try controller.performFetch()
        #expect(controller.indexPath(forObject: books[1]) == [0, 0])
        #expect(controller.indexPath(forObject: books[0]) == [1, 0])
        #expect(controller.indexPath(forObject: books[2]) == nil)
        #expect(controller.sections?.map(\.name) == ["", "x"])
    }

    @Test func `an index path without an object is an error of the next fetch`() throws {
        let controller = ShopModel.controller(context, sorts: ["title"])
        try controller.performFetch()
        for path: IndexPath in [[0, 0], [1, 0], [0], [0, -1]] {
            #expect(controller.object(at: path).managedObjectContext == nil)
            let error = coreDataError { _ = try context.all("Book") }
            #expect(error?.message.contains("index path \(path.map { $0 })") ?? false)
            context.rollback()
        }
    }

    @Test func `an order is needed, and a request for objects`() throws {
        let unsorted = ShopModel.controller(context, sorts: [])
        #expect(coreDataError { try unsorted.performFetch() }?.message.contains("sortDescriptors") ?? false)
        let ids = ShopModel.controller(context, sorts: ["title"]) { $0.resultType = .dictionaryResultType }
        #expect(coreDataError { try ids.performFetch() }?.message.contains("resultType") ?? false)
        let wrong = ShopModel.controller(context, "titel == 'a'", sorts: ["title"])
        #expect(throws: (any Error).self) { try wrong.performFetch() }
        #expect(wrong.fetchedObjects == nil)
    }

    @Test func `sections need the order of their names`() throws {
        let books = try make("a", "b", "c")
        for (book, genre) in zip(books, ["x", "y", "x"]) { book.setValue(genre, forKey: "genre") }
        let controller = ShopModel.controller(context, sorts: ["title"], sections: "genre")
        let error = coreDataError { try controller.performFetch() }
        #expect(error?.key == "genre" && error?.message.contains("'x'") ?? false)
        books[2].setValue("y", forKey: "genre")
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["x", "y"])
    }

    @Test func `sections have names of all types, and titles`() throws {
        let books = try make("a", "b", "c", "d")
        for (book, genre) in zip(books, ["novel", "play", "poem", "essay"]) { book.setValue(genre, forKey: "genre") }
        for (book, year) in zip(books, [3, 1, 3, 2]) { book.setValue(year, forKey: "year") }
        let years = ShopModel.controller(context, sorts: ["year", "title"], sections: "year")
        try years.performFetch()
        #expect(years.sections?.map(\.name) == ["1", "2", "3"] && years.sections?[2].numberOfObjects == 2)
        let genres = ShopModel.controller(context, sorts: ["genre"], sections: "genre")
        try genres.performFetch()
        #expect(genres.sections?.map(\.indexTitle) == ["E", "N", "P", "P"])
        #expect(genres.sectionIndexTitles == ["E", "N", "P"])
        #expect(genres.section(forSectionIndexTitle: "P", at: 2) == 2)
        #expect(genres.section(forSectionIndexTitle: "N", at: 7) == 1)
        #expect(genres.section(forSectionIndexTitle: "Q", at: 0) == NSNotFound)
        final class Titles: NSFetchedResultsControllerDelegate {
            func controller(
                _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
                sectionIndexTitleForSectionName sectionName: String
            ) -> String? { sectionName == "play" ? nil : String(sectionName.suffix(1)) }
        }
        let delegate = Titles()
        genres.delegate = delegate
        #expect(genres.sectionIndexTitles == ["y", "l", "m"])
    }

    @Test func `an object has one change, and one that moved and changed is moved`() throws {
        let books = try make("a", "b", "c")
        let controller = ShopModel.controller(context, sorts: ["title"])
        let mirror = TableMirror(render: ShopModel.render)
        controller.delegate = mirror
        try controller.performFetch()
        mirror.reload(controller)
        context.performAndWait {
            books[0].setValue("d", forKey: "title")
            books[0].setValue(3, forKey: "year")
            books[1].setValue(4, forKey: "year")
        }
        #expect(mirror.counts == ["batch": 1, "move": 1, "update": 1])
        #expect(mirror.differences(from: controller).isEmpty)
        books[2].setValue("note", forKey: "note")
        books[2].setValue(nil, forKey: "note")
        context.processPendingChanges()
        #expect(mirror.counts["update"] == 2)
        try context.save()
        #expect(mirror.counts["batch"] == 2)
    }

    @Test func `a row leaves a deleted section, and enters an inserted one, without a move`() throws {
        let books = try make("a", "b", "c")
        for (book, genre) in zip(books, ["x", "y", "y"]) { book.setValue(genre, forKey: "genre") }
        let controller = ShopModel.controller(context, sorts: ["genre", "title"], sections: "genre")
        let mirror = TableMirror(render: ShopModel.render)
        controller.delegate = mirror
        try controller.performFetch()
        mirror.reload(controller)
        books[0].setValue("y", forKey: "genre")
        context.processPendingChanges()
        #expect(mirror.counts == ["batch": 1, "section delete": 1, "delete": 1, "insert": 1])
        books[2].setValue("z", forKey: "genre")
        context.processPendingChanges()
        #expect(mirror.counts == ["batch": 2, "section delete": 1, "section insert": 1, "delete": 2, "insert": 2])
        books[1].setValue("z", forKey: "genre")
        context.processPendingChanges()
        #expect(mirror.counts["move"] == 1 && mirror.differences(from: controller).isEmpty)
        #expect(controller.sections?.map(\.numberOfObjects) == [1, 2])
    }

    @Test func `changes of other entities are no changes, unless a condition or the order reads them`() throws {
        let books = try make("a", "b")
        let author = try context.make("Author", ["name": "x"])
        books[0].setValue(author, forKey: "author")
        try context.save()
        let mirrors = try [
            ShopModel.controller(context, sorts: ["title"]),
            ShopModel.controller(context, "author.name == 'y'", sorts: ["title"]),
            ShopModel.controller(context, sorts: ["-author.name", "title"]),
        ].map { controller in
            let mirror = TableMirror(render: ShopModel.render)
            controller.delegate = mirror
            try controller.performFetch()
            mirror.reload(controller)
            return (controller, mirror)
        }
        author.setValue("y", forKey: "name")
        context.processPendingChanges()
        #expect(mirrors[0].1.counts.isEmpty)
        #expect(mirrors[1].1.counts == ["batch": 1, "insert": 1] && titles(mirrors[1].0) == ["a"])
        context.delete(author)
        context.processPendingChanges()
        #expect(titles(mirrors[1].0).isEmpty && titles(mirrors[2].0) == ["a", "b"])
        for (controller, mirror) in mirrors { #expect(mirror.differences(from: controller).isEmpty) }
    }

    @Test func `a difference has the updated objects, and permanent ids once they are saved`() throws {
        let books = try make("a", "b")
        let controller = ShopModel.controller(context, sorts: ["title"])
        let mirror = ListMirror()
        controller.delegate = mirror
        try controller.performFetch()
        mirror.reload(controller)
        books[1].setValue(3, forKey: "year")
        context.processPendingChanges()
        #expect(mirror.touched == [books[1].objectID] && mirror.faults.isEmpty)
        let new = try context.make("Book", ["title": "ab"])
        context.processPendingChanges()
        #expect(mirror.ids[1].isTemporaryID)
        try context.save()
        #expect(mirror.ids == [books[0].objectID, new.objectID, books[1].objectID] && !mirror.ids[1].isTemporaryID)
        #expect(mirror.faults.isEmpty && mirror.calls == 3)
    }

    @Test func `calls that a delegate does not have are not made again`() throws {
        final class Delegate: NSFetchedResultsControllerDelegate {
            var ends = 0
            var isSame = false
            weak var expected: NSFetchedResultsController<NSManagedObject>?
            func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
                ends += 1
                isSame = controller === expected && !(controller !== expected)
            }
        }
        let controller = ShopModel.controller(context, sorts: ["title"])
        let delegate = Delegate()
        delegate.expected = controller
        controller.delegate = delegate
        try controller.performFetch()
        try context.make("Book", ["title": "a"])
        context.processPendingChanges()
        #expect(delegate.ends == 1 && delegate.isSame)
        #expect(
            controller.results.missingCalls == [.difference, .beginning, .sections, .objects]
                || controller.results.missingCalls == [.difference, .beginning, .objects])
        let other = ShopModel.controller(context, sorts: ["title"])
        #expect(other !== controller && !(other === controller))
        controller.delegate = nil
        #expect(controller.results.missingCalls.isEmpty)
    }

    @Test func `a delegate may change objects and save, which is the next event`() throws {
        let books = try make("a", "b")
        let controller = ShopModel.controller(context, sorts: ["title"])
        final class Saver: NSFetchedResultsControllerDelegate {
            var action: (() -> Void)?
            let mirror = TableMirror(render: ShopModel.render)
            func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
                mirror.controllerWillChangeContent(controller)
            }
            func controller(
                _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
                at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
            ) {
                mirror.controller(
                    controller, didChange: anObject, at: indexPath, for: type, newIndexPath: newIndexPath)
                let action = action
                self.action = nil
                action?()
            }
            func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
                mirror.controllerDidChangeContent(controller)
            }
        }
        let saver = Saver()
        controller.delegate = saver
        try controller.performFetch()
        saver.mirror.reload(controller)
        saver.action = { [context] in
            books[1].setValue("0", forKey: "title")
            do {
                try context.make("Book", ["title": "new"])
                try context.save()
            } catch {
                Issue.record(error)
            }
        }
        books[0].setValue("c", forKey: "title")
        context.processPendingChanges()
        #expect(titles(controller) == ["0", "c", "new"] && !context.hasChanges)
        #expect(saver.mirror.differences(from: controller).isEmpty && saver.mirror.counts["batch"] == 2)
    }

    @Test func `a removed store leaves no objects`() async throws {
        try make("a")
        let controller = ShopModel.controller(context, sorts: ["title"])
        let mirror = TableMirror(render: ShopModel.render)
        controller.delegate = mirror
        try controller.performFetch()
        mirror.reload(controller)
        let coordinator = try #require(context.persistentStoreCoordinator)
        try coordinator.remove(try #require(coordinator.persistentStores.first))
        await context.perform {}
        #expect(controller.fetchedObjects?.isEmpty ?? false)
        #expect(mirror.differences(from: controller).isEmpty && mirror.counts["delete"] == 1)
    }

    @Test func `a restored state is followed`() throws {
        let books = try make("a", "b")
        let controller = ShopModel.controller(context, sorts: ["title"])
        let mirror = TableMirror(render: ShopModel.render)
        controller.delegate = mirror
        try controller.performFetch()
        mirror.reload(controller)
        let checkpoint = context.checkpoint()
        try context.make("Book", ["title": "c"])
        books[0].setValue("d", forKey: "title")
        context.delete(books[1])
        context.processPendingChanges()
        #expect(titles(controller) == ["c", "d"])
        context.restore(checkpoint)
        context.processPendingChanges()
        #expect(titles(controller) == ["a", "b"] && mirror.differences(from: controller).isEmpty)
    }

    @Test func `a thousand merged rows are fetched at once`() throws {
        try make("a")
        let controller = ShopModel.controller(context, sorts: ["title"])
        let mirror = TableMirror(render: ShopModel.render)
        controller.delegate = mirror
        try controller.performFetch()
        mirror.reload(controller)
        let other = GraphLibrary.context(try #require(context.persistentStoreCoordinator))
        for number in 0..<1000 { try other.make("Book", ["title": "n\(number)"]) }
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: other, queue: nil
        ) { [context] in context.mergeChanges(fromContextDidSave: $0) }
        defer { NotificationCenter.default.removeObserver(observer) }
        try other.save()
        #expect(controller.fetchedObjects?.count == 1001 && mirror.counts == ["batch": 1, "insert": 1000])
        #expect(mirror.differences(from: controller).isEmpty)
    }
}
