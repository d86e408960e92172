#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: members and trees", .enabled(if: PostgresServer.isEnabled))
struct ReadingMemberTests {
    /// The to-many relationships of the model.
    private static let relationships = [
        ("Author", "books"), ("Book", "tags"), ("Tag", "books"), ("Person", "friends"), ("Person", "pupils"),
        ("Editor", "shelf"),
    ]

    func place(_ entity: String, _ name: String, in stores: ReadingStores) throws -> (entity: Int, slot: Int) {
        let entity = try #require(stores.model.entity(named: entity))
        guard case .relationship(let slot)? = entity.slot(named: name) else { throw CocoaError(.coderInvalidValue) }
        return (entity.number, slot)
    }

    @Test func `members are those of a file, in the same order`() throws {
        let stores = try ReadingModel.stores()
        for (entity, name) in Self.relationships {
            let place = try place(entity, name, in: stores)
            let owners = try stores.onServer { try $0.matchingKeys(stores.request(entity)) }
            for list in [owners, Array(owners.prefix(1)), [], [9999]] {
                let members = try stores.both {
                    try $0.members(ofRelationship: place.slot, entity: place.entity, owners: list)
                        .map {
                            [$0.owner, Int64($0.destination.entity), $0.destination.key, $0.orderKey == nil ? 0 : 1]
                        }
                }
                #expect(members.file == members.server, "\(entity).\(name)")
                let destination = stores.model[place.entity].relationships[place.slot].destination
                let shape = RowShape(model: stores.model, entity: destination)
                let rows = try stores.both {
                    let rows = try $0.memberRows(
                        ofRelationship: place.slot, entity: place.entity, owners: list, shape: shape, limit: 7)
                    return try stores.cells(of: rows, shape: shape, more: 1)
                }
                #expect(rows.file == rows.server && rows.server.count <= 7, "\(entity).\(name)")
            }
            #expect(
                try stores.onServer {
                    try $0.memberRows(
                        ofRelationship: place.slot, entity: place.entity, ownersBetween: 1...1000,
                        shape: RowShape(model: stores.model, entity: place.entity), expecting: 12)
                } == nil)
            #expect(
                try stores.onServer { try $0.strayMembers(ofRelationship: place.slot, entity: place.entity).isEmpty })
        }
    }

    /// Rows of a level as lists of integers and strings.
    struct Row: Sendable, Equatable {
        var key: Int64 = 0
        var text: String?
        var computed: Double?
        var owner: Int64 = 0
    }

    func plan(hasText: Bool, hasComputed: Bool, hasOwner: Bool) -> RowPlan<Row> {
        func offset(_ path: PartialKeyPath<Row>) -> Int { MemoryLayout<Row>.offset(of: path) ?? -1 }
        var ops = [RowOp(column: 0, kind: .int64, offset: offset(\.key))]
        if hasText { ops.append(RowOp(column: 1, kind: .optionalString, offset: offset(\.text))) }
        let next = Int32(hasText ? 2 : 1)
        if hasComputed { ops.append(RowOp(column: next, kind: .optionalDouble, offset: offset(\.computed))) }
        if hasOwner {
            ops.append(RowOp(column: hasComputed ? next + 1 : next, kind: .int64, offset: offset(\.owner)))
        }
        return RowPlan(ops: ops, template: Row())
    }

    func rows(of level: TreeLevel, plan: RowPlan<Row>, in session: any StoreSession) throws -> [Row] {
        let memory = try session.rows(of: level, layout: plan.layout)
        return (0..<memory.count).map { memory[$0].assumingMemoryBound(to: Row.self).pointee }
    }

    @Test func `the levels of trees are those of a file`() throws {
        let stores = try ReadingModel.stores()
        for (entity, name) in Self.relationships {
            let place = try place(entity, name, in: stores)
            let owners = try stores.onServer { try $0.matchingKeys(stores.request(entity)) }
            let destination = stores.model[stores.model[place.entity].relationships[place.slot].destination]
            let text = destination.name == "Book" ? "title" : "name"
            guard case .attribute(let slot)? = destination.slot(named: text) else { continue }
            // The second condition and the second order have no exact form.
            for format in [nil, "\(text) MATCHES '.*[a-o2-4].*'"] {
                for options: ComparisonOptions? in [nil, [], [.localeSensitive]] {
                    let sorts =
                        options.map { [FetchSpecification.Sort(path: [text], ascending: false, options: $0)] } ?? []
                    for (limit, offset) in [(0, 0), (2, 0), (2, 1)] {
                        let request = try stores.request(
                            destination.name, format, sorts: sorts, limit: limit, offset: offset)
                        let level = TreeLevel(
                            request,
                            source: .members(
                                of: place.entity, relationship: place.slot, owners: owners, anyOrder: false),
                            columns: [slot])
                        let plan = plan(hasText: true, hasComputed: false, hasOwner: true)
                        let rows = try stores.both { try self.rows(of: level, plan: plan, in: $0) }
                        #expect(
                            rows.file == rows.server, "\(entity).\(name) \(format ?? "") \(sorts) \(limit) \(offset)")
                        let each = try stores.onServer { session throws in
                            var all: [Row] = []
                            try session.forEach(of: level, layout: plan.layout, size: 3) { memory in
                                #expect(memory.count <= 3)
                                all += (0..<memory.count).map { memory[$0].assumingMemoryBound(to: Row.self).pointee }
                            }
                            return all
                        }
                        #expect(each == rows.file)
                    }
                }
            }
        }
    }

    @Test func `rows that a policy hides between two statements are an error`() throws {
        let stores = try ReadingModel.stores()
        let prefix = stores.server.schema.prefix
        try PostgresStores.run("CREATE SEQUENCE \(prefix)looks")
        let user = try PostgresStores.store(of: stores.model, at: PostgresStores.user(of: stores.server))
        try PostgresStores.run("ALTER TABLE \(prefix)\"Person\" ENABLE ROW LEVEL SECURITY")
        try PostgresStores.run(
            "CREATE POLICY looks ON \(prefix)\"Person\" USING (pg_catalog.nextval('\(prefix)looks') <= 1000)")
        let person = try #require(stores.model.entity(named: "Person"))
        guard case .attribute(let name)? = person.slot(named: "name") else { return }
        let level = TreeLevel(
            try stores.request("Person", "name MATCHES '.*' OR name == nil"), columns: [name],
            expressions: [try parseExpression("name.length")])
        let plan = plan(hasText: true, hasComputed: true, hasOwner: false)
        let total = try stores.read(stores.server) { try self.rows(of: level, plan: plan, in: $0) }.count
        var errors = 0
        // The policy shows as many rows as it is asked for.
        for visible in 0...total * 3 {
            try PostgresStores.run("SELECT setval('\(prefix)looks', \(1000 - visible))")
            do {
                let rows = try stores.read(user) { try self.rows(of: level, plan: plan, in: $0) }
                #expect(rows.count <= visible)
            } catch {
                let error = try #require(error.asCoreData)
                #expect(error.message.contains("no longer returns rows"), "\(error)")
                errors += 1
            }
        }
        #expect(errors > 0 && total > 3)
    }

    @Test func `levels have computed columns`() throws {
        let stores = try ReadingModel.stores()
        let person = try #require(stores.model.entity(named: "Person"))
        guard case .attribute(let name)? = person.slot(named: "name") else { return }
        let keys = try stores.onServer { try $0.matchingKeys(stores.request("Person")) }
        let expressions = ["pupils.@sum.age", "height * 2", "height ** 2", "name.length", "uppercase(name) == nil"]
        for format in expressions.dropLast() {
            let expression = try parseExpression(format)
            for source: TreeLevel.Source in [.request, .keys([keys[3], keys[7], keys[1]])] {
                for (limit, offset) in [(0, 0), (4, 2), (2, 1)] {
                    let level = TreeLevel(
                        try stores.request("Person", sorts: [.init(path: ["name"])], limit: limit, offset: offset),
                        source: source, columns: [name], expressions: [expression])
                    let plan = plan(hasText: true, hasComputed: true, hasOwner: false)
                    let rows = try stores.both { try self.rows(of: level, plan: plan, in: $0) }
                    #expect(rows.file == rows.server && !rows.file.isEmpty, "\(format) \(limit) \(offset)")
                }
            }
        }
    }
}
#endif
