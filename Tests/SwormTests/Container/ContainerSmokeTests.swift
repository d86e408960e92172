import Foundation
import Sworm
import Testing

@Suite("A container from tables")
struct ContainerSmokeTests {
    typealias Book = Library.Book
    typealias Author = Library.Author
    typealias Review = Library.Review
    typealias Tag = Library.Tag

    private func fill(_ store: PersistentContainer) throws {
        try store.perform { context in
            let leo = try context.insert(Author(name: "Leo"))
            let fyodor = try context.insert(Author(name: "Fyodor"))
            let war = try context.insert(Book(title: "War and Peace", year: 1869, rating: 5, status: .printed))
            let anna = try context.insert(Book(title: "Anna Karenina", year: 1878))
            let idiot = try context.insert(
                Book(title: "The Idiot", year: 1869, price: 12.5, address: .init(city: "Omsk")))
            try leo.books.add(war)
            anna.author = leo
            try fyodor.books.add(idiot)
            for mark in [3, 9, 1] { try war.reviews.add(context.insert(Review(mark: mark))) }
            let long = try context.insert(Tag(word: "long"))
            let sad = try context.insert(Tag(word: "sad"))
            for book in [war, anna] { try book.tags.add(long) }
            for book in [anna, idiot] { try sad.books.add(book) }
        }
    }

    @Test func `inserted objects are found again in the same container`() throws {
        let store = try PersistentContainer(for: Book.self, at: .memory)
        try fill(store)
        let titles = try store.perform { context in
            try context.decode(Book.all.where { $0.year > 1800 && $0.author.name == "Leo" }.sort(\.title).limit(10))
        }.map(\.title)
        #expect(titles == ["Anna Karenina", "War and Peace"])
        let counts = try store.perform { context in
            [
                try context.count(of: Book.all), try context.count(of: Author.all), try context.count(of: Review.all),
                try context.count(of: Tag.all),
            ]
        }
        #expect(counts == [3, 2, 3, 2])
    }

    @Test func `inserted objects are found again in a reopened file`() throws {
        let folder = try StoreFolder()
        let place = folder.file("deep/down/store.sqlite")
        let book = Book(
            title: "Ünïcode \u{1F600}", year: -3, rating: nil, status: .printed,
            price: Decimal(string: "12345678901234567890.123456") ?? 0, cover: Data(repeating: 7, count: 300_000),
            bought: Date(timeIntervalSinceReferenceDate: 701_234_567.891), address: .init(city: "Kazan"))
        var id: ManagedObjectID<Book>?
        do {
            let store = try PersistentContainer(for: Book.self, at: .file(place))
            try fill(store)
            id = try store.perform { try $0.insert(book) }
        }
        let store = try PersistentContainer(for: Book.self, at: .file(place))
        let known = try #require(id)
        let found = try store.perform { try $0.object(with: known).decode() }
        #expect(found == book)
        let fetched = try store.perform { try $0.decodeOne(Book.all.where(\.id == book.id)) }
        #expect(fetched == book)
        #expect(try store.perform { try $0.count(of: Book.all) } == 4)
    }

    @Test func `relations of all three kinds are walked both ways`() throws {
        let folder = try StoreFolder()
        try fill(PersistentContainer(for: Book.self, at: .file(folder.file())))
        let store = try PersistentContainer(for: Book.self, at: .file(folder.file()))
        try store.perform { context in
            let war = try #require(try context.fetchOne(Book.all.where { $0.title == "War and Peace" }))
            #expect(try war.author?.decode() == Author(name: "Leo"))
            #expect(try war.reviews.decode().map(\.mark) == [3, 9, 1])
            #expect(try war.reviews.first?.book?.decode().title == "War and Peace")
            #expect(try war.tags.decode().map(\.word) == ["long"])
            let leo = try #require(try context.fetchOne(Author.all.where { $0.name == "Leo" }))
            #expect(Set(try leo.books.decode().map(\.year)) == [1869, 1878])
            let sad = try #require(try context.fetchOne(Tag.all.where { $0.word == "sad" }))
            #expect(Set(try sad.books.decode().map(\.title)) == ["Anna Karenina", "The Idiot"])
            try war.reviews.move(from: 2, to: 0)
        }
        let marks = try store.perform { context in
            try context.fetchOne(Book.all.where(\.year == 1869).sort(\.title, ascending: false))?.reviews.decode().map(
                \.mark)
        }
        #expect(marks == [1, 3, 9])
    }

    @Test func `objects are ordered, cut and skipped`() throws {
        let store = try PersistentContainer(for: Book.self, at: .memory)
        try fill(store)
        let second = try store.perform { context in
            try context.decode(Book.all.sort(\.year, ascending: false).sort(\.title).limit(1).offset(1)).map(\.title)
        }
        #expect(second == ["The Idiot"])
        let byAuthor = try store.perform { context in
            try context.decode(Book.all.sort(\.author.name).sort(\.title)).map(\.title)
        }
        #expect(byAuthor == ["The Idiot", "Anna Karenina", "War and Peace"])
    }

    @Test func `an update is saved, and one that throws is not`() throws {
        struct Stop: Error {}
        let folder = try StoreFolder()
        let store = try PersistentContainer(for: Book.self, at: .file(folder.file()))
        try fill(store)
        try store.perform { context in
            for book in try context.fetch(Book.all.where { $0.year == 1869 }) {
                var value = try book.decode()
                value.rating = (value.rating ?? 0) + 1
                try book.encode(value)
            }
        }
        #expect(throws: Stop.self) {
            try store.perform { context in
                for book in try context.fetch(Book.all) { try book.encode(\.rating, 100) }
                throw Stop()
            }
        }
        let ratings = try store.perform { try $0.fetch(Book.all.sort(\.title), \.rating) }
        #expect(ratings == [nil, 1, 6])
        let other = try PersistentContainer(for: Book.self, at: .file(folder.file()))
        #expect(try other.perform { try $0.fetch(Book.all.sort(\.title), \.rating) } == [nil, 1, 6])
    }

    @Test func `a deleted book takes its reviews along and leaves its author`() throws {
        let store = try PersistentContainer(for: Book.self, at: .memory)
        try fill(store)
        try store.perform { context in
            let war = try #require(try context.fetchOne(Book.all.where { $0.title == "War and Peace" }))
            try context.delete(war)
        }
        try store.perform { context in
            #expect(try context.count(of: Book.all) == 2)
            #expect(try context.count(of: Review.all) == 0)
            let leo = try #require(try context.fetchOne(Author.all.where { $0.name == "Leo" }))
            #expect(leo.books.count == 1)
        }
        #expect(try store.perform { try $0.batchDeleteAll(Tag.all) } == 2)
        #expect(try store.perform { try $0.count(of: Tag.all) } == 0)
    }

    @Test func `rules of the tables hold when saving`() throws {
        let store = try PersistentContainer(for: Book.self, at: .memory)
        let range = storeError { try store.perform { try $0.insert(Review(mark: 11)) } }
        #expect(range?.code == .validation)
        #expect(range?.entity == "Review")
        #expect(range?.attribute == "mark")
        try store.perform { try $0.insert(Tag(word: "sad")) }
        let unique = storeError { try store.perform { try $0.insert(Tag(word: "sad")) } }
        #expect(unique?.code == .uniquenessViolation)
        #expect(unique?.message.contains("word") ?? false)
        #expect(try store.perform { try $0.count(of: Tag.all) } == 1)
    }

    @Test func `a merge policy settles taken unique values`() throws {
        let folder = try StoreFolder()
        let store = try PersistentContainer(
            for: Book.self, at: .file(folder.file()), mergePolicy: .mergeByPropertyObjectTrumpMergePolicyType)
        let id = UUID()
        try store.perform { try $0.insert(Book(id: id, title: "old")) }
        try store.perform { try $0.insert(Book(id: id, title: "new")) }
        #expect(try store.perform { try $0.fetch(Book.all, \.title) } == ["new"])
    }

    @Test func `each container in memory has a store of its own`() throws {
        let one = try PersistentContainer(for: Book.self, at: .memory)
        let other = try PersistentContainer(for: Book.self, at: .memory)
        try one.perform { try $0.insert(Tag(word: "x")) }
        #expect(try one.perform { try $0.count(of: Tag.all) } == 1)
        #expect(try other.perform { try $0.count(of: Tag.all) } == 0)
    }

    @Test func `several containers on one file see each other's saves`() throws {
        let folder = try StoreFolder()
        let one = try PersistentContainer(for: Book.self, at: .file(folder.file()))
        let other = try PersistentContainer(for: Book.self, at: .file(folder.file()))
        try one.perform { try $0.insert(Tag(word: "x")) }
        #expect(try other.perform { try $0.fetch(Tag.all, \.word) } == ["x"])
        try other.perform { try $0.insert(Tag(word: "y")) }
        #expect(try one.perform { try $0.fetch(Tag.all.sort(\.word), \.word) } == ["x", "y"])
        let reader = try PersistentContainer(for: Book.self, at: .readOnly(folder.file()))
        #expect(try reader.perform { try $0.count(of: Tag.all) } == 2)
    }
}

extension ManagedObjectContext {
    /// Deletes what a request finds, and says how many there were.
    fileprivate func batchDeleteAll(_ request: Request<Library.Tag>) throws -> Int {
        let count = try count(of: request)
        try delete(request)
        return count
    }
}
