import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import Testing
import SwormRows

@Suite("External binary data")
struct ExternalDataTests {
    private let model = LibraryModel.model
    private let long = Data(repeating: 5, count: 200_000)
    private let files = ".Test_SUPPORT/_EXTERNAL_DATA"

    private func names(_ folder: StoreFolder) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + files)) ?? []).sorted()
    }

    private func cover(_ store: SQLiteStore, _ key: Int64) throws -> Data {
        try store.reading { session in
            let shape = RowShape(model: model, entity: LibraryModel.book)
            let buffer = try session.rows(withKeys: [key], shape: shape)
            return try buffer.withBytes(row: 0, cell: shape.cell(ofAttribute: 0, in: LibraryModel.book)) {
                try session.externalData($0)
            }
        }
    }

    @Test func `long content is stored in a file named by a UUID, and read back`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let row = try store.insert(LibraryModel.book, ["cover": .data(long)])
        let name = try #require(names(folder).first)
        #expect(names(folder).count == 1 && UUID(uuidString: name)?.uuidString == name)
        #expect(FileManager.default.contents(atPath: folder.path + "/" + files + "/" + name) == long)
        let expected = "02" + name.utf8.map { String($0, radix: 16, uppercase: true) }.joined() + "00"
        #expect(try folder.raw().lines("SELECT hex(ZCOVER) FROM ZBOOK") == [expected])
        #expect(try cover(store, row.key) == long)
        store.close()
        #expect(try StoreVerification.issues(of: folder.url(), model: model) == [])
    }

    @Test func `a replaced file is removed, and so is that of a deleted row`() throws {
        let folder = try StoreFolder()
        let store = try folder.open { $0.externalData.attemptInterval = .zero }
        let row = try store.insert(LibraryModel.book, ["cover": .data(long)])
        let first = names(folder)
        var request = SaveRequest()
        request.update(row, version: 1, in: model, ["cover": .data(long + [1])])
        try store.save(request)
        #expect(names(folder).count == 1 && names(folder) != first)
        request = SaveRequest()
        request.update(row, version: 2, in: model, ["year": .int(3)])
        try store.save(request)
        #expect(try cover(store, row.key) == long + [1])
        request = SaveRequest()
        request.deletions = [.init(row: row, version: 3)]
        try store.save(request)
        #expect(names(folder) == [])
    }

    @Test func `a file that another row refers to as well stays`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let row = try store.insert(LibraryModel.book, ["cover": .data(long)])
        try store.insert(LibraryModel.comic)
        try folder.raw().execute("UPDATE ZBOOK SET ZCOVER = (SELECT ZCOVER FROM ZBOOK WHERE Z_PK = 1) WHERE Z_PK = 2")
        var request = SaveRequest()
        request.deletions = [.init(row: row, version: 1)]
        try store.save(request)
        #expect(names(folder).count == 1)
        #expect(try cover(store, 2) == long)
    }

    @Test func `a view that still sees the old row can still read its file`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        let row = try store.insert(LibraryModel.book, ["cover": .data(long)])
        let session = try store.beginSession()
        var request = SaveRequest()
        request.update(row, version: 1, in: model, ["cover": .data(Data([1]))])
        try store.save(request)
        let shape = RowShape(model: model, entity: LibraryModel.book)
        let buffer = try session.rows(withKeys: [row.key], shape: shape)
        let cell = shape.cell(ofAttribute: 0, in: LibraryModel.book)
        #expect(try buffer.withBytes(row: 0, cell: cell) { try session.externalData($0) } == long)
        session.end()
        #expect(names(folder) == [])
        #expect(try cover(store, row.key) == Data([1]))
    }

    @Test func `a save that fails leaves no file`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(LibraryModel.author, ["name": .string("Leo")])
        var request = SaveRequest()
        request.insert(model[LibraryModel.book], key: -1, ["cover": .data(long)])
        request.insert(model[LibraryModel.author], key: -2, ["name": .string("Leo")])
        #expect(throws: UniquenessConflicts.self) { try store.save(request) }
        #expect(names(folder) == [])
    }

    @Test func `a save that writes twice leaves one file`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        for name in ["a", "b"] { try store.insert(LibraryModel.author, ["name": .string(name)]) }
        var request = SaveRequest()
        request.insert(model[LibraryModel.book], key: -1, ["cover": .data(long)])
        request.update(.init(entity: 1, key: 1), version: 1, in: model, ["name": .string("b")])
        request.update(.init(entity: 1, key: 2), version: 1, in: model, ["name": .string("a")])
        try store.save(request)
        #expect(names(folder).count == 1)
        #expect(try cover(store, 1) == long)
    }

    @Test func `a store in memory keeps everything in the column`() throws {
        let store = try SQLiteStore.inMemory(model: model)
        let row = try store.insert(LibraryModel.book, ["cover": .data(long)])
        #expect(try cover(store, row.key) == long)
    }

    @Test(arguments: [
        "X'02'", "X''", "X'07AA'", "CAST('2../../../etc/passwd' AS BLOB)",
        "CAST(X'02' || '../../../../../../../../../etc/passwd' || X'00' AS BLOB)",
        "CAST(X'02' || '00000000-0000-0000-0000-000000000000' || X'00' AS BLOB)",
    ]) func `bytes that are neither content nor a reference are rejected`(value: String) throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(LibraryModel.book)
        try folder.raw().execute("UPDATE ZBOOK SET ZCOVER = \(value)")
        #expect(throws: CoreDataError.self) { try cover(store, 1) }
        let (buffer, shape) = try store.rows(LibraryModel.book)
        let entity = model[LibraryModel.book]
        let error = try store.reading { session in
            #expect(throws: CoreDataError.self) {
                try buffer.value(
                    row: 0, cell: shape.cell(ofAttribute: 0, in: LibraryModel.book), of: entity.attributes[0],
                    in: entity,
                    session: session)
            }
        }
        #expect(error?.message.contains("Book.cover") == true)
    }
}
