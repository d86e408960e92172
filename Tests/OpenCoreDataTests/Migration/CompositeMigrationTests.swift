import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// The default values of the elements of composite attributes, for existing objects.
@Suite("Composite attributes in a migration")
struct CompositeMigrationTests {
    private func model(
        _ elements: [NSAttributeDescription], optional: Bool = true, keeps other: Bool = true
    ) -> NSManagedObjectModel {
        let home = Build.composite("home", elements)
        home.isOptional = optional
        return Build.model(
            Build.entity("Author", [Build.attribute("name"), home] + (other ? [Build.attribute("other")] : [])))
    }

    private func element(_ name: String, _ value: String? = nil, optional: Bool = true) -> NSAttributeDescription {
        Build.attribute(name, .stringAttributeType, optional: optional) { $0.defaultValue = value }
    }

    /// Three authors: two have a home.
    private func store() throws -> MigratedStore {
        try MigratedStore(model([element("street"), element("city")])) { context in
            try context.make("Author", ["name": "a", "home": ["street": "s", "city": "c"]])
            try context.make("Author", ["name": "b", "home": ["city": "d"]])
            try context.make("Author", ["name": "c"])
        }
    }

    private func homes(_ store: MigratedStore) throws -> [[String: String]?] {
        var homes: [[String: String]?] = []
        try store.write { context in
            let authors = try context.all("Author").sorted { ($0.text("name") ?? "") < ($1.text("name") ?? "") }
            homes = authors.map { $0.value(forKey: "home") as? [String: String] }
        }
        return homes
    }

    /// In a table that stays, and in one that is made anew.
    @Test(arguments: [true, false])
    func `a new element has its default where an object has the composite`(keepsTable: Bool) throws {
        let store = try store()
        let city = element("town")
        city.renamingIdentifier = "city"
        let new = model([element("street"), city, element("country", "fr")], keeps: keepsTable)
        let rehearsal = try MigrationRehearsal(
            of: store.url, from: .init("1", model: store.model), through: [.init("2", model: new)]
        ).run()
        #expect(rehearsal.steps.flatMap(\.findings).filter { $0.kind == .defaulted }.map(\.count) == [2])
        try store.run(to: new)
        #expect(
            try homes(store) == [
                ["street": "s", "town": "c", "country": "fr"], ["town": "d", "country": "fr"], nil,
            ])
    }

    @Test(arguments: [true, false])
    func `elements that are required now have their defaults everywhere`(keepsTable: Bool) throws {
        let store = try store()
        let elements = [
            element("street", "main", optional: false), element("city"), element("country", "fr", optional: false),
        ]
        try store.run(to: model(elements, optional: false, keeps: keepsTable))
        #expect(
            try homes(store) == [
                ["street": "s", "city": "c", "country": "fr"], ["street": "main", "city": "d", "country": "fr"],
                ["street": "main", "country": "fr"],
            ])
        #expect(try StoreVerification.findings(of: store.url, model: store.model.compiled()).isEmpty)
    }

    @Test func `a required element without a default is rejected where objects have the composite`() throws {
        let store = try store()
        for (elements, name) in [
            ([element("street"), element("city"), element("country", optional: false)], "new and required"),
            ([element("street"), element("city", optional: false)], "now required"),
        ] {
            let error = try #require(throws: (any Error).self) { try store.run(to: model(elements)) }
            #expect("\(error)".contains(name) && "\(error)".contains("whose 'home' has a value"))
        }
        let geo = Build.composite("geo", [element("x", optional: false)])
        geo.isOptional = false
        let nested = try #require(throws: (any Error).self) {
            try store.run(to: model([element("street"), element("city"), geo]))
        }
        #expect("\(nested)".contains("home.geo.x"))
        // With a default, and in a composite that is new, no object lacks a value.
        try store.run(to: model([element("street"), element("city", "x", optional: false)]))
        let new = try MigratedStore(Build.model(Build.entity("Author", [Build.attribute("name")]))) { context in
            try context.make("Author", ["name": "a"])
        }
        try new.run(to: model([element("street", optional: false)]))
        #expect(try homes(new) == [nil])
    }

    @Test func `a composite that is new comes with its default values`() throws {
        let store = try MigratedStore(Build.model(Build.entity("Author", [Build.attribute("name")]))) { context in
            try context.make("Author", ["name": "a"])
        }
        try store.run(to: model([element("street", "main"), element("city")]))
        #expect(try homes(store) == [["street": "main"]])
    }
}
