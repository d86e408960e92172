import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite(.overEachStore) struct CompositeTests {
    private static func model() -> NSManagedObjectModel {
        let geo = Build.composite(
            "geo", [Build.attribute("lat", .doubleAttributeType), Build.attribute("lon", .doubleAttributeType)])
        let address = Build.composite(
            "address", [Build.attribute("street"), Build.attribute("id", .integer32AttributeType), geo])
        let person = Build.entity(
            "Person", [Build.attribute("name"), Build.attribute("id", .integer64AttributeType), address])
        let pet = Build.entity("Pet", [Build.attribute("name")])
        let (owner, pets) = (Build.toOne("owner", person), Build.toMany("pets", pet))
        Build.connect(owner, pets)
        pet.properties.append(owner)
        person.properties.append(pets)
        return Build.model(person, pet)
    }

    private static func context(at url: URL? = nil) throws -> NSManagedObjectContext {
        GraphLibrary.context(try GraphLibrary.coordinator(at: url, model: model()))
    }

    private let home: [String: Any] = ["street": "Yasnaya", "id": 7, "geo": ["lat": 54.5, "lon": 37.25]]

    @Test func `a composite is a dictionary by key, and is kept as its leaves`() throws {
        let folder = try StoreFolder()
        let context = try Self.context(at: folder.url())
        let leo = try context.make("Person", ["name": "Leo", "id": 1, "address": home])
        try context.save()
        #expect(
            try folder.raw().lines("SELECT name FROM pragma_table_info('ZPERSON')") == [
                "Z_PK", "Z_ENT", "Z_OPT", "ZID", "ZID1", "ZLAT", "ZLON", "ZSTREET", "ZNAME",
            ])
        #expect(
            try folder.raw().lines("SELECT ZID, ZID1, ZLAT, ZLON, ZNAME, ZSTREET FROM ZPERSON")
                == ["7|1|54.5|37.25|Leo|Yasnaya"])
        let fresh = try Self.context(at: folder.url())
        let again = try #require(try fresh.all("Person").first)
        let value = try #require(again.value(forKey: "address") as? [String: Any])
        #expect(NSDictionary(dictionary: value) == NSDictionary(dictionary: home))
        #expect(again.value(forKeyPath: "address.street") as? String == "Yasnaya")
        #expect(again.value(forKeyPath: "address.geo.lat") as? Double == 54.5)
        #expect(leo.value(forKeyPath: "address.nothing") == nil)
    }

    @Test func `one element is validated by its path`() throws {
        let context = try Self.context()
        let leo = try context.make("Person", ["address": home])
        let pet = try context.make("Pet", ["owner": leo])
        var value: Any? = 3
        try pet.validateValue(&value, forKeyPath: "owner.address.id")
        value = "no number"
        #expect(coreDataError { try pet.validateValue(&value, forKeyPath: "owner.address.id") } != nil)
    }

    @Test func `one element is set by its path, and a whole dictionary replaces all of them`() throws {
        let context = try Self.context()
        let leo = try context.make("Person", ["address": home])
        let pet = try context.make("Pet", ["owner": leo])
        try context.save()
        pet.setValue("Khamovniki", forKeyPath: "owner.address.street")
        leo.setValue(["lat": 55.5], forKeyPath: "address.geo")
        #expect(Set(leo.changedValues().keys) == ["address"])
        #expect(
            (leo.committedValues(forKeys: ["address"])["address"] as? [String: Any])?["street"] as? String == "Yasnaya")
        try context.save()
        #expect(leo.value(forKeyPath: "address.street") as? String == "Khamovniki")
        #expect(leo.value(forKeyPath: "address.geo.lon") == nil)
        #expect(leo.value(forKeyPath: "address.id") as? Int == 7)
        leo.setValue(["id": 8], forKey: "address")
        try context.save()
        #expect(NSDictionary(dictionary: leo.value(forKey: "address") as? [String: Any] ?? [:]) == ["id": 8])
        leo.setValue(nil, forKey: "address")
        try context.save()
        #expect(leo.value(forKey: "address") == nil)
    }

    @Test(arguments: [false, true])
    func `predicates and orders reach the leaves, of saved and unsaved objects`(_ saves: Bool) throws {
        let context = try Self.context()
        let leo = try context.make("Person", ["name": "Leo", "address": home])
        let anton = try context.make("Person", ["name": "Anton", "address": ["street": "Melikhovo"]])
        let nobody = try context.make("Person", ["name": "Nobody"])
        let pet = try context.make("Pet", ["owner": leo])
        if saves { try context.save() }
        #expect(try context.all("Person", "address.street BEGINSWITH %@", "Yas") == [leo])
        #expect(try context.all("Person", "address.geo.lat > %@", 50) == [leo])
        #expect(try context.all("Person", "address.street == nil") == [nobody])
        #expect(try context.all("Pet", "owner.address.id == %@", 7) == [pet])
        #expect(try context.all("Person", "address.street != nil", sort: "address.street") == [anton, leo])
    }

    @Test func `unknown elements and values that are not dictionaries are rejected by name`() throws {
        let context = try Self.context()
        let leo = try context.make("Person", ["address": ["streat": "Yasnaya"]])
        let error = try #require(coreDataError { try context.save() })
        #expect(error.message.contains("has no element named 'streat'") && error.message.contains("street"))
        leo.setValue("Yasnaya", forKey: "address")
        #expect(throws: CocoaError.self) { try context.save() }
        leo.setValue(["street": 5], forKey: "address")
        #expect(throws: CocoaError.self) { try context.save() }
        leo.setValue(home, forKey: "address")
        try context.save()
    }
}
