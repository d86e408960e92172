#if PostgreSQL
import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Tests that plan migrations of the shop.
protocol MigrationPlanning {}

extension MigrationPlanning {
    func plan(
        _ new: NSManagedObjectModel, from old: NSManagedObjectModel = VersionedShop.version(),
        state: ServerMigrationState = .init(), allowing changes: PostgresOptions.SchemaChanges = .additive
    ) throws -> ServerMigrationPlan {
        try ServerMigrationPlanner.plan(input(from: old, to: new, state: state), allowing: changes)
    }

    func input(
        from old: NSManagedObjectModel, to new: NSManagedObjectModel, state: ServerMigrationState = .init()
    ) throws -> ServerMigrationPlanner.Input {
        let source = try old.compiled()
        var names = PostgresNames()
        _ = StoreLayout(postgres: source, schema: "s", names: &names)
        return ServerMigrationPlanner.Input(
            mapping: try ModelMapping.inferred(from: old, to: new), source: source, destination: try new.compiled(),
            names: names, state: state, schema: "s")
    }

    func version(_ change: (VersionedShop) -> Void) -> NSManagedObjectModel { VersionedShop.version(change) }
}

@Suite("PostgreSQL: plans of migrations that change links and entities")
struct ServerMigrationPlanLinkTests: MigrationPlanning {
    @Test func `derived values need all changes, because older versions would not compute them`() throws {
        let new = version {
            $0.book.properties.append(Build.derived("shout", .stringAttributeType, "uppercase:(title)"))
        }
        #expect(try plan(new).obstacles.map(\.property) == ["shout"])
        let complete = try plan(new, allowing: .all)
        #expect(complete.derivesValues && complete.obstacles == [])
        #expect(complete.statements == [#"ALTER TABLE "s"."Book" ADD COLUMN "shout" text COLLATE "C""#])
    }

    @Test func `links that are stored in another way are gathered and written`() throws {
        let new = version { $0.relationship("books", of: $0.tag).maxCount = 1 }
        #expect(try plan(new).obstacles.map(\.text) == ["'Tag.books': its links are stored in another way"])
        let complete = try plan(new, allowing: .all)
        #expect(complete.obstacles == [])
        let words = complete.statements.map { $0.prefix { $0 != "(" } }
        #expect(words.contains { $0.hasPrefix("CREATE TEMP TABLE \"_sworm_links_1\"") })
        #expect(complete.statements.contains { $0.contains(#"UPDATE "s"."Tag" AS t SET "books" = l."#) })
        #expect(complete.leftovers.tables == ["Book_tags"])
    }

    @Test func `a relationship that becomes ordered gets a column for the order`() throws {
        let plan = try plan(version { $0.relationship("tags").isOrdered = true })
        #expect(plan.obstacles == [])
        #expect(
            plan.sql(in: "\"s\".")
                == [#"ALTER TABLE "s"."Book_tags" ADD COLUMN IF NOT EXISTS "_order_tags" bigint"#])
    }

    @Test func `a removed entity stays with its table, and does not hold others`() throws {
        let plan = try plan(
            version { shop in
                shop.entities.removeAll { $0 === shop.book }
                shop.remove("books", of: shop.author)
                shop.remove("books", of: shop.tag)
            })
        #expect(plan.obstacles == [])
        #expect(plan.leftovers.tables == ["Book", "Book_tags"])
        #expect(plan.statements.count == 1 && plan.statements[0].contains("ON DELETE SET NULL"))
        #expect(plan.names.numbers["_left/Book/2"] == 2 && plan.names.tables["_left/Book"] == "Book")
    }
}
#endif
