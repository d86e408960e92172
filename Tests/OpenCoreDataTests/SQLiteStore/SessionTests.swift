import Dispatch
import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import Testing
import SwormRows

@Suite("Sessions and saves")
struct SessionTests {
    private let model = LibraryModel.model
    private let authors = FetchSpecification(entity: LibraryModel.author)

    @Test func `a session sees one state until it ends`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(LibraryModel.author, ["name": .string("a")])
        let session = try store.beginSession()
        try store.insert(LibraryModel.author, ["name": .string("b")])
        let second = try store.beginSession()
        #expect(try session.count(authors) == 1)
        #expect(try second.count(authors) == 2)
        session.end()
        second.end()
        session.end()
        let error = try #require(throws: CoreDataError.self) { try session.count(authors) }
        #expect(error.message.contains("has ended"))
        #expect(try store.reading { try $0.count(authors) } == 2)
    }

    @Test(arguments: [SQLiteError.interrupt, SQLiteError.error])
    func `work that a suspension has stopped reports it after the store was resumed`(code: Int32) throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let interrupted = SQLiteError(code: code, message: "interrupted")
        let before = try #require(throws: CoreDataError.self) { try store.translating("save") { throw interrupted } }
        #expect(before.condition != .suspended)
        try store.suspend(stoppingAt: .now, until: .now + .seconds(60))
        try store.resume()
        let after = try #require(throws: CoreDataError.self) { try store.translating("save") { throw interrupted } }
        #expect(after.condition == .suspended)
    }

    @Test func `a store in memory is saved while a session of the same thread is open`() throws {
        for store in [
            try SQLiteStore.inMemory(model: model),
            try SQLiteStore.open(url: URL(fileURLWithPath: "/dev/null"), model: model),
        ] {
            let session = try store.beginSession()
            let inner = try store.beginSession()
            #expect(try session.count(authors) == 0)
            try store.insert(LibraryModel.author, ["name": .string("a")])
            #expect(try store.reserveKeys(root: LibraryModel.author, count: 1) == 2)
            #expect(try session.count(authors) == 1)
            inner.end()
            #expect(try session.count(authors) == 1)
            session.end()
            #expect(try store.rows(LibraryModel.author).0.count == 1)
            store.close()
        }
    }

    @Test func `in memory another thread waits for its turn, and not for ever`() throws {
        var options = StoreOptions()
        options.busyTimeout = 0.2
        let store = try SQLiteStore.inMemory(model: model, options: options)
        let session = try store.beginSession()
        let result = ThreadResults()
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do { try store.insert(LibraryModel.author) } catch { result.add(error) }
            done.signal()
        }
        done.wait()
        #expect((result.errors.first as? CoreDataError)?.errorCode == NSPersistentStoreTimeoutError)
        Thread.detachNewThread {
            do { try store.insert(LibraryModel.author) } catch { result.add(error) }
            done.signal()
        }
        Thread.sleep(forTimeInterval: 0.05)
        session.end()
        done.wait()
        #expect(result.errors.count == 1)
        #expect(try store.rows(LibraryModel.author).0.count == 1)
    }

    @Test(arguments: [false, true]) func `many threads read consistent states during writes`(inMemory: Bool) throws {
        let folder = try StoreFolder()
        var options = StoreOptions()
        options.busyTimeout = 30
        let store =
            inMemory
            ? try SQLiteStore.inMemory(model: model, options: options)
            : try SQLiteStore.open(url: folder.url(), model: model, options: options)
        let results = ThreadResults()
        let group = DispatchGroup()
        let model = model
        for writer in 0..<3 {
            DispatchQueue.global().async(group: group) {
                do {
                    for _ in 0..<30 {
                        // Two rows at a time: an odd number would be half a save.
                        var request = SaveRequest()
                        request.insert(model[LibraryModel.author], key: -1, ["age": .int(Int64(writer))])
                        request.insert(model[LibraryModel.author], key: -2, ["age": .int(Int64(writer))])
                        try store.save(request)
                    }
                } catch { results.add(error) }
            }
        }
        for _ in 0..<4 {
            DispatchQueue.global().async(group: group) {
                do {
                    let shape = RowShape(model: model, entity: LibraryModel.author)
                    let all = FetchSpecification(entity: LibraryModel.author)
                    for _ in 0..<40 {
                        let session = try store.beginSession()
                        defer { session.end() }
                        let count = try session.count(all)
                        let rows = try session.rows(all, shape: shape)
                        let same = try session.count(all)
                        if count % 2 != 0 || rows.count != count || same != count {
                            results.add(CoreDataError(1, "torn state: \(count) \(rows.count) \(same)"))
                        }
                    }
                } catch { results.add(error) }
            }
        }
        group.wait()
        #expect(results.errors.isEmpty, "\(results.errors)")
        #expect(try store.rows(LibraryModel.author).0.count == 180)
        store.close()
        if !inMemory { #expect(try StoreVerification.issues(of: folder.url(), model: model) == []) }
    }

    @Test func `a closed store rejects requests, also in open sessions`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(LibraryModel.author)
        let session = try store.beginSession()
        store.close()
        store.close()
        for body: () throws -> Void in [
            { _ = try session.count(authors) }, { _ = try store.beginSession() },
            { try store.insert(LibraryModel.author) },
            { _ = try store.reserveKeys(root: 1, count: 1) },
        ] {
            let error = try #require(throws: CoreDataError.self) { try body() }
            #expect(error.message.contains("closed"))
        }
        session.end()
        #expect(try Array(folder.contents().keys) == ["Test.sqlite"])
    }

    @Test func `a session finds rows, keys, identities and structs`() throws {
        struct Author { var id: Int64 = 0, name = "" }
        let store = try SQLiteStore.inMemory(model: model)
        for name in ["a", "b", "c"] { try store.insert(LibraryModel.author, ["name": .string(name)]) }
        try store.insert(LibraryModel.comic)
        try store.insert(LibraryModel.book)
        let session = try store.beginSession()
        defer { session.end() }
        let shape = RowShape(model: model, entity: LibraryModel.author)
        let found = try session.rows(withKeys: [3, 1, 99], shape: shape)
        #expect(Set((0..<found.count).map { found.int64(row: $0, cell: RowShape.primaryKeyCell) }) == [1, 3])
        #expect(
            try session.identities(FetchSpecification(entity: LibraryModel.book)) == [
                .init(entity: LibraryModel.comic, key: 1), .init(entity: LibraryModel.book, key: 2),
            ])
        let plan = RowPlan<Author>(
            ops: [
                RowOp(column: 0, kind: .int64, offset: try #require(MemoryLayout<Author>.offset(of: \Author.id))),
                RowOp(column: 1, kind: .string, offset: try #require(MemoryLayout<Author>.offset(of: \Author.name))),
            ], template: Author())
        var specification = authors
        specification.limit = 2
        specification.sorts = [.init(path: ["name"], ascending: false)]
        let decoded = try session.decode(specification, attributes: [1], plan: plan)
        #expect(decoded.map(\.name) == ["c", "b"] && decoded.map(\.id) == [3, 2])
        var names: [String] = []
        try session.forEach(specification, attributes: [1], plan: plan, at: nil) { names.append($0.move().name) }
        #expect(names == ["c", "b"])
    }

    @Test func `a long read is stopped from another thread`() throws {
        let store = try SQLiteStore.inMemory(model: model)
        var request = SaveRequest()
        for key in 1...20_000 as ClosedRange<Int64> {
            request.insert(model[LibraryModel.author], key: -key, ["age": .int(key % 100)])
        }
        try store.save(request)
        let session = try store.beginSession()
        defer { session.end() }
        let interrupt = session.interrupt
        struct Empty { var id: Int64 = 0 }
        let plan = RowPlan<Empty>(ops: [RowOp(column: 0, kind: .int64, offset: 0)], template: Empty())
        var count = 0
        let error = try #require(throws: CoreDataError.self) {
            try session.forEach(authors, attributes: [], plan: plan, at: nil) { row in
                _ = row.move()
                count += 1
                if count == 100 { interrupt() }
            }
        }
        #expect(error.errorCode == CocoaError.Code.userCancelled.rawValue)
        #expect(count < 20_000)
        #expect(try session.count(authors) == 20_000)
    }
}

/// What went wrong on other threads.
final class ThreadResults: @unchecked Sendable {
    // @unchecked: the array is only touched while the lock is held.
    private let lock = NSLock()
    private var found: [any Error] = []
    func add(_ error: any Error) { lock.withLock { found.append(error) } }
    var errors: [any Error] { lock.withLock { found } }
}
