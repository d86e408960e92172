#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

// Rows that the server returns in the order of the table, and those after which it fails.
extension ReadingMemberTests {
    /// A store with persons in three generations, whose rows lie in another order than that of their keys.
    private func scatteredStores() throws -> ReadingStores {
        let stores = try ReadingStores(ReadingModel.make()) { context in
            let people = try (0..<60).map { try context.make("Person", ["name": "p\($0)", "rank": $0]) }
            for index in people.indices where index > 3 {
                people[index].setValue(people[index * 7 % 4 + (index > 30 ? 4 : 0)], forKey: "mentor")
            }
            return people
        }
        let table = "\(stores.server.schema.prefix)\"Person\""
        for remainder in [3, 1, 4] {
            try PostgresStores.run("UPDATE \(table) SET \"name\" = \"name\" WHERE \"_key\" % 5 = \(remainder)")
        }
        return stores
    }

    @Test func `members that may come in any order are sorted by their keys, however the table lies`() throws {
        let stores = try scatteredStores()
        let place = try place("Person", "pupils", in: stores)
        let person = stores.model[place.entity]
        guard case .attribute(let name)? = person.slot(named: "name") else { return }
        let owners = try stores.onServer { try $0.matchingKeys(stores.request("Person")) }
        for format in [nil, "rank < 50", "name MATCHES '.*[1-7]'"] {
            let level = TreeLevel(
                try stores.request("Person", format),
                source: .members(of: place.entity, relationship: place.slot, owners: owners, anyOrder: true),
                columns: [name])
            let plan = plan(hasText: true, hasComputed: false, hasOwner: true)
            let rows = try stores.both { try self.rows(of: level, plan: plan, in: $0) }
            #expect(rows.server.sorted { $0.key < $1.key } == rows.file.sorted { $0.key < $1.key }, "\(format ?? "")")
            // Rows that are tested in memory are sorted by their owners.
            let isTested = format?.contains("MATCHES") ?? false
            let order = rows.server.map { [isTested ? $0.owner : 0, $0.key] }
            #expect(zip(order, order.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }, "\(format ?? "")")
            #expect(rows.server.count > 20)
        }
    }

    @Test(arguments: [5, 57, 1000])
    func `rows of members are in the order of their owners, however the table lies`(limit: Int) throws {
        let stores = try scatteredStores()
        let place = try place("Person", "pupils", in: stores)
        let owners = try stores.onServer { try $0.matchingKeys(stores.request("Person")) }
        let shape = RowShape(model: stores.model, entity: place.entity)
        let rows = try stores.both {
            try stores.cells(
                of: $0.memberRows(
                    ofRelationship: place.slot, entity: place.entity, owners: owners, shape: shape, limit: limit),
                shape: shape, more: 1)
        }
        #expect(rows.file == rows.server)
        #expect(rows.server.count == min(limit, 56))
    }

    @Test func `rows of a level are there once if a number is out of range in a later portion`() throws {
        let count = 2 * ResultSizes.portion + 10
        let stores = try ReadingStores(ReadingModel.make()) { context in
            try (0..<count).map {
                try context.make("Person", ["name": "p\($0)", "height": $0 == count - 1 ? 1e300 : 1.5])
            }
        }
        let level = TreeLevel(
            try stores.request("Person"), columns: [], expressions: [try parseExpression("height * 1e300")])
        let plan = plan(hasText: false, hasComputed: true, hasOwner: false)
        let rows = try stores.onServer { session in
            // The rows of a large table come from the index, before all values are computed.
            for way in ["seqscan", "bitmapscan", "sort"] {
                _ = try session.read { try $0.run("SELECT set_config('enable_\(way)', 'off', true)") }
            }
            return try self.rows(of: level, plan: plan, in: session)
        }
        #expect(rows.map(\.key) == (1...Int64(count)).map { $0 })
    }
}
#endif
