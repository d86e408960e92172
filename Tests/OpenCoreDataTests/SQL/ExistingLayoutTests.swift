@testable import OpenCoreData
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("The layout of an existing file")
struct ExistingLayoutTests {
    /// The names that a new store of a model has.
    private func names(of model: CompiledModel) -> ExistingSchema {
        let layout = StoreLayout(model: model)
        var tables: [String: [String]] = [:]
        for table in layout.tables.values { tables[table.name] = table.columns.map(\.name) }
        for entity in model.entities where entity.root == entity.number {
            for join in layout.ownedJoins(of: entity, in: model) {
                tables[join.table] = [join.ownColumn, join.otherColumn, join.orderColumn, join.inverseOrderColumn]
                    .compactMap { $0 }
            }
        }
        return ExistingSchema(tables: tables)
    }

    private let tagged = ModelSketch([
        .init(name: "Book", attributes: ["title": .string], relationships: ["tags =>> Tag.books"]),
        .init(name: "Tag", relationships: ["books ->> Book.tags"]),
    ]).compiled()

    private func join(_ layout: StoreLayout, _ entity: Int) -> StoreLayout.Join? {
        guard case .join(let join) = layout.toMany(0, in: entity) else { return nil }
        return join
    }

    @Test func `a file that fits gives the model's layout, whatever else it holds`() throws {
        var existing = names(of: .library)
        existing.tables["ZBOOK"]?.insert("ZSTRAY", at: 1)
        existing.tables["OTHER"] = ["A"]
        let layout = try StoreLayout(model: .library, existing: existing)
        let expected = StoreLayout(model: .library)
        #expect(layout.attributes == expected.attributes)
        #expect(layout.toOnes == expected.toOnes && layout.toManys == expected.toManys)
        #expect(layout.tables[2]?.columns == expected.tables[2]?.columns)
    }

    @Test func `everything that is missing is named at once`() throws {
        var existing = names(of: .library)
        existing.tables["ZTAG"] = nil
        existing.tables["ZBOOK"]?.removeAll { ["ZTITLE", "ZAUTHOR", "ZWIDTH"].contains($0) }
        existing.tables["ZNOTE"]?.removeAll { $0 == "Z2NOTES" || $0 == "Z_FOK_2NOTES" }
        existing.tables["Z_2TAGS"] = nil
        let error = try #require(throws: CoreDataError.self) {
            _ = try StoreLayout(model: .library, existing: existing)
        }
        #expect(error.errorCode == NSPersistentStoreIncompatibleSchemaError)
        #expect(
            Set(error.details.map(\.message)) == [
                "there is no table 'ZTAG' for the entity 'Tag'",
                "table 'ZBOOK' has no column 'ZTITLE' for 'Book.title'",
                "table 'ZBOOK' has no column 'ZAUTHOR' for 'Book.author'",
                "table 'ZBOOK' has no column 'ZWIDTH' for 'Book.size.width'",
                "table 'ZNOTE' has no column 'Z2NOTES' for 'Book.notes'",
                "table 'ZNOTE' has no column 'Z_FOK_2NOTES' for 'Book.notes'",
                "there is no table 'Z_2TAGS', under that name or that of the inverse, with the columns Z_2BOOKS, Z_6TAGS"
                    + " for 'Book.tags'",
            ])
        for detail in error.details { #expect(error.message.contains(detail.message)) }
        #expect(error.details.contains { $0.entity == "Book" && $0.key == "title" })
    }

    @Test func `a join table under the other owner's name is found`() throws {
        var existing = names(of: tagged)
        existing.tables["Z_2BOOKS"] = existing.tables.removeValue(forKey: "Z_1TAGS")
        let layout = try StoreLayout(model: tagged, existing: existing)
        #expect(
            join(layout, 1)
                == .init(
                    table: "Z_2BOOKS", ownColumn: "Z_1BOOKS", otherColumn: "Z_2TAGS", orderColumn: "Z_FOK_2TAGS",
                    inverseOrderColumn: nil, isOwner: false))
        #expect(join(layout, 2) == join(layout, 1)?.flipped)
    }

    @Test func `numbers of an older version of the model are found`() throws {
        var existing = names(of: tagged)
        existing.tables["Z_1TAGS"] = nil
        existing.tables["Z_7TAGS"] = ["Z_7BOOKS", "Z_9TAGS1", "Z_FOK_9TAGS1"]
        let found = try #require(join(try StoreLayout(model: tagged, existing: existing), 1))
        #expect(found.table == "Z_7TAGS" && found.ownColumn == "Z_7BOOKS" && found.otherColumn == "Z_9TAGS1")
        #expect(found.orderColumn == "Z_FOK_9TAGS1" && found.isOwner)
    }

    @Test func `new numbers with columns of old ones are found`() throws {
        var existing = names(of: tagged)
        existing.tables["Z_1TAGS"] = ["Z_4BOOKS", "Z_5TAGS", "Z_FOK_5TAGS"]
        let found = try #require(join(try StoreLayout(model: tagged, existing: existing), 1))
        #expect(found.table == "Z_1TAGS" && found.ownColumn == "Z_4BOOKS" && found.otherColumn == "Z_5TAGS")
    }

    @Test func `a self relation is found in both directions`() throws {
        var existing = names(of: .library)
        existing.tables["Z_2PREQUELS"] = existing.tables.removeValue(forKey: "Z_2SEQUELS")
        let layout = try StoreLayout(model: .library, existing: existing)
        guard case .join(let sequels) = layout.toMany(5, in: 2), case .join(let prequels) = layout.toMany(4, in: 3)
        else {
            Issue.record("there are no join tables")
            return
        }
        #expect(
            sequels.table == "Z_2PREQUELS" && sequels.ownColumn == "Z_2PREQUELS" && sequels.otherColumn == "Z_2SEQUELS")
        #expect(!sequels.isOwner && prequels == sequels.flipped)
    }

    @Test func `sides that share a name are distinguished by their numbers`() throws {
        let model = ModelSketch([
            .init(name: "A", relationships: ["links ->> B.links"]),
            .init(name: "B", relationships: ["links ->> A.links"]),
        ]).compiled()
        var existing = names(of: model)
        existing.tables["Z_1LINKS"] = nil
        existing.tables["Z_3LINKS"] = ["Z_3LINKS", "Z_5LINKS"]
        let found = try #require(join(try StoreLayout(model: model, existing: existing), 1))
        #expect(found.ownColumn == "Z_3LINKS" && found.otherColumn == "Z_5LINKS")
    }

    @Test func `a missing order column is an error, and not ignored`() throws {
        var existing = names(of: tagged)
        existing.tables["Z_1TAGS"]?.removeAll { $0.hasPrefix("Z_FOK") }
        #expect(throws: CoreDataError.self) { _ = try StoreLayout(model: tagged, existing: existing) }
    }

    @Test func `old numbers of the columns next to keys are found`() throws {
        let model = ModelSketch([
            .init(name: "Book", relationships: ["pages ->> Page.book"]), .init(name: "Comic", parent: "Book"),
            .init(name: "Page", relationships: ["book -> Book.pages", "spec =>> Word"]), .init(name: "Word"),
        ]).compiled()
        var existing = names(of: model)
        existing.tables["ZPAGE"] = existing.tables["ZPAGE"]?.map { $0 == "Z1_BOOK" ? "Z8_BOOK" : $0 }
        existing.tables["ZWORD"] = ["Z_FOK_9SPEC", "Z9SPEC", "Z_PK", "Z_OPT", "Z_ENT"]
        let layout = try StoreLayout(model: model, existing: existing)
        #expect(layout.toOne(0, in: 3)?.entityColumn == "Z8_BOOK")
        #expect(layout.toMany(1, in: 3) == .oneWay(column: "Z9SPEC", orderColumn: "Z_FOK_9SPEC"))
        #expect(layout.tables[4]?.columns.map(\.name) == ["Z_PK", "Z_ENT", "Z_OPT", "Z9SPEC", "Z_FOK_9SPEC"])
    }
}
