// Core Data reads all values again itself.
#if !canImport(CoreData)
import Foundation
import OpenCoreData
import Sworm
import SwormSQLite
import SwormTools
import Testing

/// Changes of values that neither a request nor the version of a row shows.
@Suite("Changes that nothing explains", .timeLimit(.minutes(30)))
struct UnexplainedChangesTests {
    typealias Folder = Archive.Folder

    private func next<Element>(_ iterator: inout LiveValues<Element>.Iterator) async throws -> Element {
        try #require(try await iterator.next())
    }

    private func third(_ store: PersistentContainer) -> LiveValues<LiveList<Folder>> {
        store.lists(of: Folder.all.where { $0.number == 3 })
    }

    @Test func `are delivered after another program has written without versions`() async throws {
        let test = try Archive.store(in: .file)
        let program = try ForeignProgram(try #require(test.url))
        var lists = third(test.container).makeAsyncIterator()
        _ = try await next(&lists)
        for turn in 0..<5 {
            try program.connection.execute("UPDATE ZFOLDER SET ZTITLE = 'plain \(turn)' WHERE ZNUMBER = 3")
            let list = try await next(&lists)
            #expect(list.map(\.title) == ["plain \(turn)"])
            #expect(list.changes.updated == [0])
        }
    }

    @Test func `are delivered to a consumer that has missed them`() async throws {
        let test = try Archive.store(in: .file)
        let store = test.container
        let program = try ForeignProgram(try #require(test.url))
        var all = store.lists(of: Folder.all.sort(\.number)).makeAsyncIterator()
        var watched = store.count(of: Folder.all.where { $0.title == "plain" }).makeAsyncIterator()
        _ = try await next(&all)
        #expect(try await next(&watched) == 0)
        try program.connection.execute("UPDATE ZFOLDER SET ZTITLE = 'plain' WHERE ZNUMBER = 3")
        #expect(try await next(&watched) == 1)
        // The consumer of the list reads on only after a commit that is known.
        try store.perform {
            _ = try $0.insert(Folder(number: 99, title: "plain"))
        }
        #expect(try await next(&watched) == 2)
        let list = try await next(&all)
        #expect(list[3].title == "plain")
        #expect(list.changes.updated == [3])
    }

    @Test func `are delivered after a copy was restored whose rows have the same versions`() async throws {
        let test = try Archive.store(in: .file)
        let url = try #require(test.url)
        try test.container.close()
        let copy = url.deletingLastPathComponent().appendingPathComponent("Copy")
        try FileManager.default.copyItem(at: url, to: copy)
        try ForeignProgram(copy).rename(3, "restored")
        try ForeignProgram(url).rename(3, "lost")
        let store = try PersistentContainer(for: Archive.Shelf.self, at: .file(url))
        var lists = third(store).makeAsyncIterator()
        #expect(try await next(&lists).map(\.title) == ["lost"])
        try store.suspend()
        // In place, because a file with another identity is refused.
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: try Data(contentsOf: copy))
        try file.close()
        try store.resume()
        #expect(try await next(&lists).map(\.title) == ["restored"])
    }

    @Test func `are delivered after a file that is read only was replaced`() async throws {
        let (test, other) = (try Archive.store(in: .file), try Archive.store(in: .file))
        let (url, otherURL) = (try #require(test.url), try #require(other.url))
        try test.container.close()
        try other.container.close()
        try ForeignProgram(otherURL).connection.execute("UPDATE ZFOLDER SET ZTITLE = 'restored' WHERE ZNUMBER = 3")
        let store = try PersistentContainer(for: Archive.Shelf.self, at: .readOnly(url))
        var lists = third(store).makeAsyncIterator()
        #expect(try await next(&lists).map(\.title) == ["folder 3"])
        let copy = url.deletingLastPathComponent().appendingPathComponent("Copy")
        try FileManager.default.copyItem(at: otherURL, to: copy)
        #expect(rename(copy.path, url.path) == 0)
        #expect(try await next(&lists).map(\.title) == ["restored"])
    }

    @Test func `are delivered if a trigger of one's own has made them`() async throws {
        let test = try Archive.store(in: .file)
        let url = try #require(test.url)
        try test.container.close()
        try ForeignProgram(url).connection.execute(
            """
            CREATE TRIGGER notes AFTER UPDATE OF ZRANK ON ZFOLDER BEGIN
            UPDATE ZFOLDER SET ZTITLE = 'ranked ' || NEW.ZRANK WHERE Z_PK = NEW.Z_PK;
            UPDATE ZSHELF SET ZNAME = 'ranked' WHERE Z_PK = NEW.ZSHELF; END
            """)
        let store = try PersistentContainer(for: Archive.Shelf.self, at: .file(url))
        var titles = store.values(of: Folder.all.where { $0.number == 3 }.select(\.title)).makeAsyncIterator()
        var shelves = store.values(of: Archive.Shelf.all.where { $0.floor == 0 }.select(\.name)).makeAsyncIterator()
        #expect(try await next(&titles) == ["folder 3"])
        #expect(try await next(&shelves) == ["shelf 0"])
        var lists = store.lists(of: Archive.Shelf.all.where { $0.floor == 0 }).makeAsyncIterator()
        #expect(try await next(&lists).map(\.name) == ["shelf 0"])
        try store.perform { _ = try $0.fetchOne(Folder.all.where { $0.number == 3 })?.encode(\.rank, 77) }
        #expect(try await next(&titles) == ["ranked 77"])
        #expect(try await next(&shelves) == ["ranked"])
        #expect(try await next(&lists).map(\.name) == ["ranked"])
    }

    @Test func `are delivered if an inferred model gives the properties other names`() async throws {
        let test = try TestStore(for: Part.self, in: .file) { _ = try $0.insert(Part(unitPrice: 1)) }
        let url = try #require(test.url)
        try ForeignProgram(url).connection.execute("DELETE FROM Z_MODELCACHE")
        let inferred = try StoredModel(ofStoreAt: url)
        #expect(inferred.source == .inferred)
        let description = NSPersistentStoreDescription(url: url)
        description.setOption(true as NSNumber, forKey: SwormWritesWithInferredModelOption)
        let stack = NSPersistentContainer(name: "Parts", managedObjectModel: inferred.model)
        stack.persistentStoreDescriptions = [description]
        stack.loadPersistentStores { _, error in #expect(error == nil) }
        var prices = test.container.values(of: Part.all.select(\.unitPrice)).makeAsyncIterator()
        #expect(try await next(&prices) == [1])
        let context = stack.newBackgroundContext()
        let name = try #require(stack.managedObjectModel.entitiesByName["Part"]?.attributesByName.keys.first)
        #expect(name != "unitPrice")
        for price in 2..<5 {
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Part")
                try #require(try context.fetch(request).first).setValue(price as NSNumber, forKey: name)
                try context.save()
            }
            #expect(try await next(&prices) == [price])
        }
    }
}

private struct Part: ManagedObjectConvertible, Equatable, Sendable {
    var unitPrice = 0

    static let attributes: Set<Attribute<Self>> = [.init(\.unitPrice, "unitPrice")]
    static let relations: Void = ()
}
#endif
