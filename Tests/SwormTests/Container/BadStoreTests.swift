// The driver of the package damages the stores, and the messages are those of its engine.
#if canImport(SwormSQLite)
import Foundation
import Sworm
import SwormSQLite
import Testing

/// What users meet: each thing that can be wrong with a store's file, seen through a container.
@Suite("Stores that are bad")
struct BadStoreTests {
    private struct Item: ManagedObjectConvertible, Equatable {
        var name = ""
        var size = 0
        static let attributes: Set<Attribute<Item>> = [.init(\.name, "name"), .init(\.size, "size")]
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: StoreError.Code
        let words: [String]
        /// Spoils a sound store of one item.
        let spoil: @Sendable (URL) throws -> Void
        /// Whether the issue shows only when the rows are read.
        var showsInRows = false

        static func sql(
            _ name: String, _ code: StoreError.Code, _ words: [String], rows: Bool = false, _ sql: String
        ) -> Failure {
            Failure(
                testDescription: name, code: code, words: words,
                spoil: { try Connection(.file(path: $0.path)).execute(sql) },
                showsInRows: rows)
        }

        static func bytes(
            _ name: String, _ words: [String], code: StoreError.Code = .cannotOpen,
            _ change: @escaping @Sendable (Data) -> Data
        ) -> Failure {
            Failure(
                testDescription: name, code: code, words: words,
                spoil: { try change(try Data(contentsOf: $0)).write(to: $0) })
        }
    }

    static let issues: [Failure] = [
        .bytes("a text file", ["not a SQLite database"]) { _ in Data("Dear diary, nothing of note happened.".utf8) },
        .bytes("a truncated store", ["is truncated"]) { $0.dropLast(5_000) },
        .bytes("a store with a damaged page", ["damaged"], code: .storeFailed) { data in
            var data = data
            for index in 4_096..<min(12_288, data.count) { data[index] = 0x5A }
            return data
        },
        Failure(
            testDescription: "a SQLite file that is not a store", code: .cannotOpen, words: ["not a Core Data store"]
        ) {
            try FileManager.default.removeItem(at: $0)
            try Connection(.file(path: $0.path)).execute("CREATE TABLE note (text TEXT)")
        },
        .sql("NULL metadata", .cannotOpen, ["Z_PLIST"], "UPDATE Z_METADATA SET Z_PLIST = NULL"),
        .sql(
            "metadata that is not a property list", .cannotOpen, ["property list"],
            "UPDATE Z_METADATA SET Z_PLIST = X'00FF'"),
        .sql("a missing column", .cannotOpen, ["ZSIZE", "Item.size"], "ALTER TABLE ZITEM DROP COLUMN ZSIZE"),
        .sql(
            "a text where a number must be", .storeFailed, ["size", "Item"], rows: true,
            "UPDATE ZITEM SET ZSIZE = 'many'"),
        .sql(
            "bytes that are no UTF-8", .storeFailed, ["name", "Item", "UTF-8"], rows: true,
            "UPDATE ZITEM SET ZNAME = CAST(X'41FF42' AS TEXT)"),
        .sql(
            "a blob where a text must be", .storeFailed, ["name", "Item"], rows: true,
            "UPDATE ZITEM SET ZNAME = X'41FF42'"),
    ]

    @Test(arguments: issues)
    func `each issue is a clear error, and the file is not modified`(issue: Failure) throws {
        let folder = try StoreFolder()
        try PersistentContainer(for: Item.self, at: .file(folder.file())).perform { try $0.insert(Item(name: "a")) }
        try issue.spoil(folder.file())
        let before = try Data(contentsOf: folder.file())
        for location in [StoreLocation.file(folder.file()), .readOnly(folder.file())] {
            let ways: [(String, (ManagedObjectContext) throws -> Void)] = [
                ("decode", { _ = try $0.decode(Item.all) }), ("forEach", { try $0.forEach(Item.all) { _ in } }),
                ("objects", { for item in try $0.fetch(Item.all) { _ = try item.decode() } }),
            ]
            for (way, read) in ways {
                var failure: (any Error)?
                if issue.showsInRows {
                    let store = try PersistentContainer(for: Item.self, at: location)
                    do { try store.perform { try read($0) } } catch { failure = error }
                } else {
                    do {
                        try PersistentContainer(for: Item.self, at: location).perform { try read($0) }
                    } catch {
                        failure = error
                    }
                }
                let error = try #require(failure, "\(way) found nothing at \(location)")
                #expect(issue.showsInRows && error is AttributeError || (error as? StoreError)?.code == issue.code)
                for word in issue.words { #expect("\(error)".contains(word), "\(way): \(error)") }
                #expect(try Data(contentsOf: folder.file()) == before)
            }
        }
    }

    @Test func `a store that someone else has locked`() throws {
        let folder = try StoreFolder()
        try PersistentContainer(for: Item.self, at: .file(folder.file())).perform { try $0.insert(Item(name: "a")) }
        let other = try Connection(.file(path: folder.file().path))
        try other.execute("PRAGMA journal_mode = DELETE")
        try other.execute("BEGIN EXCLUSIVE")
        let before = try Data(contentsOf: folder.file())
        let error = storeError { _ = try PersistentContainer(for: Item.self, at: .file(folder.file()), timeout: 0.1) }
        #expect(error?.code == .cannotOpen && error?.message.contains("locked") == true, "\(String(describing: error))")
        #expect(try Data(contentsOf: folder.file()) == before)
        try other.execute("ROLLBACK")
        #expect(
            try PersistentContainer(for: Item.self, at: .file(folder.file())).perform { try $0.count(of: Item.all) }
                == 1)
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "a small disk cannot be mounted here"))
    func `a full disk loses nothing that was saved`() throws {
        let folder = try StoreFolder()
        let disk = try #require(try SmallDisk(folder: folder))
        let store = try PersistentContainer(for: Item.self, at: .file(disk.url("store.sqlite")))
        try store.perform { try $0.insert(Item(name: "kept")) }
        let error = storeError {
            try store.perform { context in
                for size in 0..<2_000 {
                    try context.insert(Item(name: String(repeating: "x", count: 1_000), size: size))
                }
            }
        }
        #expect(error?.code == .storeFailed && error?.message.contains("full") == true, "\(String(describing: error))")
        #expect(try store.perform { try $0.decode(Item.all) } == [Item(name: "kept")])
        try store.perform { try $0.insert(Item(name: "later")) }
        #expect(try store.perform { try $0.count(of: Item.all) } == 2)
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "a small disk cannot be mounted here"))
    func `a folder that cannot be written is read and not written`() throws {
        let folder = try StoreFolder()
        let disk = try #require(try SmallDisk(folder: folder))
        let url = disk.url("store.sqlite")
        try PersistentContainer(for: Item.self, at: .file(url)).perform { try $0.insert(Item(name: "a")) }
        try disk.setReadOnly(true)
        let before = try Data(contentsOf: url)
        let error = storeError { _ = try PersistentContainer(for: Item.self, at: .file(url)) }
        #expect(
            error?.code == .cannotOpen && error?.message.contains("cannot be opened for writing") == true,
            "\(String(describing: error))")
        let store = try PersistentContainer(for: Item.self, at: .readOnly(url))
        #expect(try store.perform { try $0.decode(Item.all) } == [Item(name: "a")])
        #expect(try Data(contentsOf: url) == before)
    }
}
#endif
