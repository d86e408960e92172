import Foundation
import SwormPredicates
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Rows that contradict their table")
struct DamagedRowTests {
    /// A store with a novel, a review of it, and a second book; changed by hand.
    private func store(_ sql: String...) throws -> (StoreFolder, NSManagedObjectContext, [String: NSManagedObjectID]) {
        let folder = try StoreFolder()
        var ids: [String: NSManagedObjectID] = [:]
        do {
            let context = try GraphLibrary.context(at: folder.url())
            let novel = try context.make("Novel", ["title": "War", "genre": "epic", "year": 1])
            let book = try context.make("Book", ["title": "Peace", "year": 2])
            let review = try context.make("Review", ["mark": 3, "book": novel])
            try context.save()
            ids = ["novel": novel.objectID, "book": book.objectID, "review": review.objectID]
        }
        let raw = try folder.raw()
        for statement in sql { try raw.execute(statement) }
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        for (name, id) in ids {
            ids[name] = coordinator.managedObjectID(forURIRepresentation: id.uriRepresentation())
        }
        let context = GraphLibrary.context(coordinator)
        // The folder lives as long as what reads from it.
        context.userInfo["folder"] = folder
        return (folder, context, ids)
    }

    @Test(arguments: ["999", "0", "-1", "9223372036854775807", "-9223372036854775808", "1"])
    func `an entity number that does not belong to the table is an error that names the row`(number: String) throws {
        let (_, context, ids) = try store("UPDATE ZBOOK SET Z_ENT = \(number) WHERE ZTITLE = 'Peace'")
        let error = try #require(coreDataError { _ = try context.all("Book") })
        #expect(error.errorCode == CocoaError.Code.fileReadCorruptFile.rawValue)
        #expect(error.message.contains("Book") && error.message.contains(number), "\(error.message)")
        let issue = context.object(with: try #require(ids["book"]))
        #expect(issue.text("title") == nil)
        #expect(coreDataError { try context.save() }?.errorCode == CocoaError.Code.fileReadCorruptFile.rawValue)
        #expect(try context.all("Novel").count == 1)
        #expect(try context.all("Review").first?.object("book")?.text("title") == "War")
    }

    @Test(arguments: ["999", "-9223372036854775808", "NULL", "1"])
    func `a to-one column with a wrong entity number points to the row all the same`(number: String) throws {
        let (_, context, ids) = try store("UPDATE ZREVIEW SET Z2_BOOK = \(number)")
        let review = try #require(try context.all("Review").first)
        let book = try #require(review.object("book"))
        #expect(book.text("title") == "War")
        // The row itself knows what it is.
        #expect(book.entity.name == "Novel" && book.text("genre") == "epic")
        #expect(book.objectID == ids["novel"])
        book.setValue("tragedy", forKey: "genre")
        try context.save()
        #expect(try context.all("Novel", "genre == 'tragedy'") == [book])
    }

    @Test func `an id that names the parent entity points to the object of the sub-entity`() throws {
        let (_, context, ids) = try store()
        let coordinator = try #require(context.persistentStoreCoordinator)
        let text = try #require(ids["novel"]).uriRepresentation().absoluteString
        let uri = try #require(URL(string: text.replacingOccurrences(of: "Novel", with: "Book")))
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
        let object = context.object(with: id)
        #expect(object.text("title") == "War" && object.text("genre") == "epic" && object.entity.name == "Novel")
        // The other way round there is no such novel.
        let book = try #require(ids["book"]).uriRepresentation().absoluteString
        let wrong = try #require(URL(string: book.replacingOccurrences(of: "Book", with: "Novel")))
        let none = try #require(coordinator.managedObjectID(forURIRepresentation: wrong))
        let error = coreDataError { _ = try context.existingObject(with: none) }
        #expect(error?.errorCode == NSManagedObjectReferentialIntegrityError)
    }

    @Test func `a damaged neighbour does not keep an object from being read`() throws {
        let folder = try StoreFolder()
        do {
            let context = try GraphLibrary.context(at: folder.url())
            for number in 0..<5 {
                try context.make(
                    "Book", ["title": "\(number)", "author": try context.make("Author", ["name": "A\(number)"])])
            }
            try context.save()
        }
        try folder.raw().execute("UPDATE ZAUTHOR SET ZNAME = X'FF' WHERE ZNAME = 'A3'")
        let context = try GraphLibrary.context(at: folder.url())
        let books = try context.all("Book", sort: "title")
        #expect(books.map { $0.object("author")?.text("name") } == ["A0", "A1", "A2", nil, "A4"])
        let error = coreDataError { _ = try context.all("Book") }
        #expect(error?.key == "name" && error?.entity == "Author")
    }

    @Test func `siblings with relationships of one name are not read as one`() throws {
        let base = Build.entity("Base", [Build.attribute("name")])
        let (left, right) = (Build.entity("Left"), Build.entity("Right"))
        let (apple, pear) = (Build.entity("Apple"), Build.entity("Pear"))
        for (side, fruit) in [(left, apple), (right, pear)] {
            let many = Build.toMany("fruit", fruit)
            let one = Build.toOne("side", side)
            Build.connect(many, one)
            side.properties = [many]
            fruit.properties = [one]
        }
        base.subentities = [left, right]
        let coordinator = try GraphLibrary.coordinator(model: Build.model(base, left, right, apple, pear))
        let writer = GraphLibrary.context(coordinator)
        try writer.make("Left", ["name": "l", "fruit": Set([try writer.make("Apple")])])
        try writer.make("Right", ["name": "r", "fruit": Set([try writer.make("Pear"), try writer.make("Pear")])])
        try writer.save()
        let context = GraphLibrary.context(coordinator)
        let all = try context.all("Base", sort: "name")
        #expect(all.map { $0.set("fruit").count } == [1, 2])
        #expect(all.flatMap { $0.set("fruit") }.compactMap(\.entity.name).sorted() == ["Apple", "Pear", "Pear"])
    }
}
