import Foundation
@testable import OpenCoreData
import TestSupport
import Testing

@Suite("Batch requests", .overEachStore)
struct BatchRequestTests {
    private let library: HistoryLibrary
    private var context: NSManagedObjectContext { library.context }

    init() throws {
        library = try HistoryLibrary()
        for index in 1...4 { try context.make(index == 4 ? "Novel" : "Book", ["title": "t\(index)", "year": index]) }
        try context.save()
    }

    private func updated(_ request: NSBatchUpdateRequest) throws -> Any? {
        let answer = try #require(try context.execute(request) as? NSBatchUpdateResult)
        #expect(answer.resultType == request.resultType)
        return answer.result
    }

    private func deleted(_ request: NSBatchDeleteRequest) throws -> Any? {
        let answer = try #require(try context.execute(request) as? NSBatchDeleteResult)
        #expect(answer.resultType == request.resultType)
        return answer.result
    }

    @Test func `an update writes at once, and leaves objects and unsaved changes as they are`() throws {
        let books = try context.all("Book", sort: "year")
        #expect(books[1].text("title") == "t2")
        books[0].setValue("mine", forKey: "title")
        let request = NSBatchUpdateRequest(entityName: "Book")
        request.predicate = NSPredicate(format: "year > %@", argumentArray: [1])
        request.propertiesToUpdate = ["title": "x"]
        #expect(try updated(request) as? Bool == true)
        #expect(books[0].text("title") == "mine" && books[1].text("title") == "t2")
        let other = GraphLibrary.context(library.coordinator)
        #expect(try other.all("Book", sort: "year").map { $0.text("title") } == ["t1", "x", "x", "x"])
        context.refresh(books[1], mergeChanges: true)
        #expect(books[1].text("title") == "x")
        try context.save()
    }

    @Test func `results are numbers or ids, and properties are named in either way`() throws {
        let entity = try #require(library.coordinator.managedObjectModel.entitiesByName["Book"])
        let request = NSBatchUpdateRequest(entity: entity)
        request.includesSubentities = false
        request.propertiesToUpdate = [try #require(entity.attributesByName["isbn"]): NSNull()]
        request.resultType = .updatedObjectsCountResultType
        #expect(try updated(request) as? Int == 3)
        request.resultType = .updatedObjectIDsResultType
        let ids = try #require(try updated(request) as? [NSManagedObjectID])
        #expect(ids.map { $0.uriRepresentation().lastPathComponent } == ["p1", "p2", "p3"])
        let byID = NSBatchDeleteRequest(objectIDs: Array(ids.prefix(2)))
        byID.resultType = .resultTypeCount
        #expect(try deleted(byID) as? Int == 2)
        #expect(try deleted(byID) as? Int == 0)
        let fetch = NSFetchRequest<NSManagedObject>(entityName: "Book")
        fetch.sortDescriptors = [NSSortDescriptor(key: "year", ascending: false)]
        fetch.fetchLimit = 1
        let found = NSBatchDeleteRequest(fetchRequest: fetch)
        found.resultType = .resultTypeObjectIDs
        let gone = try #require(try deleted(found) as? [NSManagedObjectID])
        #expect(gone.map { $0.entity.name } == ["Novel"])
        #expect(try deleted(NSBatchDeleteRequest(fetchRequest: fetch)) as? Bool == true)
        #expect(try context.all("Book").isEmpty)
        #expect(
            try context.changeTexts(.fetchHistory(after: nil as NSPersistentHistoryToken?)).suffix(4)
                == ["delete Book/p1", "delete Book/p2", "delete Novel/p4", "delete Book/p3"])
        try library.verify()
    }

    @Test func `batch requests keep the model's rules`() throws {
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["title": NSNull()]
        var error = coreDataError { _ = try context.execute(update) }
        #expect(error?.errorCode == NSValidationMissingMandatoryPropertyError && error?.key == "title")
        let book = try #require(try context.all("Book", "year == 1").first)
        try context.make("Review", ["book": book])
        book.setValue(try context.make("Shelf"), forKey: "shelf")
        try context.save()
        let shelves = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Shelf"))
        error = coreDataError { _ = try context.execute(shelves) }
        #expect(error?.errorCode == NSValidationRelationshipDeniedDeleteError && error?.key == "content")
        let books = NSBatchDeleteRequest(objectIDs: [book.objectID])
        books.resultType = .resultTypeObjectIDs
        let ids = try #require(try deleted(books) as? [NSManagedObjectID])
        #expect(ids.map { $0.entity.name } == ["Book", "Review"])
        #expect(try deleted(shelves) as? Bool == true)
        try library.verify()
    }

    @Test func `objects that cannot be updated or deleted are named`() throws {
        let request = NSBatchUpdateRequest(entityName: "Book")
        #expect(coreDataError { _ = try context.execute(request) }?.message.contains("is empty") == true)
        request.propertiesToUpdate = ["titel": "x"]
        let unknown = coreDataError { _ = try context.execute(request) }?.message ?? ""
        #expect(unknown.contains("title"), "\(unknown)")
        request.propertiesToUpdate = ["author": NSNull()]
        #expect(coreDataError { _ = try context.execute(request) }?.key == "author")
        request.propertiesToUpdate = [3: "x"]
        #expect(coreDataError { _ = try context.execute(request) }?.message.contains("the key '3'") == true)
        request.propertiesToUpdate = ["year": "x"]
        #expect(coreDataError { _ = try context.execute(request) }?.key == "year")
        #expect(
            coreDataError { _ = try context.execute(NSBatchUpdateRequest(entityName: "Bok")) }?.message.contains("Bok")
                == true)
        let new = try context.make("Book", ["title": "n"])
        let error = coreDataError { _ = try context.execute(NSBatchDeleteRequest(objectIDs: [new.objectID])) }
        #expect(error?.errorCode == NSManagedObjectReferentialIntegrityError)
    }
}
