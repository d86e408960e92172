import Foundation
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Stores that Core Data begins to mirror while they are open")
struct NewMirroringTests {
    /// A store with a tag, which is open.
    private func open(
        _ folder: StoreFolder, tracksHistory: Bool = true, writesMirroredStores: Bool = true
    ) throws -> SQLiteStore {
        let store = try folder.open { options in
            options.tracksHistory = tracksHistory
            options.writesMirroredStores = writesMirroredStores
        }
        try store.insert(LibraryModel.tag, ["name": .string("one")])
        #expect(!store.isMirrored)
        return store
    }

    private func insertion(_ model: CompiledModel, author: String? = nil) -> SaveRequest {
        var request = SaveRequest()
        request.author = author
        request.insert(model[LibraryModel.tag], key: -1, ["name": .string("two")])
        return request
    }

    private func thrown(by work: () throws -> Void) throws -> CoreDataError {
        let error = coreDataError(work)
        return try #require(error)
    }

    @Test(arguments: [true, false])
    func `the history is kept, and changes are not recorded as the mirroring's`(suspends: Bool) throws {
        let folder = try StoreFolder()
        let store = try open(folder)
        if suspends { try store.suspend(stoppingAt: .now, until: .now + .seconds(60)) }
        try folder.raw().execute(MirroringSQL.schema())
        if suspends {
            try store.resume()
            #expect(store.isMirrored)
        }
        let deletion = try thrown { _ = try store.deleteHistory(before: .date(.distantFuture)) }
        #expect(deletion.message.contains("134301"))
        #expect(store.isMirrored)
        let author = "NSCloudKitMirroringDelegate.import"
        let saving = try thrown { try store.save(insertion(store.model, author: author)) }
        #expect(saving.message.contains(author))
        try store.save(insertion(store.model, author: "server"))
        store.close()
        #expect(try folder.raw().lines("SELECT count(*) FROM ATRANSACTION") == ["2"])
    }

    @Test func `a store that was not opened to write mirrored stores is not written any more`() throws {
        let folder = try StoreFolder()
        let store = try open(folder, writesMirroredStores: false)
        try folder.raw().execute(MirroringSQL.schema())
        let error = try thrown { try store.save(insertion(store.model)) }
        #expect(error.condition == .readOnly && error.message.contains(SwormWritesMirroredStoresOption))
        store.close()
        #expect(try folder.raw().lines("SELECT ZNAME FROM ZTAG") == ["one"])
    }

    @Test func `a store without history is not written until it is opened again`() throws {
        let folder = try StoreFolder()
        let store = try open(folder, tracksHistory: false)
        try folder.raw().execute(MirroringSQL.schema())
        let saving = try thrown { try store.save(insertion(store.model)) }
        #expect(saving.message.contains("has no history"))
        store.close()
        let again = try folder.open { $0.writesMirroredStores = true }
        try again.save(insertion(again.model))
        again.close()
        #expect(try folder.raw().lines("SELECT count(*) FROM ATRANSACTION") == ["1"])
    }
}
