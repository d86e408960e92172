import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Rows of handles that are read in batches", .overEachStore)
struct BatchSizeTests {
    private var sorted: Request<Press.Book> { Press.Book.all.sort(\.number) }

    private func titles(_ books: [ManagedObject<Press.Book>]) throws -> [String] {
        try books.map { try $0.decode(\.title) }
    }

    #if !canImport(CoreData)
    @Test func `the fetch reads ids, and the first access to a batch its rows`() throws {
        let store = try Press.store(authors: 50, booksEach: 1)
        try store.container.perform { context in
            let books = try expectStatements(1, in: store.container) { try context.fetch(sorted.batchSize(20)) }
            #expect(books.count == 50)
            try expectStatements(0, in: store.container) { #expect(Set(books.map(\.id)).count == 50) }
            try expectStatements(1, in: store.container) { () throws in
                #expect(try books[25].decode().title == "book 25")
            }
            try expectStatements(0, in: store.container) { () throws in
                #expect(try titles(Array(books[20..<40])) == (20..<40).map { "book \($0)" })
            }
            try expectStatements(2, in: store.container) { () throws in
                #expect(try titles(books) == (0..<50).map { "book \($0)" })
            }
            #expect(context.instance.registeredObjects.isEmpty)
        }
    }

    @Test func `only the batches that were used last are held`() throws {
        let store = try Press.store(authors: 100, booksEach: 1)
        try store.container.perform { context in
            let books = try context.fetch(sorted.batchSize(10))
            for _ in 1...2 { try expectStatements(10, in: store.container) { _ = try titles(books) } }
            // Two places at once, and a look back, read no batch twice.
            try expectStatements(10, in: store.container) { () throws in
                for place in 0..<50 {
                    #expect(try books[place].decode(\.number) + 50 == books[place + 50].decode(\.number))
                    #expect(try books[max(0, place - 5)].decode(\.number) == max(0, place - 5))
                }
            }
        }
    }

    @Test func `relations of a batch take as many statements for all of it as for one`() throws {
        let store = try Press.store(authors: 50, booksEach: 2)
        try store.container.perform { context in
            let books = try context.fetch(sorted.batchSize(25))
            // Rows, authors, notes and tags of four batches.
            try expectStatements(4 * 4, in: store.container) { () throws in
                for (place, book) in books.enumerated() {
                    #expect(try book.author?.decode(\.name) == "author \(place / 2)")
                    #expect(try book.author?.decode().name == "author \(place / 2)")
                    #expect(try book.notes.map { try $0.decode(\.text) } == ["\(place)a", "\(place)b"])
                    #expect(try book.tags.map { try $0.decode(\.word) } == ["tag \(place % 4)"])
                }
            }
            #expect(context.instance.registeredObjects.isEmpty)
        }
    }

    @Test func `prefetched relations are read with each batch`() throws {
        let store = try Press.store(authors: 50, booksEach: 2)
        try store.container.perform { context in
            let request = sorted.prefetch(\.author.publisher, \.notes).batchSize(40)
            let books = try expectStatements(1, in: store.container) { try context.fetch(request) }
            try expectStatements(1 + 3, in: store.container) { _ = try books[50].decode(\.title) }
            try expectStatements(0, in: store.container) { () throws in
                #expect(try books[60].author?.publisher?.decode(\.name) == "publisher 0")
                #expect(try books[41].notes.decode().map(\.text) == ["41a", "41b"])
            }
            try expectStatements(2 * (1 + 3), in: store.container) { () throws in
                #expect(try books.compactMap { try $0.author?.publisher?.decode(\.name) }.count == 98)
            }
        }
    }
    #endif

    @Test func `a sort, a limit and an offset count as ever, and nothing found is nothing`() throws {
        let store = try Press.store(authors: 10)
        try store.container.perform { context in
            let last = Press.Book.all.sort(\.number, ascending: false).offset(2).limit(5).batchSize(2)
            let found = try context.fetch(last)
            #expect(try found.map { try $0.decode(\.number) } == [17, 16, 15, 14, 13])
            #expect(try context.fetchOne(last)?.decode(\.number) == 17)
            #expect(try context.fetch(last.where { $0.title == "none" }).isEmpty)
            #expect(try titles(context.fetch(sorted.batchSize(0))).count == 20)
            #expect(try titles(context.fetch(sorted.batchSize(.max))).count == 20)
            #expect(try context.decode(last).map(\.number) == [17, 16, 15, 14, 13])
            let error = storeError { try context.fetch(sorted.batchSize(-1)) }
            #expect(error?.code == .invalidRequest && error?.message.contains("batch size -1") == true)
        }
    }

    @Test func `an object that was deleted before its batch was read throws, and its neighbours can be read`() throws {
        let store = try Press.store(authors: 10, booksEach: 1)
        try store.container.perform { context in
            let books = try context.fetch(sorted.batchSize(4))
            #expect(try books[0].decode(\.number) == 0)
            _ = try context.batchDelete(Press.Book.all.where { $0.number == 1 || $0.number == 5 })
            try context.delete(Press.Book.all.where { $0.number == 6 })
            for place in [1, 5, 6] {
                #expect(storeError { try books[place].decode(\.title) }?.code == .objectDeleted)
                #expect(storeError { try books[place].decode() }?.code == .objectDeleted)
                #expect(storeError { try books[place].encode(\.title, "x") }?.code == .objectDeleted)
            }
            let rest = [0, 2, 3, 4, 7, 8, 9]
            #expect(try rest.map { try books[$0].decode(\.number) } == rest)
            #expect(books[4].author != nil && books[4].notes.count == 2)
        }
        #expect(try store.container.perform { try $0.count(of: Press.Book.all) } == 7)
    }

    @Test func `changes of the same perform are seen, whenever they are made`() throws {
        let store = try Press.store(authors: 6, booksEach: 1)
        try store.container.perform { context in
            try context.insert(Press.Book(number: 7, title: "early"))
            try context.fetchOne(sorted)?.encode(\.title, "changed")
            let early = try context.fetch(sorted.batchSize(2))
            #expect(try titles(early) == ["changed"] + (1...5).map { "book \($0)" } + ["early"])
        }
        try store.container.perform { context in
            let books = try context.fetch(sorted.batchSize(2))
            #expect(try books[0].decode(\.title) == "changed")
            try books[0].encode(\.title, "again")
            try context.fetchOne(Press.Book.all.where { $0.number == 3 })?.encode(\.title, "third")
            _ = try context.update(Press.Book.all.where { $0.number == 5 }, set: (\.title, "fifth"))
            #expect(try titles(books) == ["again", "book 1", "book 2", "third", "book 4", "fifth", "early"])
        }
        #expect(
            try store.container.perform { try $0.decode(sorted).map(\.title) }
                == ["again", "book 1", "book 2", "third", "book 4", "fifth", "early"])
    }

    @Test func `handles of batches write, relate and compare like other handles`() throws {
        let store = try Press.store(authors: 6, booksEach: 1)
        try store.container.perform { context in
            let books = try context.fetch(sorted.batchSize(2))
            let same = try context.fetch(sorted)
            #expect(books == same && Set(books) == Set(same))
            for book in books { try book.encode(\.title, "new \(try book.decode(\.number))") }
            books[5].author = books[0].author
            try books[4].notes.move(from: 0, to: 1)
            try context.delete(books[3])
        }
        try store.container.perform { context in
            let books = try context.fetch(sorted.batchSize(2))
            #expect(try titles(books) == ["new 0", "new 1", "new 2", "new 4", "new 5"])
            #expect(books[4].author == books[0].author && books[4].author != nil)
            #expect(try books[3].notes.decode().map(\.text) == ["4b", "4a"])
        }
        try store.verifyIfFile()
    }

    @Test func `a handle that outlives its perform reports its id and reads nothing`() throws {
        let store = try Press.store(authors: 6, booksEach: 1)
        // Unsafe: taken out on purpose, as handles must not leave a perform. The closure runs on this thread, before the
        // lines behind it.
        nonisolated(unsafe) var escaped: [ManagedObject<Press.Book>] = []
        try store.container.perform { context in escaped = try context.fetch(sorted.batchSize(2)) }
        let error = storeError { try escaped[3].decode() }
        #expect(error?.code == .scopeEnded)
        let id = escaped[3].id
        #expect(try store.container.perform { try $0.object(with: id).decode(\.number) } == 3)
    }
}
