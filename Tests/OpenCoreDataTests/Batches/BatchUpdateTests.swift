import Foundation
import SwormSQLite
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Updates by statements", .overEachStore)
struct BatchUpdateTests {
    private let library: HistoryLibrary
    private var context: NSManagedObjectContext { library.context }

    init() throws {
        library = try HistoryLibrary()
        for index in 1...4 {
            try context.make(index == 4 ? "Novel" : "Book", ["title": "t\(index)", "year": index, "isbn": "i\(index)"])
        }
        try context.save()
    }

    private func titles() throws -> [String?] { try context.all("Book", sort: "year").map { $0.text("title") } }

    @Test func `objects of the context show the values of a statement, and stale objects of other contexts conflict`()
        throws
    {
        let other = GraphLibrary.context(library.coordinator)
        let stale = try other.all("Book", sort: "year")
        #expect(stale[0].text("title") == "t1")
        let books = try context.all("Book", sort: "year")
        #expect(books[0].text("title") == "t1")
        #expect(try context.update("Book", "year < 3", ["title": .string("x"), "stock": .null]) == 2)
        #expect(!context.hasChanges)
        #expect(books.map { $0.text("title") } == ["x", "x", "t3", "t4"])
        #expect(books[0].value(forKey: "stock") == nil)
        stale[0].setValue("mine", forKey: "title")
        #expect(coreDataError { try other.save() }?.errorCode == NSManagedObjectMergeError)
        other.rollback()
        stale[2].setValue("mine", forKey: "title")
        try other.save()
        try library.verify()
    }

    @Test func `the history names the changed properties`() throws {
        let token = library.token
        context.transactionAuthor = "importer"
        #expect(try context.update("Book", "year > 2", ["title": .string("x"), "stock": .int(1)]) == 2)
        let transactions = try context.transactions(.fetchHistory(after: token))
        #expect(transactions.map(\.author) == ["importer"])
        let changes = try #require(transactions.first?.changes)
        #expect(changes.map(\.text) == ["update Book/p3", "update Novel/p4"])
        for change in changes {
            #expect(Set(change.updatedProperties?.map(\.name) ?? []) == ["title", "stock"])
        }
        try library.verify()
    }

    @Test func `values that a save would reject are rejected, whatever is found`() throws {
        for (name, value, code) in [
            ("title", AttributeValue.null, NSValidationMissingMandatoryPropertyError),
            ("year", .string("x"), NSManagedObjectValidationError),
            ("year", .int(1 << 40), NSValidationNumberTooLargeError),
            ("scratch", .string("x"), NSManagedObjectValidationError),
        ] {
            let error = coreDataError { try context.update("Book", "year > 100", [name: value]) }
            #expect(error?.errorCode == code && error?.key == name, "\(name)")
        }
        let error = coreDataError { try context.update("Author", nil, ["age": .int(151)]) }
        #expect(error?.errorCode == NSValidationNumberTooLargeError)
        #expect(try titles() == ["t1", "t2", "t3", "t4"])
    }

    @Test func `a unique value that is taken, or that several would get, is rejected by name`() throws {
        for format in ["year == 1", "year == 2 OR year == 3"] {
            let error = coreDataError {
                try context.update("Book", format, ["isbn": .string("i4"), "title": .string("x")])
            }
            #expect(error?.errorCode == NSManagedObjectConstraintMergeError)
            #expect(error?.key == "isbn" && error?.entity == "Book")
        }
        #expect(try titles() == ["t1", "t2", "t3", "t4"])
        #expect(try context.update("Book", "year == 4", ["isbn": .string("i4")]) == 1)
        #expect(try context.update("Book", nil, ["isbn": .null]) == 4)
        try library.verify()
    }

    @Test(arguments: [false, true])
    func `a condition on the updated columns sees the rows before the update`(keepsHistory: Bool) throws {
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: keepsHistory]
        let folder = try StoreFolder()
        let context = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), options: options))
        let author = try context.make("Author", ["name": "Leo"])
        for index in 1...4 {
            let book = try context.make("Book", ["title": "t\(index)", "year": index])
            if index < 4 { book.setValue(author, forKey: "author") }
        }
        try context.save()
        // Without a history, one statement changes rows and reads others for its condition.
        #expect(try context.update("Book", "ANY author.books.year == 1", ["year": .int(50)]) == 3)
        #expect(try context.all("Book", "year == 50").count == 3)
        #expect(try context.update("Book", "author.books.@max.year == 50", ["year": .int(1)]) == 3)
        #expect(try context.deleteAll("Book", "ANY author.books.year == 1") == 3)
        #expect(try context.all("Book").count == 1)
    }

    @Test func `limits and orders count, and only the entity that was asked for is changed`() throws {
        var specification = try context.specification("Book")
        specification.sorts = [FetchSpecification.Sort(path: ["year"], ascending: false)]
        (specification.limit, specification.offset) = (2, 1)
        let plan = try #require(context.compiledModel?.entity(named: "Book"))
        guard case .attribute(let slot)? = plan.slot(named: "title") else { return }
        #expect(try context.update(specification, setting: [(slot, .string("first")), (slot, .string("x"))]) == 2)
        #expect(try titles() == ["t1", "x", "x", "t4"])
        #expect(try context.update("Novel", nil, ["genre": .string("g"), "title": .string("n")]) == 1)
        #expect(try titles() == ["t1", "x", "x", "n"])
        try library.verify()
    }

    @Test func `with unsaved changes, the objects are changed, and saved with the other objects`() throws {
        try context.make("Book", ["title": "new", "year": 0])
        try context.all("Book", "year == 4")[0].setValue(1, forKey: "year")
        #expect(try context.update("Book", "year < 2", ["title": .string("x")]) == 3)
        #expect(context.hasChanges)
        let other = GraphLibrary.context(library.coordinator)
        #expect(try other.all("Book", "title == 'x'").isEmpty)
        try context.save()
        #expect(try other.all("Book", "title == 'x'").count == 3)
        try library.verify()
    }

    @Test func `changes of other entities wait, and do not keep the statement from being used`() throws {
        try context.make("Tag", ["name": "new"])
        #expect(try context.update("Book", "year < 2", ["title": .string("x")]) == 1)
        #expect(context.updatedObjects.isEmpty && context.insertedObjects.count == 1)
    }

    @Test func `derived attributes follow`() throws {
        let folder = try StoreFolder()
        let owner = Build.entity("Owner", [Build.derived("total", .integer64AttributeType, "parts.@sum.size")])
        let part = Build.entity("Part", [Build.attribute("size", .integer64AttributeType)])
        let (parts, up) = (Build.toMany("parts", part), Build.toOne("owner", owner))
        Build.connect(parts, up)
        owner.properties.append(parts)
        part.properties.append(up)
        let context = GraphLibrary.context(
            try GraphLibrary.coordinator(at: folder.url(), model: Build.model(owner, part)))
        let object = try context.make("Owner")
        for size in 1...3 { try context.make("Part", ["size": size, "owner": object]) }
        try context.save()
        #expect(object.value(forKey: "total") as? Int == 6)
        #expect(try context.update("Part", "size > 1", ["size": .int(10)]) == 2)
        #expect(object.value(forKey: "total") as? Int == 21)
        #expect(try context.deleteAll("Part", "size < 10") == 1)
        #expect(object.value(forKey: "total") as? Int == 20)
        let error = coreDataError { try context.update("Owner", nil, ["total": .int(1)]) }
        #expect(error?.key == "total" && error?.message.contains("derived") == true)
        #expect(try StoreVerification.issues(of: folder.url(), model: #require(context.compiledModel)) == [])
    }

    @Test(arguments: [10, 200_000]) func `files of external content are replaced, one for each row`(size: Int) throws {
        let folder = try StoreFolder()
        let page = Build.entity(
            "Page",
            [
                Build.attribute("number", .integer64AttributeType),
                Build.attribute("scan", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
            ])
        let context = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: Build.model(page)))
        for number in 0..<3 {
            try context.make("Page", ["number": number, "scan": Data(repeating: UInt8(number), count: 150_000)])
        }
        try context.save()
        func files() -> Int {
            context.persistentStoreCoordinator?.sqliteStores.first?.removeUnusedExternalData()
            return folder.externalFiles.count
        }
        #expect(files() == 3)
        let content = Data(repeating: 9, count: size)
        #expect(try context.update("Page", "number > 0", ["scan": .data(content)]) == 2)
        #expect(files() == (size > 1000 ? 3 : 1))
        #expect(
            try context.all("Page", sort: "number").map { ($0.value(forKey: "scan") as? Data)?.count } == [
                150_000, size, size,
            ])
        #expect(try context.deleteAll("Page", "number < 2") == 2)
        #expect(files() == (size > 1000 ? 1 : 0))
        #expect(try context.all("Page").map { $0.value(forKey: "scan") as? Data } == [content])
        #expect(try StoreVerification.issues(of: folder.url(), model: #require(context.compiledModel)) == [])
    }

    @Test func `a row without a version, or with the highest one, begins again`() throws {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let context = GraphLibrary.context(coordinator)
        for name in ["a", "b", "c", "d"] { try context.make("Tag", ["name": name]) }
        try context.save()
        let raw = try folder.raw()
        for (name, version) in [("a", "NULL"), ("b", "9223372036854775807"), ("c", "-5")] {
            try raw.execute("UPDATE ZTAG SET Z_OPT = \(version) WHERE ZNAME = '\(name)'")
        }
        #expect(try context.update("Tag", nil, ["name": .string("x")]) == 4)
        #expect(
            try raw.lines("SELECT Z_OPT, typeof(Z_OPT) FROM ZTAG ORDER BY Z_PK") == [
                "1|integer", "1|integer", "1|integer", "2|integer",
            ])
    }
}
