import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import Testing

@Suite("Model options for the history")
struct HistoryModelTests {
    private func verify(_ folder: StoreFolder, _ store: SQLiteStore, _ model: CompiledModel) throws {
        store.close()
        #expect(try StoreVerification.issues(of: folder.url(), model: model) == [])
    }

    @Test func `values that are to outlive their object stay, in the order of their names`() throws {
        var number = LibraryModel.attribute("number", 1, .integer16)
        var external = LibraryModel.attribute("data", 1, .binaryData, external: true)
        number.preservesValueInHistoryOnDeletion = true
        external.preservesValueInHistoryOnDeletion = true
        let model = CompiledModel(entities: [
            CompiledEntity(
                number: 1, name: "Thing", root: 1, family: 1...1,
                attributes: [external, LibraryModel.attribute("lost", 1, .string), number], relationships: [],
                versionHash: LibraryModel.hash(1)),
            CompiledEntity(
                number: 2, name: "Other", root: 2, family: 2...2, attributes: [], relationships: [],
                versionHash: LibraryModel.hash(2)),
        ])
        let folder = try StoreFolder()
        let store = try folder.openWithHistory(model)
        let large = Data(repeating: 9, count: ExternalDataFolder.inlineLimit + 1)
        let rows = [
            try store.insert(1, ["data": .data(Data([1, 2])), "lost": .string("x"), "number": .int(5)]),
            try store.insert(1, ["data": .data(large)]), try store.insert(2),
        ]
        var request = SaveRequest()
        request.deletions = rows.map { .init(row: $0, version: 1) }
        try store.save(request)
        #expect(
            try folder.raw().lines(
                "SELECT ZENTITY, ZENTITYPK, length(ZTOMBSTONE0), ZTOMBSTONE1 FROM ACHANGE WHERE ZCHANGETYPE = 2")
                == ["1|1|2|5", "1|2|\(large.count)|NULL", "2|1|NULL|NULL"])
        try verify(folder, store, model)
    }

    @Test
    func
        `the leaves of a composite count separately, a fetched property does not count, and a model defines the preserved values`()
        throws
    {
        let fetched = NSFetchedPropertyDescription()
        fetched.name = "found"
        let composite = Build.composite("place", [Build.attribute("x"), Build.attribute("y")])
        let kept = ["b", "a"].map { Build.attribute($0) { $0.preservesValueInHistoryOnDeletion = true } }
        let model = try Build.model(
            Build.entity("Thing", [composite, fetched, Build.attribute("zip")] + kept)
        ).compiled()
        let folder = try StoreFolder()
        let store = try folder.openWithHistory(model)
        let thing = try store.insert(1, ["a": .string("1"), "b": .string("2")])
        var request = SaveRequest()
        request.update(thing, version: 1, in: model, ["place.x": .string("n"), "place.y": .string("m")])
        try store.save(request)
        request = SaveRequest()
        request.update(thing, version: 2, in: model, ["zip": .string("n")])
        try store.save(request)
        request = SaveRequest()
        request.deletions = [.init(row: thing, version: 3)]
        try store.save(request)
        // a b place.x place.y zip
        #expect(try folder.changes(after: 1) == ["1|1|1|2|30", "1|1|1|3|08", "2|1|1|4|"])
        #expect(
            try folder.raw().lines("SELECT ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE ORDER BY Z_PK DESC LIMIT 1") == ["1|2"]
        )
        try verify(folder, store, model)
    }
}
