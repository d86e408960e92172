import Foundation
@testable import OpenCoreData
import SwormPredicates
import SwormSQLite
import Testing
import SwormRows

@Suite("A full disk")
struct FullDiskTests {
    private let model = LibraryModel.model

    private func manyRows() -> SaveRequest {
        var request = SaveRequest()
        for key in 1...3000 as ClosedRange<Int64> {
            request.insert(
                model[LibraryModel.tag], key: -key, ["name": .string(String(repeating: "x", count: 1000) + "\(key)")])
        }
        return request
    }

    @Test func `a save that does not fit is undone, and the next one works`() throws {
        let folder = try StoreFolder()
        let store = try folder.open { $0.maximumPageCount = 100 }
        try store.insert(LibraryModel.tag, ["name": .string("first")])
        let error = try #require(throws: CoreDataError.self) { try store.save(manyRows()) }
        #expect(error.errorCode == CocoaError.Code.fileWriteOutOfSpace.rawValue)
        #expect(error.message.contains("full"))
        #expect(try store.rows(LibraryModel.tag).0.count == 1)
        #expect(try store.insert(LibraryModel.tag).key == 2)
        store.close()
        #expect(try StoreVerification.issues(of: folder.url(), model: model) == [])
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "mounting a small disk is not permitted here"))
    func `a disk that is full indeed`() throws {
        let folder = try StoreFolder()
        let disk = try #require(try SmallDisk(folder: folder))
        let store = try SQLiteStore.open(url: disk.url("Test.sqlite"), model: model)
        try store.insert(LibraryModel.tag, ["name": .string("first")])
        let error = try #require(throws: CoreDataError.self) { try store.save(manyRows()) }
        #expect(
            error.errorCode == CocoaError.Code.fileWriteOutOfSpace.rawValue,
            "\(error.message) \(String(describing: error.cause))")
        #expect(try store.rows(LibraryModel.tag).0.count == 1)

        var request = SaveRequest()
        request.insert(model[LibraryModel.book], key: -1, ["cover": .data(Data(count: 2_000_000))])
        let external = try #require(throws: CoreDataError.self) { try store.save(request) }
        #expect(external.message.contains("external data file"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: disk.path + "/.Test_SUPPORT/_EXTERNAL_DATA").isEmpty)
        store.close()
        #expect(try StoreVerification.issues(of: disk.url("Test.sqlite"), model: model) == [])
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "mounting a small disk is not permitted here"))
    func `a store that does not fit on the disk is not created partially`() throws {
        let folder = try StoreFolder()
        let disk = try #require(try SmallDisk(folder: folder, kilobytes: 64))
        let error = try #require(throws: CoreDataError.self) {
            try SQLiteStore.open(url: disk.url("Test.sqlite"), model: model)
        }
        #expect(error.errorCode == CocoaError.Code.fileWriteOutOfSpace.rawValue, "\(error.message)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
        try Data().write(to: disk.url("Test.sqlite"))
        #expect(throws: CoreDataError.self) { try SQLiteStore.open(url: disk.url("Test.sqlite"), model: model) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["Test.sqlite"])
        #expect(try Data(contentsOf: disk.url("Test.sqlite")).isEmpty)
    }
}
