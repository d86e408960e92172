import Foundation
@testable import OpenCoreData
import Sworm
import TestSupport
import Testing

@testable import SwormCommand

@Suite("model")
struct ModelTests {
    /// Every version of every model among the fixtures that is written in XML.
    private static let fixtures: [String] = Fixtures.paths.filter { path in
        guard let folder = Fixtures.folder, path.hasSuffix(".xcdatamodel") else { return false }
        return FileManager.default.fileExists(atPath: folder.appendingPathComponent(path + "/contents").path)
    }

    private func load(_ path: String) throws -> NSManagedObjectModel {
        try NSManagedObjectModel.load(contentsOf: URL(fileURLWithPath: path))
    }

    /// Writes a model as XML, reads it again, and expects the same model.
    private func expectRoundTrip(_ path: String, in workshop: Workshop) throws {
        let target = workshop.file("Again.xcdatamodel")
        let run = Run(["model", path, "--xml", "--output", target])
        #expect(run.code == .ok, "\(run.err)")
        let (before, after) = (try load(path), try load(target))
        #expect(after.entityVersionHashesByName == before.entityVersionHashesByName)
        #expect(after.versionChecksum == before.versionChecksum)
        // The listing in JSON has defaults, rules, indexes and everything else.
        #expect(Run(["model", target, "--json"]).out == Run(["model", path, "--json"]).out)
        #expect(Run(["model", target, "--xml"]).out == Run(["model", path, "--xml"]).out)
        #expect(after.configurations == before.configurations)
        for (one, other) in zip(before.entities, after.entities) {
            #expect((one.userInfo as? [String: String]) == (other.userInfo as? [String: String]))
        }
    }

    @Test func `XML that is written is read as the same model`() throws {
        let workshop = try Workshop()
        try expectRoundTrip(workshop.modelPath, in: workshop)
        let odd = try Workshop()
        try odd.write(OddXML.text, model: "Odd")
        try expectRoundTrip(odd.file("Odd.xcdatamodel"), in: odd)
    }

    @Test func `composite, derived and transient attributes, fetched properties and partial indexes come back`() throws
    {
        let workshop = try Workshop()
        try workshop.write(
            """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="House" isAbstract="NO">
                    <composite name="address" optional="YES">
                        <attribute name="city" optional="YES" attributeType="String" defaultValueString="Rome"/>
                        <composite name="place" optional="YES"><attribute name="x" optional="YES" attributeType="Double"/></composite>
                    </composite>
                    <attribute name="count" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="rooms.@count"/>
                    <attribute name="mood" optional="YES" attributeType="Transformable" valueTransformerName="T" customClassName="Mood"/>
                    <attribute name="now" optional="YES" transient="YES" attributeType="Date"/>
                    <attribute name="whatever" optional="YES" transient="YES"/>
                    <relationship name="rooms" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Room"/>
                    <fetchedProperty name="big" optional="YES"><fetchRequest name="fetchedPropertyFetchRequest" entity="Room" predicateString="size &gt; 3"/></fetchedProperty>
                </entity>
                <entity name="Room">
                    <attribute name="size" optional="YES" attributeType="Integer 16"/>
                    <fetchIndex name="part" partialIndexPredicate="size &gt; 3"><fetchIndexElement property="size" type="Binary" order="ascending"/><fetchIndexElement expression="self" type="Binary" order="descending"/></fetchIndex>
                    <compoundIndexes><compoundIndex><index value="size"/></compoundIndex></compoundIndexes>
                </entity>
            </model>
            """, model: "House")
        try expectRoundTrip(workshop.file("House.xcdatamodel"), in: workshop)
        let swift = Run(["model", workshop.file("House.xcdatamodel"), "--swift"]).out
        for part in [
            "struct Address: CompositeConvertible, CompositeOwner {", ".init(\\.address, \"address\")",
            ".init(\\.x, \"x\")", "derived by the store",
            "`now` is transient", "`big` is a fetched property",
        ] {
            #expect(swift.contains(part), "\(part)")
        }
        #expect(swift.contains("An index that tables do not support: part (size, self)"))
    }

    @Test(.enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.missing)), arguments: ModelTests.fixtures)
    func `models of Xcode's come back from their XML`(path: String) throws {
        let folder = try #require(Fixtures.folder)
        try expectRoundTrip(folder.appendingPathComponent(path).path, in: Workshop())
        #expect(Run(["model", folder.appendingPathComponent(path).path, "--swift"]).code == .ok)
        let listing = Run(["model", folder.appendingPathComponent(path).path])
        #expect(listing.lines.allSatisfy { DisplayWidth.of($0) <= 80 })
    }

    /// The Swift that the tool writes is part of these tests, so that the compiler has seen it.
    private func expectGenerated(_ name: String, _ xml: String, in workshop: Workshop) throws {
        try workshop.write(xml, model: name)
        let out = Run(["model", workshop.file(name + ".xcdatamodel"), "--swift"]).out
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Generated/\(name)Model.swift")
        if ProcessInfo.processInfo.environment["SWORM_WRITE_GENERATED"] == "1" {
            try Data(out.utf8).write(to: file)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == out)
    }

    @Test func `Swift that is written compiles, and its tables make the same model`() throws {
        let workshop = try Workshop()
        try expectGenerated("Odd", OddXML.text, in: workshop)
        let model = try load(workshop.file("Odd.xcdatamodel"))
        let made = try NSManagedObjectModel(tables: DataEntity.self)
        #expect(made.entityVersionHashesByName == model.entityVersionHashesByName)
        try ModelContract(DataEntity.self).check(model)
    }

    @Test func `Swift of a model with inheritance compiles and fits the model`() throws {
        let workshop = try Workshop()
        try expectGenerated("Library", LibraryXML.text, in: workshop)
        let model = try load(workshop.modelPath)
        try ModelContract(Author.self, Comic.self, Shelf.self, Item.self).check(model)
        try workshop.makeStore()
        let container = try PersistentContainer(
            modelFile: URL(fileURLWithPath: workshop.modelPath), checking: Author.self, Comic.self,
            at: .readOnly(workshop.url("Library.sqlite")))
        let titles = try container.perform { try $0.decode(Comic.all).map(\.title) }
        #expect(titles == ["Tintin"])
        #expect(
            try container.perform { try $0.fetchOne(Author.all.where { $0.name == "Leo" })?.books.decode().count } == 2)
    }

    @Test func `Swift of hierarchies compiles, and its tables make the same model`() throws {
        let workshop = try Workshop()
        try expectGenerated("Press", PressXML.text, in: workshop)
        let model = try load(workshop.file("Press.xcdatamodel"))
        try ModelContract(Publication.self).check(model)
        let made = try NSManagedObjectModel(tables: Review.self)
        #expect(made.entityVersionHashesByName == model.entityVersionHashesByName)
        // A store that either model has written is the other's.
        let url = workshop.url("Press.sqlite")
        let written = try PersistentContainer(for: Publication.self, at: .file(url))
        let all: [Publication] = [
            .volume(Volume(title: "a", code: 1, pages: 12, isbn: "x")),
            .sheetCase(
                .eveningSheet(
                    EveningSheet(
                        title: "b", code: 2, place: .init(city: "Oslo", size: .init(width: 2)), hour: 20))),
            .sheetCase(.plainSheet(PlainSheet(title: "c", sheet: 0.5, isDaily: false))),
        ]
        try written.perform { try $0.insert(contentsOf: all) }
        try written.close()
        let other = try PersistentContainer(
            modelFile: workshop.url("Press.xcdatamodel"), checking: Publication.self,
            at: .file(workshop.url("Other.sqlite")))
        try other.perform { try $0.insert(contentsOf: all) }
        try other.close()
        let difference = Run(["diff", url.path, workshop.file("Other.sqlite")])
        #expect(difference.code == .ok, "\(difference.out)")
        let container = try PersistentContainer(
            modelFile: workshop.url("Press.xcdatamodel"), checking: Publication.self, at: .file(url))
        let read = try container.perform { context in
            try context.insert(Publication.volume(Volume(title: "d")))
            return try context.decode(Publication.all.sort(\.title)).map(\.title)
        }
        #expect(read == ["a", "b", "c", "d"])
        try container.close()
        let again = try PersistentContainer(for: Publication.self, at: .file(url))
        let hours = try again.perform { context in
            try context.decode(Publication.all.where { $0.as(Sheet.self).as(EveningSheet.self).hour > 18 }).map(\.title)
        }
        #expect(hours == ["b"])
        try again.close()
    }

    @Test func `Swift of a model with composite attributes compiles, and decodes and writes every element`() throws {
        let workshop = try Workshop()
        try expectGenerated("House", HouseXML.text, in: workshop)
        let model = try load(workshop.file("House.xcdatamodel"))
        try ModelContract(House.self, Porch.self).check(model)
        let made = try NSManagedObjectModel(tables: House.self, Porch.self)
        #expect(made.entityVersionHashesByName == model.entityVersionHashesByName)
        let store = try SQLiteStore.open(url: workshop.url("House.sqlite"), model: model.compiled())
        try store.save(HouseXML.content(store.model))
        store.close()
        let container = try PersistentContainer(
            modelFile: workshop.url("House.xcdatamodel"), checking: House.self, at: .file(workshop.url("House.sqlite")))
        try container.perform { context in
            let whole = try #require(try context.decodeOne(House.all.where("address.place.x > 54")))
            let (address, data) = (try #require(whole.address), try #require(whole.data))
            #expect(whole.name == "whole" && address.city == "Tula" && address.`default` == true)
            #expect(address.number == 7 && address.place?.x == 54.5 && address.place?.y == 0.25)
            #expect(data.bytes == Data([1, 2]) && data.count == 9_000_000_000)
            #expect(data.id == HouseXML.id && data.link == URL(fileURLWithPath: "/house"))
            #expect(data.price == Decimal(string: "12.5") && data.size == -4)
            #expect(data.since == Date(timeIntervalSinceReferenceDate: 0.5) && whole.porch.width == .infinity)
            let bare = try #require(try context.decodeOne(House.all.where { $0.name == "bare" }))
            #expect(bare.address == nil && bare.data == nil && bare.porch.width == nil)
            #expect(whole.porch.kind == "b" && bare.porch.kind == "a")
            var new = House()
            new.address = House.Address()
            new.address?.place = House.Address.Place(y: 2.5)
            try context.insert(new)
        }
        let saved = try container.perform { try $0.decode(House.all.where("address.city == 'Rome'")) }
        #expect(saved.map(\.address?.place?.y) == [2.5])
    }

    @Test func `one form is written at a time, and no file is replaced unasked`() throws {
        let workshop = try Workshop()
        #expect(Run(["model", workshop.modelPath, "--xml", "--json"]).code == .usage)
        let target = workshop.file("model.json")
        #expect(Run(["model", workshop.modelPath, "--json", "-o", target]).code == .ok)
        #expect(Run(["model", workshop.modelPath, "--json", "-o", target]).err.contains("--force"))
        #expect(Run(["model", workshop.modelPath, "--json", "-o", target, "--force"]).code == .ok)
        let ignored = Run(["model", workshop.modelPath, "--model", workshop.modelPath])
        #expect(ignored.code == .usage)
        #expect(ignored.err.contains("is a model itself"))
        try workshop.makeStore()
        #expect(workshop.run("model").out == Run(["model", workshop.modelPath]).out)
        #expect(Run(["model", workshop.storePath]).out.contains("inferred from the tables"))
    }
}
