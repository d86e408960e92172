import Sworm

/// The first version of the model.
enum FirstShop: ShopVersion {
    struct Author: Sendable { var name = "" }

    struct Book: Sendable {
        var id = ""
        var title = ""
        var note: String?
        var year = -5
        var price: Double?
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
            [Book(id: id, title: book.title, note: book.note)], on: \.id, onConflict: .update(\.title, \.note))
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
                        title: book.title, note: book.note, year: book.year, author: try object.author?.decode(\.name))
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
        try object.encode(\.title, book.title)
        try object.encode(\.note, book.note)
        try object.encode(\.year, book.year)
        object.author = try book.author.flatMap { name in try context.fetchOne(Author.all.where(\.name == name)) }
    }
}

extension FirstShop.Author: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name", .unique)]
    struct Relations: Sendable {
        let books = ToManyOrderedRelation<FirstShop.Book>("books", inverse: \.author)
    }
    static let relations = Relations()
}

extension FirstShop.Book: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.id, "id", .unique), .init(\.title, "title"), .init(\.note, "note"), .init(\.year, "year"),
        .init(\.price, "price"),
    ]
    struct Relations: Sendable { let author = ToOneRelation<FirstShop.Author>("author") }
    static let relations = Relations()
}
