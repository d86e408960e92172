import Sworm

/// The second version of the model: properties have other names, one is new, one has an index, and one is gone.
enum SecondShop: ShopVersion {
    struct Author: Sendable { var name = "" }

    struct Book: Sendable {
        var id = ""
        var name = ""
        var remark: String?
        var year = -5
        var stock = 7
    }

    static func open(
        _ address: String, logError: @escaping @Sendable (any Error) -> Void
    ) throws -> PersistentContainer {
        try PersistentContainer(for: Book.self, at: .postgres(address), logError: logError, timeout: 60)
    }

    static func addAuthors(in context: ManagedObjectContext) throws {
        _ = try context.upsert(BookContent.authors.map { Author(name: $0) }, on: \.name, onConflict: .ignore)
    }

    static func insert(_ id: String, _ book: BookContent, in context: ManagedObjectContext) throws {
        let object = try context.insert(Book(id: id))
        try set(book, of: object, in: context)
    }

    static func change(_ id: String, to book: BookContent, in context: ManagedObjectContext) throws {
        try set(book, of: find(id, in: context), in: context)
    }

    static func delete(_ id: String, in context: ManagedObjectContext) throws {
        try context.delete(find(id, in: context))
    }

    static func setYear(_ year: Int, of id: String, in context: ManagedObjectContext) throws -> Int {
        try context.update(Book.all.where(\.id == id), set: (\.year, year))
    }

    static func upsert(_ id: String, _ book: BookContent, in context: ManagedObjectContext) throws {
        _ = try context.upsert(
            [Book(id: id, name: book.title, remark: book.note)], on: \.id, onConflict: .update(\.name, \.remark))
    }

    static func lock(
        _ id: String, in store: PersistentContainer, _ action: (ManagedObjectContext) throws -> Void
    ) throws {
        try store.write(locking: Book.all.where(\.id == id), action)
    }

    static func books(_ prefix: String, in context: ManagedObjectContext) throws -> [String: BookContent] {
        let books = try context.fetch(Book.all.where { $0.id.hasPrefix(prefix) })
        return try Dictionary(
            books.map { object in
                let book = try object.decode()
                return (
                    book.id,
                    BookContent(
                        title: book.name, note: book.remark, year: book.year, author: try object.writer?.decode(\.name))
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    private static func find(_ id: String, in context: ManagedObjectContext) throws -> ManagedObject<Book> {
        guard let object = try context.fetchOne(Book.all.where(\.id == id)) else { throw Failure("\(id) is missing") }
        return object
    }

    private static func set(
        _ book: BookContent, of object: ManagedObject<Book>, in context: ManagedObjectContext
    ) throws {
        try object.encode(\.name, book.title)
        try object.encode(\.remark, book.note)
        try object.encode(\.year, book.year)
        object.writer = try book.author.flatMap { name in try context.fetchOne(Author.all.where(\.name == name)) }
    }
}

extension SecondShop.Author: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name", .unique)]
    struct Relations: Sendable {
        let books = ToManyOrderedRelation<SecondShop.Book>("books", inverse: \.writer)
    }
    static let relations = Relations()
}

extension SecondShop.Book: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.id, "id", .unique), .init(\.name, "name", .renamed(from: "title")),
        .init(\.remark, "remark", .renamed(from: "note")), .init(\.year, "year", .indexed), .init(\.stock, "stock"),
    ]
    struct Relations: Sendable {
        let writer = ToOneRelation<SecondShop.Author>("writer", .renamed(from: "author"))
    }
    static let relations = Relations()
}
