import Sworm

/// The values of a book, under the names of the first version.
struct BookContent: Codable, Hashable, Sendable {
    var title: String
    var note: String?
    var year: Int
    var author: String?

    static let authors = ["Ann", "Bob", "Cy"]

    init(title: String, note: String?, year: Int, author: String?) {
        (self.title, self.note, self.year, self.author) = (title, note, year, author)
    }

    init(_ random: inout SeededRandom) {
        title = "title \(random.pick(1_000_000))"
        note = random.chance(50) ? "note \(random.pick(1000))" : nil
        year = random.pick(3000)
        author = random.chance(70) ? random.pick(Self.authors) : nil
    }
}

/// One version of a program's model, and the ways in which the program works with it.
protocol ShopVersion: Sendable {
    static func open(_ address: String, logError: @escaping @Sendable (any Error) -> Void) throws -> PersistentContainer
    /// Inserts the authors that are missing.
    static func addAuthors(in context: ManagedObjectContext) throws
    static func insert(_ id: String, _ book: BookContent, in context: ManagedObjectContext) throws
    static func change(_ id: String, to book: BookContent, in context: ManagedObjectContext) throws
    static func delete(_ id: String, in context: ManagedObjectContext) throws
    /// Changes the year by a bulk write.
    static func setYear(_ year: Int, of id: String, in context: ManagedObjectContext) throws -> Int
    /// Changes the title and the note by an upsert.
    static func upsert(_ id: String, _ book: BookContent, in context: ManagedObjectContext) throws
    /// Runs a closure that has locked a book.
    static func lock(
        _ id: String, in store: PersistentContainer, _ action: (ManagedObjectContext) throws -> Void
    ) throws
    /// Reads the books whose ids begin with a string.
    static func books(_ prefix: String, in context: ManagedObjectContext) throws -> [String: BookContent]
}
