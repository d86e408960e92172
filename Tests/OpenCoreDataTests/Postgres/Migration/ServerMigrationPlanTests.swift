#if PostgreSQL
import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: plans of migrations")
struct ServerMigrationPlanTests: MigrationPlanning {
    @Test func `equal tables need no statement`() throws {
        let plan = try plan(version { $0.book.versionHashModifier = "2" })
        #expect(plan.sql(in: "\"s\".") == [] && plan.obstacles == [] && plan.keepsOlderVersions)
        #expect(plan.leftovers.isEmpty && plan.syncs == [])
    }

    @Test func `new attributes have defaults that older versions need not know`() throws {
        let plan = try plan(
            version { shop in
                shop.book.properties += [
                    Build.attribute("subtitle"),
                    Build.attribute("inStock", .booleanAttributeType, optional: false) { $0.defaultValue = true },
                    Build.attribute("weight", .doubleAttributeType) { $0.defaultValue = 0.5 },
                    Build.attribute("cover", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
                ]
            })
        #expect(
            plan.sql(in: "\"s\".") == [
                #"ALTER TABLE "s"."Book" ADD COLUMN "cover" bytea, ALTER COLUMN "cover" SET STORAGE EXTERNAL, ADD COLUMN "inStock" boolean NOT NULL DEFAULT TRUE, ADD COLUMN "subtitle" text COLLATE "C", ADD COLUMN "weight" float8 DEFAULT '0.5'::float8"#
            ])
        #expect(plan.obstacles == [])
    }

    @Test func `removed properties stay, and new rows need not have them`() throws {
        let plan = try plan(
            version { shop in
                for name in ["title", "note", "author"] { shop.remove(name) }
                shop.remove("books", of: shop.author)
            })
        let key =
            #"FOREIGN KEY ("author") REFERENCES "s"."Author" ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED NOT VALID"#
        #expect(
            plan.sql(in: "\"s\".") == [
                #"ALTER TABLE "s"."Book" ALTER COLUMN "title" DROP NOT NULL, DROP CONSTRAINT IF EXISTS "Book_author_fkey", ADD CONSTRAINT "Book_author_fkey" \#(key)"#
            ])
        let columns = plan.leftovers.columns.map(\.name)
        #expect(Set(columns) == ["title", "note", "author", "_order_author_books"])
        #expect(plan.leftovers.indexes.map(\.name) == ["Book_author"])
        #expect(plan.names.columns["Book._left/title"] == "title" && plan.names.columns["Book.title"] == nil)
    }

    @Test func `a renamed attribute has two columns with equal values`() throws {
        let plan = try plan(
            version { shop in
                shop.rename(shop.attribute("title"), to: "name")
                shop.rename(shop.attribute("note"), to: "remark")
            })
        #expect(plan.obstacles == [] && plan.keepsOlderVersions)
        #expect(
            plan.statements.first
                == #"ALTER TABLE "s"."Book" ADD COLUMN "name" text COLLATE "C", ADD COLUMN "remark" text COLLATE "C""#)
        #expect(plan.statements.count == 4)
        #expect(plan.statements[1].contains(#"FUNCTION "s"."_sworm_sync_Book"() RETURNS trigger"#))
        #expect(
            plan.statements[1].contains(#"NEW."name" := COALESCE(NEW."name", NEW."title"); NEW."title" := NEW."name";"#)
        )
        #expect(
            plan.statements[3].contains(
                #"BEFORE UPDATE OF "name", "note", "remark", "title" ON "s"."Book" FOR EACH ROW"#))
        #expect(
            plan.fills.map { $0.sql(in: "\"s\".") } == [
                #"UPDATE "s"."Book" SET "name" = "title" WHERE "name" IS DISTINCT FROM "title""#,
                #"UPDATE "s"."Book" SET "remark" = "note" WHERE "remark" IS DISTINCT FROM "note""#,
            ])
        #expect(plan.work == [ServerWork(.required(table: "Book", column: "name"))])
        #expect(
            plan.work[0].sql(in: "\"s\".") == [
                #"ALTER TABLE "s"."Book" ADD CONSTRAINT "Book_name_required" CHECK ("name" IS NOT NULL) NOT VALID"#,
                #"ALTER TABLE "s"."Book" VALIDATE CONSTRAINT "Book_name_required""#,
                #"ALTER TABLE "s"."Book" ALTER COLUMN "name" SET NOT NULL"#,
                #"ALTER TABLE "s"."Book" DROP CONSTRAINT "Book_name_required""#,
            ])
        #expect(plan.syncs.map(\.columns) == [["name", "title", "remark", "note"]])
    }

    @Test func `with all changes, columns are renamed`() throws {
        let plan = try plan(
            version { shop in
                // The old name of one attribute is the new name of the other.
                shop.rename(shop.attribute("note"), to: "remark")
                shop.rename(shop.attribute("title"), to: "note")
            }, allowing: .all)
        #expect(!plan.keepsOlderVersions && plan.obstacles == [])
        #expect(plan.statements.filter { $0.contains("RENAME") }.count >= 2)
        #expect(plan.fills == [] && plan.syncs == [])
    }

    @Test func `names are exchanged by way of a third one`() throws {
        let plan = try plan(
            version { shop in
                let (title, note) = (shop.attribute("title"), shop.attribute("note"))
                title.isOptional = true
                (title.renamingIdentifier, note.renamingIdentifier) = ("title", "note")
                (title.name, note.name) = ("note", "title")
            }, allowing: .all)
        #expect(
            plan.statements == [
                #"ALTER TABLE "s"."Book" RENAME COLUMN "title" TO "_sworm_renamed_0""#,
                #"ALTER TABLE "s"."Book" RENAME COLUMN "note" TO "_sworm_renamed_1""#,
                #"ALTER TABLE "s"."Book" RENAME COLUMN "_sworm_renamed_0" TO "note""#,
                #"ALTER TABLE "s"."Book" RENAME COLUMN "_sworm_renamed_1" TO "title""#,
                #"ALTER TABLE "s"."Book" ALTER COLUMN "note" DROP NOT NULL"#,
            ], "\(plan.statements)")
    }

    @Test func `an attribute that becomes required gets its default value`() throws {
        let plan = try plan(
            version { shop in
                shop.attribute("note").isOptional = false
                shop.attribute("note").defaultValue = "it's"
            })
        #expect(plan.obstacles == [])
        #expect(plan.statements.first == #"ALTER TABLE "s"."Book" ALTER COLUMN "note" SET DEFAULT 'it''s'"#)
        #expect(
            plan.fills.map { $0.sql(in: "\"s\".") }
                == [#"UPDATE "s"."Book" SET "note" = 'it''s' WHERE "note" IS NULL"#])
        #expect(
            plan.statements.contains { $0.contains(#"IF NEW."note" IS NULL THEN NEW."note" := 'it''s'; END IF;"#) })
        #expect(plan.work == [ServerWork(.required(table: "Book", column: "note"))])
    }

    @Test func `a new entity has its table at once, and its links are indexed later`() throws {
        let plan = try plan(
            version { shop in
                let shelf = Build.entity("Shelf", [Build.attribute("code", optional: false)])
                let (books, own) = (Build.toMany("books", shop.book), Build.toOne("shelf", shelf))
                Build.connect(books, own)
                shelf.properties += [books]
                shop.book.properties += [own]
                shop.entities.append(shelf)
                shelf.uniquenessConstraints = [["code"]]
            })
        #expect(
            plan.sql(in: "\"s\".") == [
                #"CREATE TABLE "s"."Shelf" ("_key" bigint GENERATED BY DEFAULT AS IDENTITY (INCREMENT 64) PRIMARY KEY, "_version" bigint NOT NULL DEFAULT 1, "code" text COLLATE "C")"#,
                #"ALTER TABLE "s"."Book" ADD COLUMN "shelf" bigint, ADD CONSTRAINT "Book_shelf_fkey" FOREIGN KEY ("shelf") REFERENCES "s"."Shelf" DEFERRABLE INITIALLY DEFERRED NOT VALID"#,
                #"CREATE UNIQUE INDEX "Shelf_code_key" ON "s"."Shelf" ("code" NULLS FIRST)"#,
                #"ALTER TABLE "s"."Book" VALIDATE CONSTRAINT "Book_shelf_fkey""#,
                #"CREATE INDEX CONCURRENTLY "Book_shelf" ON "s"."Book" ("shelf" NULLS FIRST, "_key")"#,
            ])
        #expect(plan.names.numbers["Shelf"] == 4)
    }

    @Test func `indexes of present tables are created while the store is used, and unneeded ones stay`() throws {
        let old = version { $0.index("title") }
        let plan = try plan(
            version { shop in
                shop.index("year")
                shop.book.uniquenessConstraints = [["title"]]
            }, from: old)
        #expect(
            plan.sql(in: "\"s\".") == [
                #"ALTER TABLE "s"."Book" ALTER COLUMN "title" DROP NOT NULL"#,
                #"CREATE UNIQUE INDEX CONCURRENTLY "Book_title_key" ON "s"."Book" ("title" NULLS FIRST)"#,
                #"CREATE INDEX CONCURRENTLY "Book_byYear" ON "s"."Book" ("year" NULLS FIRST, "_key")"#,
            ])
        #expect(plan.leftovers.indexes.map(\.name) == ["Book_byTitle"])
    }

    @Test func `an index with another definition takes the name of the old one`() throws {
        let old = version { $0.index("title") }
        let plan = try plan(
            version { shop in
                let index = NSFetchIndexDescription(
                    name: "byTitle",
                    elements: [
                        NSFetchIndexElementDescription(property: shop.attribute("year"), collationType: .binary)
                    ])
                shop.book.indexes = [index]
            }, from: old)
        #expect(
            plan.sql(in: "\"s\".") == [
                #"ALTER INDEX IF EXISTS "s"."Book_byTitle" RENAME TO "Book_byTitle_old""#,
                #"CREATE INDEX CONCURRENTLY "Book_byTitle" ON "s"."Book" ("year" NULLS FIRST, "_key")"#,
            ])
        #expect(plan.leftovers.indexes.map(\.name) == ["Book_byTitle_old"])
    }

    @Test func `a renamed entity keeps its table and its number`() throws {
        let new = version { shop in
            shop.book.renamingIdentifier = "Book"
            shop.book.name = "Volume"
        }
        let additive = try plan(new)
        #expect(additive.obstacles == [] && additive.keepsOlderVersions && additive.fills == [])
        #expect(additive.names.tables["Volume"] == "Book" && additive.names.columns["Volume.title"] == "title")
        #expect(additive.names.numbers["Volume"] == 2 && additive.names.numbers["Book"] == nil)
        #expect(!additive.statements.contains { $0.contains("RENAME TO") && $0.hasPrefix("ALTER TABLE") })
    }

    @Test func `conversions, and rows that a version does not know, need all changes`() throws {
        let wider = version { $0.attribute("year").attributeType = .integer64AttributeType }
        #expect(
            try plan(wider).obstacles.map(\.text)
                == ["'Book.year': its values would have to be converted from integer to bigint"])
        let converted = try plan(wider, allowing: .all)
        #expect(converted.obstacles == [] && !converted.keepsOlderVersions)
        #expect(
            converted.statements
                == [#"ALTER TABLE "s"."Book" ALTER COLUMN "year" TYPE bigint USING "year"::bigint"#])

        let novels = version { shop in
            let novel = Build.entity("Novel", [Build.attribute("genre")])
            shop.book.subentities = [novel]
            shop.entities.append(novel)
        }
        #expect(try plan(novels).obstacles.map(\.entity) == ["Novel"])
        let added = try plan(novels, allowing: .all)
        #expect(added.obstacles == [])
        #expect(
            added.statements.first
                == #"ALTER TABLE "s"."Book" ADD COLUMN IF NOT EXISTS "_entity" smallint NOT NULL DEFAULT 2, ALTER COLUMN "_entity" SET DEFAULT 2, ADD COLUMN "genre" text COLLATE "C""#
        )
        let removed = try plan(version { _ in }, from: novels)
        #expect(removed.obstacles.map(\.entity) == ["Novel"])
        #expect(
            try plan(version { _ in }, from: novels, allowing: .all).statements.contains {
                $0 == #"DELETE FROM "s"."Book" WHERE "_entity" IN (3)"#
            })
    }

    @Test func `an attribute that no row has gets no default value`() throws {
        func special(_ change: @escaping (NSAttributeDescription) -> Void) -> NSManagedObjectModel {
            version { shop in
                let special = Build.entity("Special", [Build.attribute("code") { change($0) }])
                special.isAbstract = true
                shop.book.subentities = [special]
                shop.entities.append(special)
            }
        }
        let required = special { code in
            code.isOptional = false
            code.defaultValue = "none"
        }
        let plan = try plan(required, from: special { _ in })
        #expect(plan.obstacles == [] && plan.fills == [] && plan.syncs == [])
    }

    @Test func `the state is read as it was written, and an empty one is that of a store without migrations`() throws {
        let plan = try plan(version { $0.rename($0.attribute("title"), to: "name") })
        var state = ServerMigrationState()
        #expect(try state.json == "{}")
        state.current = ["Book": Data([1, 2])]
        state.older = [.init(hashes: ["Book": Data([3])], names: plan.names)]
        state.retired = ["b", "a"]
        (state.syncs, state.work, state.leftovers) = (plan.syncs, plan.work, plan.leftovers)
        state.prepared = PreparedMigration(
            hashes: [:], names: plan.names, model: Data([4]), metadata: Data(), fills: plan.fills, syncs: plan.syncs,
            leftovers: plan.leftovers, work: plan.work, keepsOlderVersions: true)
        #expect(
            try JSONDecoder().decode(ServerMigrationState.self, from: Data(try state.json.utf8)) == state)
    }
}
#endif
