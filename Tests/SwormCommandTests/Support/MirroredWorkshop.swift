import Foundation
import SwormPredicates
@testable import SwormStore
import TestSupport

@testable import SwormCommand

extension Workshop {
    /// The tables of the model, each with the numbers of its entities.
    static let tables = ["ZAUTHOR", "ZBOOK", "ZITEM", "ZPROFILE", "ZSHELF", "ZTAG"]

    /// Makes a store with the empty tables of a mirroring, and the metadata that exist without an account.
    func makeMirroredStore(_ generation: MirroringSQL.Generation = .assetTables) throws {
        try makeStore(keepsModel: true)
        try execute(MirroringSQL.schema(generation) + MirroringSQL.metadata)
    }

    /// Makes a store all of whose objects were exported.
    func makeExportedStore(_ generation: MirroringSQL.Generation = .assetTables) throws {
        try makeMirroredStore(generation)
        try export()
    }

    /// Plants the state after an export by Core Data: each row has a record, each link of books and tags has one, and the
    /// token is that of the last transaction.
    func export() throws {
        try execute(MirroringSQL.account + MirroringSQL.zone)
        try execute(Self.tables.map { MirroringSQL.records(ofRowsIn: $0) }.joined())
        for link in try raw().lines("SELECT Z_2BOOKS || ':' || Z_8TAGS FROM Z_2TAGS ORDER BY 1") {
            try execute(
                MirroringSQL.insert(
                    "MirroredRelationship",
                    [
                        "ZISPENDING": "0", "ZISUPLOADED": "1", "ZNEEDSDELETE": "0", "ZRECORDZONE": "1",
                        "ZCDENTITYNAME": "'Book'", "ZRELATIONSHIPNAME": "'tags'",
                        "ZCKRECORDID": "'\(MirroringSQL.recordPrefix)\(link)'",
                    ]))
        }
        try exportHistory()
        try execute(MirroringSQL.raiseKeys)
    }

    /// Plants the token of the last transaction.
    func exportHistory(upTo number: Int64? = nil) throws {
        let last = try raw().lines("SELECT max(Z_PK) FROM ATRANSACTION").first.flatMap { Int64($0) }
        try execute(MirroringSQL.token(try token(number ?? last ?? 0)))
    }

    /// The archive of a history token in hexadecimal digits.
    func token(_ number: Int64) throws -> String {
        let identifier = try raw().lines("SELECT Z_UUID FROM Z_METADATA").first ?? ""
        var writer = KeyedArchiveWriter()
        let value = writer.plain(.int(number))
        let numbers = writer.dictionary([(key: identifier, value: value)])
        let token = writer.object(
            ["_NSPersistentHistoryToken", "NSPersistentHistoryToken", "NSObject"], fields: ["storeTokens": numbers])
        return writer.data(root: token).map { String(format: "%02x", $0) }.joined()
    }

    /// Changes the store through the library, as a process that does not mirror.
    func change(author: String? = nil, _ body: (inout SaveRequest, CompiledModel) -> Void) throws {
        var options = StoreOptions()
        options.writesMirroredStores = true
        let store = try SQLiteStore.open(url: url("Library.sqlite"), model: model(), options: options)
        defer { store.close() }
        var request = SaveRequest()
        request.author = author
        body(&request, store.model)
        try store.save(request)
    }

    /// Inserts tags.
    func insertTags(_ count: Int, author: String? = nil) throws {
        try change(author: author) { request, model in
            guard let tag = model.entity(named: "Tag") else { return }
            for key in 1...count {
                request.insertions.append(
                    .init(
                        row: .init(entity: tag.number, key: Int64(-key)),
                        attributes: tag.attributes.map { _ in .string("tag \(key)") },
                        toOnes: tag.relationships.map { _ in nil }))
            }
        }
    }
}
