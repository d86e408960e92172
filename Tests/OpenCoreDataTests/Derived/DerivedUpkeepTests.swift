import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// How often derived values are worked out, in which order, and how far a change goes.
@Suite(.overEachStore) struct DerivedUpkeepTests {
    /// Shelves with books with pages.
    private static func library(
        shelf: [NSPropertyDescription], book: [NSPropertyDescription], page: [NSPropertyDescription] = []
    ) -> NSManagedObjectModel {
        let entities = [Build.entity("Shelf", shelf), Build.entity("Book", book), Build.entity("Page", page)]
        for (owner, member, names) in [(0, 1, ("books", "shelf")), (1, 2, ("pages", "book"))] {
            let (many, one) = (
                Build.toMany(names.0, entities[member]), Build.toOne(names.1, entities[owner])
            )
            Build.connect(many, one)
            entities[owner].properties.append(many)
            entities[member].properties.append(one)
        }
        let model = NSManagedObjectModel()
        model.entities = entities
        return model
    }

    private static func context(_ folder: StoreFolder, _ model: NSManagedObjectModel) throws -> NSManagedObjectContext {
        GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: model))
    }

    @Test func `a value over members is computed once in a save, however many of them change`() throws {
        let folder = try StoreFolder()
        let model = Self.library(
            shelf: [Build.derived("total", .integer64AttributeType, "books.@sum.price")],
            book: [Build.attribute("price", .integer64AttributeType)])
        let context = try Self.context(folder, model)
        try folder.raw().execute(
            "CREATE TABLE WRITTEN (N); CREATE TRIGGER T AFTER UPDATE OF ZTOTAL ON ZSHELF BEGIN INSERT INTO WRITTEN VALUES (NEW.ZTOTAL); END"
        )
        let shelf = try context.make("Shelf")
        let books = try (1...100).map { try context.make("Book", ["price": $0, "shelf": shelf]) }
        try context.save()
        #expect(shelf.number("total") == 5050)
        #expect(try folder.raw().lines("SELECT N FROM WRITTEN") == ["5050"])
        for book in books[..<40] { book.setValue(0, forKey: "price") }
        for book in books[90...] { context.delete(book) }
        try context.save()
        #expect(shelf.number("total") == 3275)
        #expect(try folder.raw().lines("SELECT N FROM WRITTEN") == ["5050", "3275"])
    }

    @Test func `values over derived values are computed after those, once`() throws {
        let folder = try StoreFolder()
        // In the order of entities, what comes last is needed first.
        let model = Self.library(
            shelf: [
                Build.derived("longest", .integer64AttributeType, "books.@max.words"),
                Build.derived("words", .integer64AttributeType, "books.@sum.words"),
            ],
            book: [
                Build.derived("words", .integer64AttributeType, "pages.@sum.words"),
                Build.derived("share", .integer64AttributeType, "shelf.words"),
            ],
            page: [
                Build.attribute("text"), Build.attribute("words", .integer64AttributeType),
                Build.derived("all", .integer64AttributeType, "book.shelf.words"),
            ])
        let context = try Self.context(folder, model)
        try folder.raw().execute(
            "CREATE TABLE WRITTEN (N); CREATE TRIGGER T AFTER UPDATE OF ZWORDS ON ZSHELF BEGIN INSERT INTO WRITTEN VALUES (NEW.ZWORDS); END"
        )
        let shelf = try context.make("Shelf")
        let books = try (0..<3).map { _ in try context.make("Book", ["shelf": shelf]) }
        let pages = try (1...9).map { try context.make("Page", ["words": $0, "book": books[$0 % 3]]) }
        try context.save()
        pages[8].setValue(100, forKey: "words")
        try context.save()
        #expect(books.map { $0.number("words") } == [109, 12, 15])
        #expect(shelf.number("words") == 136 && shelf.number("longest") == 109)
        #expect(books.allSatisfy { $0.number("share") == 136 } && pages.allSatisfy { $0.number("all") == 136 })
        #expect(try folder.raw().lines("SELECT N FROM WRITTEN") == ["45", "136"])
        let issues = try StoreVerification.findings(of: folder.url(), model: model.compiled())
        #expect(!issues.contains { $0.kind == .derived })
    }

    @Test func `a sum beyond 64 bits names its attribute, and a wider type holds it`() throws {
        let folder = try StoreFolder()
        func model(_ type: NSAttributeType) -> NSManagedObjectModel {
            Self.library(
                shelf: [Build.derived("total", type, "books.@sum.price")],
                book: [Build.attribute("price", .integer64AttributeType)])
        }
        func fill(_ context: NSManagedObjectContext) throws -> NSManagedObject {
            let shelf = try context.make("Shelf")
            for _ in 0..<2 { try context.make("Book", ["price": Int64.max, "shelf": shelf]) }
            return shelf
        }
        let context = try Self.context(folder, model(.integer64AttributeType))
        _ = try fill(context)
        let error = try #require(coreDataError { try context.save() })
        #expect(error.entity == "Shelf" && error.key == "total")
        #expect(error.errorCode == NSValidationNumberTooLargeError)
        #expect(error.message.contains("'Shelf.total' (books.@sum.price)") && error.message.contains("Decimal"))
        #expect(try folder.raw().lines("SELECT count(*) FROM ZSHELF") == ["0"])
        for type: NSAttributeType in [.doubleAttributeType, .decimalAttributeType] {
            let folder = try StoreFolder()
            let context = try Self.context(folder, model(type))
            let shelf = try fill(context)
            try context.save()
            let total = shelf.value(forKey: "total")
            if type == .decimalAttributeType {
                #expect((total as? NSDecimalNumber)?.decimalValue == Decimal(string: "18446744073709551614"))
            } else {
                #expect(total as? Double == 0x1p64)
            }
        }
    }

    @Test func `sums and extremes of long decimals have all digits`() throws {
        let folder = try StoreFolder()
        let model = Self.library(
            shelf: ["sum", "min", "max"].map { Build.derived($0, .decimalAttributeType, "books.@\($0).price") },
            book: [Build.attribute("price", .decimalAttributeType)])
        let context = try Self.context(folder, model)
        func shelf(_ prices: [String]) throws -> NSManagedObject {
            let shelf = try context.make("Shelf")
            for price in prices {
                try context.make("Book", ["price": NSDecimalNumber(string: price), "shelf": shelf])
            }
            return shelf
        }
        let shelves = try [
            ["12345678901234567890.5", "9.0000000000000001", "10", "0.25"], ["0.1", "0.2", "-0.7"], [],
            ["12345678901234567890.5", "9.0000000000000001"], ["9223372036854775807", "9223372036854775807"],
        ].map(shelf)
        try context.make("Book", ["shelf": shelves[1]])
        try context.save()
        let expected = [
            ["12345678901234567909.7500000000000001", "0.25", "12345678901234567890.5"], ["-0.4", "-0.7", "0.2"],
            ["0", nil, nil],
            ["12345678901234567899.5000000000000001", "9.0000000000000001", "12345678901234567890.5"],
            ["18446744073709551614", "9223372036854775807", "9223372036854775807"],
        ]
        let fresh = try Self.context(folder, model)
        for (shelf, expected) in zip(shelves, expected) {
            let identifier = try #require(
                fresh.persistentStoreCoordinator?.managedObjectID(
                    forURIRepresentation: shelf.objectID.uriRepresentation()))
            for object in [shelf, fresh.object(with: identifier)] {
                let values = ["sum", "min", "max"].map { (object.value(forKey: $0) as? NSDecimalNumber)?.decimalValue }
                #expect(values == expected.map { $0.flatMap { Decimal(string: $0) } })
            }
        }
        let issues = try StoreVerification.findings(of: folder.url(), model: model.compiled())
        #expect(!issues.contains { $0.kind == .derived })
    }

    // MARK: Values of the same attribute

    private static func tree() -> NSManagedObjectModel {
        let node = Build.entity(
            "Node", [Build.attribute("name"), Build.derived("up", .stringAttributeType, "uppercase:(parent.up)")])
        let (children, parent) = (Build.toMany("children", node), Build.toOne("parent", node))
        Build.connect(children, parent)
        node.properties += [children, parent]
        return Build.model(node)
    }

    @Test(arguments: [false, true])
    func `a value is computed down a chain of its own kind to the end`(_ startsAtTheEnd: Bool) throws {
        let folder = try StoreFolder()
        let context = try Self.context(folder, Self.tree())
        let roots = try ["a", "b"].map { try context.make("Node", ["name": $0]) }
        try context.save()
        // The value at the beginning of the chain is not derived, but written by another program.
        try folder.raw().execute("UPDATE ZNODE SET ZUP = ZNAME")
        let added = try (0..<100).map { try context.make("Node", ["name": "\($0)"]) }
        try context.save()
        // In the order of their keys, in which a round takes them, and against it.
        func key(_ node: NSManagedObject) -> Int {
            Int(node.objectID.uriRepresentation().lastPathComponent.dropFirst()) ?? 0
        }
        let chain = added.sorted { startsAtTheEnd ? key($0) > key($1) : key($0) < key($1) }
        #expect(Set(chain.map(key)).count == 100)
        for (one, next) in zip(chain, chain.dropFirst()) { next.setValue(one, forKey: "parent") }
        chain.first?.setValue(roots[0], forKey: "parent")
        try context.save()
        #expect(chain.allSatisfy { $0.text("up") == "A" })
        chain.first?.setValue(roots[1], forKey: "parent")
        try context.save()
        #expect(chain.allSatisfy { $0.text("up") == "B" })
        #expect(try folder.raw().lines("SELECT DISTINCT ZUP FROM ZNODE WHERE ZPARENT NOT NULL") == ["B"])
    }

    @Test(.timeLimit(.minutes(1))) func `a circle of values ends with the save`() throws {
        let folder = try StoreFolder()
        let context = try Self.context(folder, Self.tree())
        let nodes = try (0..<5).map { try context.make("Node", ["name": "\($0)"]) }
        try context.save()
        try folder.raw().execute("UPDATE ZNODE SET ZUP = ZNAME")
        for (index, node) in nodes.enumerated() { node.setValue(nodes[(index + 1) % 5], forKey: "parent") }
        try context.save()
        // The values depend on chance, but the objects have the same values as the file.
        let values = nodes.compactMap { $0.text("up") }
        #expect(values.count == 5 && Set(values).isSubset(of: ["0", "1", "2", "3", "4"]))
        #expect(try folder.raw().lines("SELECT ZUP FROM ZNODE ORDER BY CAST(ZNAME AS INTEGER)") == values)
    }

    @Test func `a circle in which values grow without end is left after as many rounds as it has rows`() throws {
        let folder = try StoreFolder()
        let person = Build.entity("Person", [Build.derived("fame", .integer64AttributeType, "sum:(friends.fame)")])
        let friends = Build.toMany("friends", person)
        friends.inverseRelationship = friends
        person.properties.append(friends)
        let context = try Self.context(folder, Build.model(person))
        let people = try (0..<3).map { _ in try context.make("Person") }
        try context.save()
        try folder.raw().execute("UPDATE ZPERSON SET ZFAME = 1")
        for one in people { one.setValue(Set(people.filter { $0 !== one }), forKey: "friends") }
        try context.save()
        #expect(people.allSatisfy { (2...1000).contains($0.number("fame") ?? 0) })
    }
}
