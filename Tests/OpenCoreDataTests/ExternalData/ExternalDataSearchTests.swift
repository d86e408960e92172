import Foundation
import SwormPredicates
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Files of external data that no row names, at the opening of a store.
@Suite("The search for unused files of external data")
struct ExternalDataSearchTests {
    private let model = LibraryModel.model
    private let long = Data(repeating: 5, count: 110_000)

    /// A folder with a store of books with covers.
    private func folder(books: Int = 1) throws -> StoreFolder {
        let folder = try StoreFolder()
        let store = try folder.open()
        var request = SaveRequest()
        for number in 1...books {
            request.insert(model[LibraryModel.book], key: Int64(-number), ["cover": .data(long)])
        }
        try store.save(request)
        store.close()
        return folder
    }

    @Test func `files older than a day are removed, and nothing else is`() throws {
        let folder = try folder()
        let named = folder.externalFiles
        let old = try folder.addOrphan(age: .day + .seconds(60))
        let young = try folder.addOrphan(age: .day - .seconds(60))
        let small = folder.externalPath + "/" + UUID().uuidString.lowercased()
        let target = try folder.addOrphan()
        try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: false)
        let link = UUID().uuidString
        try FileManager.default.createSymbolicLink(
            atPath: folder.externalPath + "/" + link, withDestinationPath: folder.url().path)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: folder.externalPath + "/" + target)
        let before = folder.externalFiles
        try folder.open().close()
        #expect(before.subtracting(folder.externalFiles) == [old, target])
        #expect(folder.externalFiles.isSuperset(of: named.union([young, link])))
    }

    @Test func `opening read-only removes nothing`() throws {
        let folder = try folder()
        try folder.addOrphan(age: .day * 2)
        let before = try folder.contents()
        try folder.open { $0.isReadOnly = true }.close()
        #expect(try folder.contents() == before)
    }

    @Test func `a write, or a snapshot of an older state, postpones it to the next opening`() throws {
        let folder = try folder()
        try folder.addOrphan(age: .day * 2)
        let raw = try folder.raw()
        try raw.begin(.immediate)
        try folder.open().close()
        #expect(folder.externalFiles.count == 2)
        try raw.rollback()
        // An orphan may be what a reader still sees: a process was killed that had replaced it.
        let other = try folder.open { $0.externalData.minimumAge = .infinity }
        let view = try other.beginSession()
        try raw.execute("UPDATE ZBOOK SET Z_OPT = Z_OPT + 1")
        try folder.open().close()
        #expect(folder.externalFiles.count == 2)
        view.end()
        try folder.open().close()
        #expect(folder.externalFiles.count == 1)
    }

    @Test(arguments: [(10, 7), (1, 1000), (1000, 1), (7, 100)])
    func `each opening checks a limited number of files and rows, and the next one continues`(_ files: Int, _ rows: Int)
        throws
    {
        let (books, orphans) = (20, 30)
        let folder = try folder(books: books)
        let named = folder.externalFiles
        for _ in 0..<orphans { try folder.addOrphan() }
        let clock = ManualClock()
        clock.advance(by: .day * 2)
        var (openings, largest, count) = (0, 0, folder.externalFiles.count)
        while count > books, openings < 5000 {
            try folder.open { options in
                clock.set(&options.externalData)
                options.externalData.filesPerOpening = files
                options.externalData.rowsPerOpening = rows
            }.close()
            openings += 1
            let left = folder.externalFiles.count
            largest = max(largest, count - left)
            count = left
        }
        #expect(folder.externalFiles == named)
        #expect(largest <= files)
        #expect(openings >= max(orphans / files, books / rows))
        #expect(try StoreVerification.findings(of: folder.url(), model: model) == [])
    }

    @Test func `a long search rests for a day at its end, unless a file is known to be unused`() throws {
        let folder = try folder()
        let clock = ManualClock()
        clock.advance(by: .day * 2)
        func open() throws -> SQLiteStore {
            try folder.open { options in
                clock.set(&options.externalData)
                options.externalData.filesPerOpening = 5
            }
        }
        try open().close()
        try folder.addOrphan()
        clock.advance(by: .day - .seconds(1))
        try open().close()
        #expect(folder.externalFiles.count == 2)
        clock.advance(by: .seconds(1))
        try open().close()
        #expect(folder.externalFiles.count == 1)

        let (store, other) = (try open(), try open())
        let view = try other.beginSession()
        try store.setCovers([(RowID(entity: LibraryModel.book, key: 1), nil)])
        store.close()
        #expect(folder.externalFiles.count == 1)
        view.end()
        other.close()
        try open().close()
        #expect(folder.externalFiles == [])
    }

    @Test func `a small store is searched at each opening, and needs no note`() throws {
        let folder = try folder(books: 3)
        for _ in 0..<3 {
            try folder.addOrphan(age: .day * 2)
            try folder.open().close()
            #expect(folder.externalFiles.count == 3)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.Test_SUPPORT").count == 1)
    }

    @Test func `rows that were changed between two parts of a search keep their files`() throws {
        let folder = try folder(books: 6)
        let clock = ManualClock()
        clock.advance(by: .day * 2)
        func open() throws -> SQLiteStore {
            try folder.open { options in
                clock.set(&options.externalData)
                options.externalData.rowsPerOpening = 2
            }
        }
        for _ in 0..<20 { try folder.addOrphan() }
        for number in 0..<12 {
            let store = try open()
            let row = RowID(entity: LibraryModel.book, key: Int64(number % 6 + 1))
            try store.setCovers([(row, long + [UInt8(number)])])
            store.close()
        }
        #expect(folder.externalFiles.count == 6)
        #expect(try StoreVerification.findings(of: folder.url(), model: model) == [])
    }

    @Test func `the note of another store, or a damaged one, is ignored`() throws {
        let folder = try folder()
        let note = URL(fileURLWithPath: folder.path + "/.Test_SUPPORT/_SEARCH")
        try folder.addOrphan(age: .day * 2)
        try folder.open { $0.externalData.filesPerOpening = 5 }.close()
        let foreign = try Data(contentsOf: note)
        #expect(folder.externalFiles.count == 1)
        let second = try self.folder()
        try foreign.write(to: URL(fileURLWithPath: second.path + "/.Test_SUPPORT/_SEARCH"))
        try second.addOrphan(age: .day * 2)
        try second.open().close()
        #expect(second.externalFiles.count == 1)
        try Data("{}".utf8).write(to: note)
        try folder.addOrphan(age: .day * 2)
        try folder.open().close()
        #expect(folder.externalFiles.count == 1)
    }

    @Test func `files that another store may name are left alone`() throws {
        let folder = try folder()
        let orphan = try folder.addOrphan(age: .day * 2)
        // A copy without the hidden folder uses that of its origin, if only the extension of its name differs.
        try FileManager.default.copyItem(atPath: folder.url().path, toPath: folder.path + "/Test.backup")
        try folder.open().close()
        #expect(folder.externalFiles.contains(orphan))
        let borrower = try StoreFolder()
        try FileManager.default.copyItem(atPath: folder.url().path, toPath: borrower.url().path)
        try FileManager.default.createSymbolicLink(
            atPath: borrower.path + "/.Test_SUPPORT", withDestinationPath: folder.path + "/.Test_SUPPORT")
        try borrower.open().close()
        #expect(folder.externalFiles.contains(orphan))
    }

    @Test func `a file that two rows name stays until the second one names another`() throws {
        let folder = try folder(books: 2)
        let store = try folder.open { $0.externalData.attemptInterval = .zero }
        try folder.raw().execute("UPDATE ZBOOK SET ZCOVER = (SELECT ZCOVER FROM ZBOOK WHERE Z_PK = 1)")
        let rows = (1...2).map { RowID(entity: LibraryModel.book, key: $0) }
        try store.setCovers([(rows[0], nil)])
        #expect(try store.reading { try $0.cover(rows[1]) } == long)
        try store.setCovers([(rows[1], nil)])
        // The other file was never referenced, and is too new to be removed.
        #expect(folder.externalFiles.count == 1)
    }
}
