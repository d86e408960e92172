import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Batch insertions", .overEachStore)
struct BatchInsertionTests {
    private func execute(_ request: NSBatchInsertRequest, _ context: NSManagedObjectContext) throws -> Any? {
        let answer = try #require(try context.execute(request) as? NSBatchInsertResult)
        #expect(answer.resultType == request.resultType)
        return answer.result
    }

    private func verify(_ folder: StoreFolder, _ context: NSManagedObjectContext) throws {
        let coordinator = try #require(context.persistentStoreCoordinator)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        #expect(
            try StoreVerification.issues(of: folder.url(), model: coordinator.managedObjectModel.compiled()) == [])
    }

    @Test func `dictionaries become rows, with defaults for missing keys`() throws {
        let folder = try StoreFolder()
        let context = try GraphLibrary.context(at: folder.url())
        try context.make("Novel", ["title": "before"])
        try context.save()
        let request = NSBatchInsertRequest(
            entityName: "Book",
            objects: [
                ["title": "A", "year": 1900, "isbn": "1"], ["title": "B", "stock": NSNull(), "scratch": "nowhere"],
                ["title": "C", "stock": 3],
            ])
        request.resultType = .objectIDs
        let ids = try #require(try execute(request, context) as? [NSManagedObjectID])
        #expect(ids.map { $0.uriRepresentation().lastPathComponent } == ["p2", "p3", "p4"])
        let books = try ids.map { try context.existingObject(with: $0) }
        #expect(books.map { $0.text("title") } == ["A", "B", "C"])
        #expect(books.map { $0.value(forKey: "stock") as? Int } == [7, nil, 3])
        #expect(books.map { $0.value(forKey: "year") as? Int } == [1900, nil, nil])
        // It is saved already, and other contexts see it.
        #expect(!context.hasChanges)
        let other = GraphLibrary.context(try #require(context.persistentStoreCoordinator))
        #expect(try other.all("Book").count == 4)
        try other.make("Book", ["title": "D"])
        try other.save()
        #expect(try other.all("Book", "title == 'D'").first?.objectID.uriRepresentation().lastPathComponent == "p5")
        try verify(folder, context)
    }

    @Test(arguments: [NSMergePolicy.error, .mergeByPropertyObjectTrump])
    func `derived attributes of inserted and of updated rows are computed`(policy: NSMergePolicy) throws {
        let owner = Build.entity("Owner", [Build.attribute("name")])
        let part = Build.entity(
            "Part",
            [
                Build.attribute("code"), Build.attribute("size", .integer64AttributeType),
                Build.derived("plain", .stringAttributeType, "canonical:(code)"),
                Build.derived("double", .doubleAttributeType, "size"),
                Build.derived("saved", .dateAttributeType, "now()"),
            ])
        part.uniquenessConstraints = [["code"]]
        let folder = try StoreFolder()
        let context = GraphLibrary.context(
            try GraphLibrary.coordinator(at: folder.url(), model: Build.model(owner, part)))
        context.mergePolicy = policy
        func insert(_ objects: [[String: Any]]) throws {
            _ = try execute(NSBatchInsertRequest(entityName: "Part", objects: objects), context)
        }
        try insert((0..<600).map { ["code": "É\($0)", "size": $0] })
        #expect(try context.all("Part", "plain == 'e599' AND double == 599.0 AND saved != nil").count == 1)
        #expect(try context.all("Part", "plain BEGINSWITH 'e' AND saved != nil AND double != nil").count == 600)
        if policy !== NSMergePolicy.error {
            try insert([["code": "É5", "size": 1000], ["code": "Ö", "size": 1]])
            #expect(try context.all("Part", "plain == 'e5'").map { $0.value(forKey: "double") as? Double } == [1000])
            #expect(try context.all("Part", "plain == 'o'").map { $0.value(forKey: "double") as? Double } == [1])
        }
        try verify(folder, context)
    }

    @Test func `handlers fill in objects until they return true`() throws {
        let folder = try StoreFolder()
        let context = try GraphLibrary.context(at: folder.url())
        var count = 0
        let dictionaries = NSBatchInsertRequest(entityName: "Tag") { (values: NSMutableDictionary) in
            count += 1
            values["name"] = "tag \(count)"
            return count > 700
        }
        dictionaries.resultType = .count
        #expect(try execute(dictionaries, context) as? Int == 700)
        var number = 0
        let entity = try #require(context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Tag"])
        let objects = NSBatchInsertRequest(entity: entity) { (object: NSManagedObject) in
            number += 1
            object.setValue("object \(number)", forKey: "name")
            return number > 3
        }
        #expect(try execute(objects, context) as? Bool == true)
        #expect(try context.all("Tag", "name BEGINSWITH 'tag'").count == 700)
        #expect(try context.all("Tag", "name BEGINSWITH 'object'").count == 3)
        try verify(folder, context)
    }

    @Test func `objects that a save would reject are rejected, and nothing is inserted`() throws {
        let context = try GraphLibrary.context(at: nil)
        func code(_ entity: String, _ objects: [[String: Any]]) -> Int? {
            coreDataError { _ = try context.execute(NSBatchInsertRequest(entityName: entity, objects: objects)) }?
                .errorCode
        }
        #expect(code("Book", [["title": "A"], [:]]) == NSValidationMissingMandatoryPropertyError)
        #expect(code("Author", [["name": "Leo"], ["name": "L"]]) == NSValidationStringTooShortError)
        #expect(code("Author", [["name": "Leo", "age": 151]]) == NSValidationNumberTooLargeError)
        #expect(code("Author", [["name": "Leo", "age": 40_000]]) == NSValidationNumberTooLargeError)
        #expect(code("Author", [["name": "Leo", "code": "a"]]) == NSValidationStringPatternMatchingError)
        #expect(code("Author", [["name": 5]]) == NSManagedObjectValidationError)
        #expect(code("Author", [["name": "Leo", "nmae": "Leo"]]) == NSManagedObjectValidationError)
        #expect(
            code("Book", [["title": "A", "author": NSNull()], ["title": "B", "tags": Set<NSManagedObject>()]]) == nil)
        let author = try context.make("Author", ["name": "Leo"])
        #expect(code("Book", [["title": "A", "author": author]]) != nil)
        #expect(code("Nothing", []) != nil)
        context.rollback()
        #expect(try context.all("Author").isEmpty)
        #expect(try context.all("Book").count == 2)
    }

    @Test func `an entity that is abstract, or needs a relationship, cannot be inserted so`() throws {
        let shape = Build.entity("Shape", [Build.attribute("name")])
        shape.isAbstract = true
        let circle = Build.entity("Circle", [Build.attribute("radius", .doubleAttributeType)])
        shape.subentities = [circle]
        let page = Build.entity("Page", [Build.attribute("number")])
        let shapes = Build.toMany("shapes", circle)
        let pageOf = Build.toOne("page", page) { $0.isOptional = false }
        Build.connect(shapes, pageOf)
        circle.properties += [pageOf]
        page.properties += [shapes]
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(shape, circle, page)))
        let abstract = coreDataError {
            _ = try context.execute(NSBatchInsertRequest(entityName: "Shape", objects: [[:]]))
        }
        #expect(abstract?.errorCode == NSManagedObjectValidationError && abstract?.message.contains("abstract") == true)
        let lonely = coreDataError {
            _ = try context.execute(NSBatchInsertRequest(entityName: "Circle", objects: [[:]]))
        }
        #expect(lonely?.errorCode == NSValidationMissingMandatoryPropertyError && lonely?.key == "page")
        // Of no objects there is nothing to refuse.
        _ = try context.execute(NSBatchInsertRequest(entityName: "Circle", objects: []))
        #expect(try context.all("Shape").isEmpty)
    }

    @Test func `the history contains each row, with its author`() throws {
        let library = try HistoryLibrary()
        try library.saveTag("before")
        let token = library.token
        library.context.transactionAuthor = "importer"
        _ = try execute(
            NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"], ["name": "b"]]), library.context)
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let transactions = try library.context.transactions(request)
        #expect(transactions.map(\.author) == ["importer"])
        #expect(transactions.first?.changes?.map(\.text).sorted() == ["insert Tag/p2", "insert Tag/p3"])
        try library.verify()
    }

    @Test func `a key that another process has taken is not used again`() throws {
        let folder = try StoreFolder()
        let context = try GraphLibrary.context(at: folder.url())
        // Ids are given out before the objects are saved.
        let tag = try context.make("Tag", ["name": "held"])
        try context.obtainPermanentIDs(for: [tag])
        _ = try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["name": "batch"]]))
        try context.save()
        #expect(
            try context.all("Tag", sort: "name").map { $0.objectID.uriRepresentation().lastPathComponent } == [
                "p2", "p1",
            ])
        try verify(folder, context)
    }
}
