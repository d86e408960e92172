import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Rows with impossible keys and links")
struct LyingRowTests {
    private static let least = "-9223372036854775808"

    /// A store with two novels, a book, an author of all, a review and three persons; changed by hand.
    private func store(_ statements: [String]) throws -> (StoreFolder, NSManagedObjectContext) {
        let folder = try StoreFolder()
        do {
            let context = try GraphLibrary.context(at: folder.url())
            let author = try context.make("Author", ["name": "Leo"])
            let shelf = try context.make("Shelf", ["label": "A"])
            for (number, entity) in ["Book", "Novel", "Novel"].enumerated() {
                let book = try context.make(
                    entity, ["title": "T\(number)", "author": author, "isbn": "\(number)", "shelf": shelf])
                try context.make("Review", ["mark": 3, "book": book])
                book.setValue(Set([try context.make("Tag", ["name": "N\(number)"])]), forKey: "tags")
            }
            let persons = try (0..<3).map { try context.make("Person", ["name": "P\($0)"]) }
            persons[0].setValue(persons[1], forKey: "partner")
            persons[0].setValue(Set(persons[1...]), forKey: "children")
            persons[0].setValue(Set([persons[2]]), forKey: "friends")
            try context.save()
        }
        let raw = try folder.raw()
        for statement in statements { try raw.execute(statement) }
        return (folder, try GraphLibrary.context(at: folder.url()))
    }

    @Test(arguments: [least, "-1", "0"])
    func `a key below 1 is an error that names it, and other entities can be read`(key: String) throws {
        let (_folder, context) = try store(["UPDATE ZBOOK SET Z_PK = \(key) WHERE ZTITLE = 'T1'"])
        defer { withExtendedLifetime(_folder) {} }
        let error = try #require(coreDataError { _ = try context.all("Book", sort: "title") })
        #expect(error.errorCode == CocoaError.Code.fileReadCorruptFile.rawValue)
        #expect(error.message.contains("Book") && error.message.contains("key \(key)"), "\(error.message)")
        #expect(try context.all("Book", "title == 'T0'").count == 1)
        let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        request.resultType = .managedObjectIDResultType
        #expect(coreDataError { _ = try context.fetch(request) }?.message == error.message)
        let author = try #require(try context.all("Author").first)
        #expect(author.set("books").isEmpty)
        #expect(coreDataError { try context.save() } != nil)
        #expect(try context.all("Author", sort: "SELF").count == 1)
    }

    @Test(arguments: [least, "-1", "0"])
    func `a to-one link below 1 points to nothing`(key: String) throws {
        let (_folder, context) = try store(["UPDATE ZBOOK SET ZAUTHOR = \(key) WHERE ZTITLE = 'T1'"])
        defer { withExtendedLifetime(_folder) {} }
        let books = try context.all("Book", sort: "title")
        #expect(books.map { $0.object("author")?.text("name") } == ["Leo", nil, "Leo"])
        // In the store's order and in memory: an unsaved change makes the context sort.
        books[0].setValue("Z", forKey: "title")
        #expect(try context.all("Book", sort: "author").count == 3)
        books[1].setValue(books[0].object("author"), forKey: "author")
        try context.save()
        #expect(try context.all("Author").first?.set("books").count == 3)
    }

    @Test(arguments: [least, "-1", "0"])
    func `a to-one link below 1 can be cleared`(key: String) throws {
        let (folder, context) = try store(["UPDATE ZBOOK SET ZAUTHOR = \(key) WHERE ZTITLE = 'T1'"])
        let book = try #require(try context.all("Book", "title == 'T1'").first)
        book.setValue(nil, forKey: "author")
        try context.save()
        #expect(try folder.raw().lines("SELECT ZAUTHOR FROM ZBOOK WHERE ZTITLE = 'T1'") == ["NULL"])
    }

    @Test(arguments: [least, "9223372036854775807", "0", "77"])
    func `a member with an entity number out of range is an error, and its owner stays`(number: String) throws {
        let (_folder, context) = try store(["UPDATE ZBOOK SET Z_ENT = \(number) WHERE ZTITLE = 'T1'"])
        defer { withExtendedLifetime(_folder) {} }
        let author = try #require(try context.all("Author").first)
        context.delete(author)
        #expect(coreDataError { try context.save() } != nil)
        context.rollback()
        #expect(try context.all("Author").count == 1)
    }

    /// Two kinds of parts in one table, of which one belongs to machines.
    private func machines() throws -> (NSManagedObjectModel, StoreFolder) {
        let part = Build.entity("Part", [Build.attribute("name")])
        let (wheel, screw) = (Build.entity("Wheel"), Build.entity("Screw"))
        let machine = Build.entity("Machine", [Build.attribute("name")])
        let (wheels, owner) = (Build.toMany("wheels", wheel), Build.toOne("machine", machine))
        Build.connect(wheels, owner)
        let (mainWheel, mainOf) = (Build.toOne("mainWheel", wheel), Build.toOne("mainOf", machine))
        Build.connect(mainWheel, mainOf)
        wheel.properties += [owner, mainOf]
        machine.properties += [wheels, mainWheel]
        part.subentities = [wheel, screw]
        let model = Build.model(part, wheel, screw, machine)
        let folder = try StoreFolder()
        let context = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: model))
        let first = try context.make("Wheel", ["name": "w"])
        let made = try context.make("Machine", ["name": "m", "mainWheel": first])
        made.setValue(Set([first]), forKey: "wheels")
        try context.make("Screw", ["name": "s"])
        try context.save()
        return (model, folder)
    }

    @Test(arguments: [true, false])
    func `a link to a row of an entity without the inverse is cut off or an error`(isKnown: Bool) throws {
        let (model, folder) = try machines()
        let raw = try folder.raw()
        try raw.execute("UPDATE ZMACHINE SET ZMAINWHEEL = (SELECT Z_PK FROM ZPART WHERE ZNAME = 's')")
        try raw.execute("UPDATE ZPART SET ZMACHINE = 1 WHERE ZNAME = 's'")
        let context = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: model))
        let screws = isKnown ? try context.all("Screw") : []
        let machine = try #require(try context.all("Machine").first)
        #expect(machine.object("mainWheel")?.text("name") == nil)
        _ = try context.all("Part")
        #expect(machine.object("mainWheel")?.text("name") == nil)
        #expect(
            coreDataError { _ = try machine.readMemberObjects(machine.slot("wheels")) }?.message.contains("Wheel")
                == true)
        context.delete(machine)
        #expect(coreDataError { try context.save() } != nil)
        withExtendedLifetime(screws) {}
        context.rollback()
        #expect(try context.all("Machine").count == 1)
    }
}

extension NSManagedObject {
    fileprivate func slot(_ name: String) -> Int {
        if case .relationship(let slot)? = compiledEntity.slot(named: name) { slot } else { -1 }
    }
}
