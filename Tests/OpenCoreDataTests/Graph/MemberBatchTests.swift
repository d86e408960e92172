import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Members that are read for many owners at a time", .overEachStore)
struct MemberBatchTests {
    /// Authors with as many books as their place says, the last of them in the order of keys asked first.
    private func library() throws -> (folder: StoreFolder, context: NSManagedObjectContext) {
        let folder = try StoreFolder()
        let context = try GraphLibrary.context(at: folder.url())
        for number in 0..<12 {
            let author = try context.make("Author", ["name": "author \(number)"])
            for book in 0..<number { try context.make("Book", ["title": "\(number).\(book)", "author": author]) }
        }
        try context.save()
        context.reset()
        return (folder, context)
    }

    @Test(arguments: [1, 2, 5, 11, 12, 13, 66, 67, 1000], [true, false])
    func `a bound of the rows leaves no member out`(limit: Int, ascending: Bool) throws {
        let (folder, context) = try library()
        context.faulting.largestReadAhead = limit
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: ascending)]
        let authors = try context.fetch(request)
        for author in authors {
            let number = author.text("name")?.split(separator: " ").last.flatMap { Int($0) } ?? -1
            let titles = author.set("books").compactMap { $0.text("title") }.sorted()
            #expect(titles == (0..<number).map { "\(number).\($0)" }.sorted(), "\(number) with \(limit)")
            for book in author.set("books") { #expect(book.object("author") === author) }
        }
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [true, false])
    func `an owner with very many members makes no statement of its own of each that follows`(prefetches: Bool) throws {
        let counter = StatementCounter()
        let context = GraphLibrary.context(try GraphLibrary.coordinator(options: counter.options))
        context.faulting.largestReadAhead = 20
        for number in 0..<65 {
            let author = try context.make("Author", ["name": "author \(number)"])
            for book in 0..<(number == 0 ? 40 : number % 2) {
                try context.make("Book", ["title": "\(number).\(book)", "author": author])
            }
        }
        try context.save()
        context.reset()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        if prefetches { request.relationshipKeyPathsForPrefetching = ["books"] }
        let count = try counter.count {
            let authors = try context.fetch(request)
            #expect(authors.map { $0.set("books").count } == [40] + (1..<65).map { $0 % 2 })
        }
        // The authors, the first one's books in vain and alone, and then for 1, 2, 4, ... of the others.
        #expect(count <= 14, "\(count)")
    }

    @Test func `objects that are known keep their unsaved changes when they come as members`() throws {
        let (folder, context) = try library()
        let book = try #require(try context.all("Book", "title == '3.1'").first)
        book.setValue("changed", forKey: "title")
        let author = try #require(try context.all("Author", "name == 'author 3'").first)
        #expect(author.set("books").compactMap { $0.text("title") }.sorted() == ["3.0", "3.2", "changed"])
        context.delete(book)
        #expect(author.set("books").compactMap { $0.text("title") }.sorted() == ["3.0", "3.2"])
        withExtendedLifetime(folder) {}
    }
}
