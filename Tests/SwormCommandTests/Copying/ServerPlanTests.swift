#if PostgreSQL
import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

@testable import SwormCommand

enum OldItems {
    struct Item: Equatable { var name = ""; var cents = 0 }
}

enum NewItems {
    struct Item: Equatable { var name = ""; var price = 0.0 }
}

extension OldItems.Item: ManagedObjectConvertible {
    static let entityName = "Item"
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name"), .init(\.cents, "cents")]
}

extension NewItems.Item: ManagedObjectConvertible {
    static let entityName = "Item"
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name"), .init(\.price, "price")]
}

/// A store on a server and a plan whose stages have closures, which run over files.
@Suite("Stores on servers: migration plans", .enabled(if: PostgresServer.isEnabled))
struct ServerPlanTests {
    private let workshop: Workshop
    private let plan = MigrationPlan([
        .init("1", OldItems.Item.self),
        .init(
            "2", NewItems.Item.self,
            stage: .custom(
                .change(OldItems.Item.self, to: NewItems.Item.self) { old, new in
                    new.price = Double(old.cents) / 100
                })),
    ])

    init() throws { workshop = try Workshop() }

    private static func address() throws -> String {
        let server = try PostgresServer.shared()
        return try server.entrance().uri(schema: "plan_\(server.newSchema())")
    }

    @Test func `a stage with closures is an error that names the way over a file`() throws {
        let (address, next) = (try Self.address(), try Self.address())
        let old = try PersistentContainer(for: OldItems.Item.self, at: .postgres(address))
        try old.perform { _ = try $0.insert(OldItems.Item(name: "tea", cents: 250)) }
        do {
            _ = try PersistentContainer(migrating: plan, at: .postgres(address))
            Issue.record("The closures were skipped.")
        } catch let error as StoreError {
            #expect(error.code == .migrationFailed && error.message.contains("sworm-tool copy"), "\(error)")
        }
        // Nothing has changed.
        let again = try PersistentContainer(for: OldItems.Item.self, at: .postgres(address))
        #expect(try again.read { try $0.decode(OldItems.Item.all) } == [OldItems.Item(name: "tea", cents: 250)])

        let file = workshop.url("Items.sqlite")
        #expect(Run(["copy", address, file.path]).code == .ok)
        try PersistentContainer(migrating: plan, at: .file(file)).close()
        #expect(Run(["copy", file.path, next]).code == .ok)
        let new = try PersistentContainer(migrating: plan, at: .postgres(next))
        #expect(try new.read { try $0.decode(NewItems.Item.all) } == [NewItems.Item(name: "tea", price: 2.5)])
    }

    @Test func `a plan creates a store, and one that has only inferred stages migrates it`() throws {
        let address = try Self.address()
        let first = MigrationPlan([.init("1", OldItems.Item.self)])
        let old = try PersistentContainer(migrating: first, at: .postgres(address))
        try old.perform { _ = try $0.insert(OldItems.Item(name: "tea", cents: 250)) }
        let both = MigrationPlan([.init("1", OldItems.Item.self), .init("2", NewItems.Item.self)])
        let new = try PersistentContainer(migrating: both, at: .postgres(address))
        #expect(try new.read { try $0.decode(NewItems.Item.all) } == [NewItems.Item(name: "tea", price: 0)])
        // The program with the older plan goes on, and opens the store again, whose version its plan does not have.
        #expect(try old.read { try $0.count(of: OldItems.Item.all) } == 1)
        let again = try PersistentContainer(migrating: first, at: .postgres(address))
        #expect(try again.read { try $0.decode(OldItems.Item.all) } == [OldItems.Item(name: "tea", cents: 250)])
    }
}
#endif
