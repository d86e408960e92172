import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Errors of accessors that cannot throw", .overEachStore)
struct LazyErrorTests {
    private static func model() -> NSManagedObjectModel {
        let thing = Build.entity(
            "Thing",
            [
                Build.attribute("name"), Build.attribute("number", .integer32AttributeType),
                Build.attribute("price", .decimalAttributeType), Build.attribute("link", .URIAttributeType),
                Build.attribute("file", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
            ])
        let part = Build.entity("Part", [Build.attribute("name")])
        let parts = Build.toMany("parts", part) { $0.deleteRule = .cascadeDeleteRule }
        let whole = Build.toOne("whole", thing)
        Build.connect(parts, whole)
        thing.properties.append(parts)
        part.properties.append(whole)
        return Build.model(thing, part)
    }

    /// A store with one thing of two parts, with a statement run over it; and the thing, a fault.
    private func damaged(_ sql: String) throws -> (StoreFolder, NSManagedObjectContext, NSManagedObject) {
        let folder = try StoreFolder()
        do {
            let context = GraphLibrary.context(try GraphLibrary.coordinator(at: folder.url(), model: Self.model()))
            let thing = try context.make(
                "Thing", ["name": "a", "number": 1, "price": Decimal(5), "file": Data(repeating: 7, count: 200_000)])
            for name in ["x", "y"] { try context.make("Part", ["name": name, "whole": thing]) }
            try context.save()
        }
        try folder.raw().execute(sql)
        let coordinator = try GraphLibrary.coordinator(at: folder.url(), model: Self.model())
        let context = GraphLibrary.context(coordinator)
        // The folder lives as long as what reads from it.
        context.userInfo["folder"] = folder
        let store = try #require(coordinator.persistentStores.first)
        let uri = try #require(URL(string: "x-coredata://\(store.identifier)/Thing/p1"))
        let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
        return (folder, context, context.object(with: id))
    }

    @Test(arguments: [
        ("UPDATE ZTHING SET ZNUMBER = 'many'", "number"), ("UPDATE ZTHING SET ZNAME = CAST(X'C3' AS TEXT)", "name"),
        ("UPDATE ZTHING SET ZNAME = X'C3'", "name"), ("UPDATE ZTHING SET ZLINK = 'no url %'", nil),
        ("UPDATE ZTHING SET ZFILE = X'02' || CAST('00000000-0000-0000-0000-000000000000' AS BLOB) || X'00'", nil),
    ])
    func `an error of a fault is thrown by the next fetch or save, once`(
        sql: String, key: String?
    ) throws {
        for saves in [true, false] {
            let (_, context, thing) = try damaged(sql)
            for name in ["name", "number", "price", "link", "file"] { _ = thing.value(forKey: name) }
            let error = try #require(
                coreDataError { if saves { try context.save() } else { _ = try context.all("Part") } }, "\(sql)")
            #expect(error.message.contains("Thing"), "\(error.message)")
            if let key { #expect(error.key == key) }
            try context.save()
            #expect(try context.all("Part").count == 2)
        }
    }

    @Test func `a value is not written over a row that could not be read`() throws {
        let (folder, context, thing) = try damaged("UPDATE ZTHING SET ZNUMBER = 'many'")
        thing.setValue("new", forKey: "name")
        #expect(coreDataError { try context.save() }?.key == "number")
        #expect(coreDataError { try context.save() } == nil || context.hasChanges)
        #expect(try folder.raw().lines("SELECT ZNAME FROM ZTHING") == ["a"])
    }

    @Test func `members that could not be read are not taken for none`() throws {
        let (folder, context, thing) = try damaged("UPDATE ZPART SET Z_ENT = 99 WHERE ZNAME = 'y'")
        #expect(thing.set("parts").isEmpty)
        #expect(coreDataError { try context.save() }?.errorCode == CocoaError.Code.fileReadCorruptFile.rawValue)
        #expect(thing.hasFault(forRelationshipNamed: "parts"))
        // A deletion whose cascade cannot be followed is not saved.
        context.delete(thing)
        for _ in 0..<2 { #expect(throws: CocoaError.self) { try context.save() } }
        #expect(try folder.raw().lines("SELECT count(*) FROM ZTHING") == ["1"])
        context.rollback()
        try folder.raw().execute("UPDATE ZPART SET Z_ENT = (SELECT min(Z_ENT) FROM ZPART)")
        #expect(thing.set("parts").count == 2)
        context.delete(thing)
        try context.save()
        #expect(try context.all("Part").isEmpty)
    }

    @Test func `a required value that could not be read does not fail as missing`() throws {
        let (_, context, thing) = try damaged("UPDATE ZPART SET Z_ENT = 99")
        thing.setValue(2, forKey: "number")
        _ = thing.set("parts")
        let error = try #require(coreDataError { try context.save() })
        #expect(error.errorCode == CocoaError.Code.fileReadCorruptFile.rawValue)
        try context.save()
        #expect(try context.all("Thing", "number == 2").count == 1)
    }
}
