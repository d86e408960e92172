#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// The same rows in a store in memory, which reads like a file, and in a store on a server.
final class ReadingStores {
    let context: NSManagedObjectContext
    let file: any ObjectStore
    let server: PostgresStore
    var model: CompiledModel { server.model }

    /// - Parameters:
    ///   - names: The names and numbers that the store on the server has already given.
    ///   - fill: Inserts objects into a context, and returns them.
    convenience init(
        _ model: NSManagedObjectModel, refusesMemory: Bool = false,
        _ fill: (NSManagedObjectContext) throws -> [NSManagedObject]
    ) throws {
        let context = try GraphLibrary.context(GraphLibrary.coordinator(model: model))
        let objects = try fill(context)
        try context.save()
        try self.init(context, objects: objects, refusesMemory: refusesMemory)
    }

    init(_ context: NSManagedObjectContext, objects: [NSManagedObject], refusesMemory: Bool = false) throws {
        self.context = context
        file = try #require(context.persistentStoreCoordinator?.persistentStores.first).objectStore
        var options = try PostgresStores.options()
        options.refusesEvaluationInMemory = refusesMemory
        server = try PostgresStores.store(of: file.model, at: options)
        try ServerRows(compiler: server.schema.compiler, connection: DriverConnection()).insert(objects)
    }

    /// Returns a request for an entity.
    func request(
        _ entity: String, _ format: String? = nil, _ arguments: [PredicateArgument] = [],
        sorts: [FetchSpecification.Sort] = [], limit: Int = 0, offset: Int = 0
    ) throws -> FetchSpecification {
        var request = FetchSpecification(entity: try #require(model.entity(named: entity)).number)
        request.predicate = try format.map { try parsePredicate($0, arguments: arguments) }
        (request.sorts, request.limit, request.offset) = (sorts, limit, offset)
        return request
    }

    /// Calls a closure with a view of each store, and returns both results.
    func both<Result>(_ body: (any StoreSession) throws -> Result) throws -> (file: Result, server: Result) {
        (try read(file, body), try read(server, body))
    }

    func read<Result>(_ store: any ObjectStore, _ body: (any StoreSession) throws -> Result) throws -> Result {
        let session = try store.beginSession()
        defer { session.end() }
        return try body(session)
    }

    func onServer<Result>(_ body: (PostgresSession) throws -> Result) throws -> Result {
        try read(server) { try body(#require($0 as? PostgresSession)) }
    }

    /// Expects that a request finds the same rows in both stores, by all ways to ask for them, and returns their number.
    @discardableResult
    func expectSame(
        _ request: FetchSpecification, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Int {
        let rows = try both { try $0.identities(request) }
        #expect(rows.file == rows.server, comment, sourceLocation: sourceLocation)
        let counts = try both { try $0.count(request) }
        #expect(counts == (rows.file.count, rows.file.count), comment, sourceLocation: sourceLocation)
        let shape = RowShape(model: model, entity: request.entity)
        let buffers = try both { try cells(of: $0.rows(request, shape: shape), shape: shape) }
        #expect(buffers.file == buffers.server, comment, sourceLocation: sourceLocation)
        let keys = try onServer { try $0.matchingKeys(request) }
        #expect(keys == rows.file.map(\.key), comment, sourceLocation: sourceLocation)
        return rows.file.count
    }

    /// Returns the cells of rows as values. A cell of external data is only present or absent.
    func cells(of buffer: RowBuffer, shape: RowShape, more: Int = 0) throws -> [[AttributeValue]] {
        try (0..<buffer.count).map { row in
            try shape.cells.enumerated().map { cell, content -> AttributeValue in
                guard case .attribute(let entity, let slot) = content else {
                    return buffer.isNull(row: row, cell: cell) ? .null : .int(buffer.int64(row: row, cell: cell))
                }
                let attribute = model[entity].attributes[slot]
                if attribute.allowsExternalStorage { return .bool(!buffer.isNull(row: row, cell: cell)) }
                return try buffer.value(row: row, cell: cell, type: attribute.type).asStored
            } + (0..<more).map { .int(buffer.int64(row: row, cell: shape.cells.count + $0)) }
        }
    }
}

/// A model with attributes of all types and relationships of all kinds.
enum ReadingModel {
    static func make() -> NSManagedObjectModel {
        let person = Build.entity(
            "Person",
            [
                Build.attribute("name"), Build.attribute("born", .dateAttributeType),
                Build.attribute("height", .doubleAttributeType), Build.attribute("weight", .floatAttributeType),
                Build.attribute("rank", .integer64AttributeType), Build.attribute("age", .integer16AttributeType),
                Build.attribute("isActive", .booleanAttributeType), Build.attribute("code", .UUIDAttributeType),
                Build.attribute("home", .URIAttributeType), Build.attribute("raw", .binaryDataAttributeType),
                Build.composite("address", [Build.attribute("street"), Build.attribute("zip")]),
            ])
        let author = Build.entity("Author", [Build.attribute("pseudonym")])
        let editor = Build.entity("Editor", [Build.attribute("desk", .integer32AttributeType)])
        let book = Build.entity(
            "Book",
            [
                Build.attribute("title"), Build.attribute("year", .integer32AttributeType),
                Build.attribute("price", .decimalAttributeType), Build.attribute("published", .dateAttributeType),
                Build.attribute("cover", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
            ])
        let tag = Build.entity("Tag", [Build.attribute("name")])
        person.subentities = [author, editor]
        let (books, bookAuthor) = (Build.toMany("books", book) { $0.isOrdered = true }, Build.toOne("author", author))
        let (tags, tagged) = (Build.toMany("tags", tag), Build.toMany("books", book))
        let friends = Build.toMany("friends", person)
        let (mentor, pupils) = (Build.toOne("mentor", person), Build.toMany("pupils", person))
        let shelf = Build.toMany("shelf", book) { $0.isOrdered = true }
        Build.connect(books, bookAuthor)
        Build.connect(tags, tagged)
        Build.connect(friends, friends)
        Build.connect(mentor, pupils)
        author.properties += [books]
        editor.properties += [shelf]
        book.properties += [bookAuthor, tags]
        tag.properties += [tagged]
        person.properties += [friends, mentor, pupils]
        return Build.model(person, author, editor, book, tag)
    }

    /// Fills a context with 12 persons, 30 books and 4 tags.
    static func fill(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        var objects: [NSManagedObject] = []
        let names = ["Åsa", "asa", "Bo", "Zoë", "Ödön", "zoe", "Émile", "x.y", "", "Straße", "日本", "bo"]
        var people: [NSManagedObject] = []
        for (index, name) in names.enumerated() {
            let entity = index % 3 == 0 ? "Author" : index % 3 == 1 ? "Editor" : "Person"
            let person = try context.make(entity, ["name": name, "rank": Int64(index - 4) * 1_000_000_007])
            person.setValue(index.isMultiple(of: 4) ? nil : Double(index) / 8 - 0.5, forKey: "height")
            person.setValue(Float(index) * 1.1, forKey: "weight")
            person.setValue(index == 5 ? nil : index, forKey: "age")
            person.setValue(index.isMultiple(of: 2), forKey: "isActive")
            person.setValue(Date(timeIntervalSinceReferenceDate: Double(index) * 86_400.25), forKey: "born")
            person.setValue(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E\(40 + index)"), forKey: "code")
            person.setValue(URL(string: "https://a.example/\(index)"), forKey: "home")
            person.setValue(index == 3 ? Data() : Data([UInt8(index), 255, 0]), forKey: "raw")
            if index != 2 { person.setValue(["street": "Street \(index % 3)", "zip": "\(index)"], forKey: "address") }
            if entity == "Author" { person.setValue("P\(index)", forKey: "pseudonym") }
            if entity == "Editor" { person.setValue(index, forKey: "desk") }
            people.append(person)
        }
        let tags = try ["red", "green", "blue", "none"].map { try context.make("Tag", ["name": $0]) }
        let prices = ["1", "2.5", "-3.75", "19.99", "123456789012345678901234567890.5", "0.000000000000000000000001"]
        var books: [NSManagedObject] = []
        for index in 0..<30 {
            let book = try context.make("Book", ["title": "Title \(index % 7)", "year": 1990 + index % 10])
            book.setValue(NSDecimalNumber(string: prices[index % prices.count]), forKey: "price")
            if index % 5 > 0 {
                book.setValue(Date(timeIntervalSinceReferenceDate: 1_000_000.25 * Double(index)), forKey: "published")
            }
            if index % 4 == 1 { book.setValue(Data(repeating: UInt8(index), count: 200_000), forKey: "cover") }
            if index % 4 == 2 { book.setValue(Data(), forKey: "cover") }
            book.setValue(Set((0..<3).filter { (index >> $0) & 1 == 1 }.map { tags[$0] }), forKey: "tags")
            books.append(book)
        }
        let authors = people.indices.filter { $0 % 3 == 0 }
        for (place, author) in authors.dropLast().enumerated() {
            let own = books.indices.filter { $0 % 4 == place }.map { books[$0] }
            people[author].setValue(NSOrderedSet(array: own.reversed()), forKey: "books")
        }
        people[1].setValue(NSOrderedSet(array: [books[9], books[2], books[5]]), forKey: "shelf")
        for index in people.indices {
            people[index].setValue(index == 0 ? nil : people[(index - 1) / 2], forKey: "mentor")
        }
        people[0].setValue(Set([people[1], people[2], people[0]]), forKey: "friends")
        people[4].setValue(Set([people[5]]), forKey: "friends")
        objects = people + tags + books
        return objects
    }

    static func stores(refusesMemory: Bool = false) throws -> ReadingStores {
        try ReadingStores(make(), refusesMemory: refusesMemory, fill)
    }
}
#endif
