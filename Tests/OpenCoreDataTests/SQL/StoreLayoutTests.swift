@testable import OpenCoreData
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("The layout that a model implies")
struct StoreLayoutTests {
    private func columns(_ model: CompiledModel, of entity: String) throws -> [String] {
        let entity = try #require(model.entity(named: entity))
        return try #require(StoreLayout(model: model).tables[entity.root]).columns.map {
            "\($0.name) \($0.declaredType)"
        }
    }

    private func names(_ model: CompiledModel, of entity: String) throws -> [String] {
        try columns(model, of: entity).dropFirst(3).compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    @Test func `columns are grouped by type, sorted by bytes within each`() throws {
        let model = ModelSketch([
            .init(
                name: "Thing",
                attributes: [
                    "zebra": .boolean, "Apple": .integer64, "apple": .integer16, "when": .date, "amount": .decimal,
                    "ratio": .float,
                    "_city": .string, "name": .string, "id": .uuid, "page": .uri, "look": .transformable,
                    "bytes": .binaryData,
                    "length": .double,
                ])
        ]).compiled()
        #expect(
            try columns(model, of: "Thing") == [
                "Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER", "ZAPPLE INTEGER", "ZAPPLE1 INTEGER",
                "ZZEBRA INTEGER", "ZLENGTH FLOAT", "ZRATIO FLOAT", "ZWHEN TIMESTAMP", "ZAMOUNT DECIMAL",
                "Z_CITY VARCHAR",
                "ZNAME VARCHAR", "ZPAGE VARCHAR", "ZID BLOB", "ZLOOK BLOB", "ZBYTES BLOB",
            ])
    }

    @Test func `whole numbers of each entity are followed by its own keys before the next entity begins`() throws {
        let model = ModelSketch([
            .init(name: "Base", attributes: ["count": .integer32, "name": .string], relationships: ["other -> Other"]),
            .init(
                name: "Sub", parent: "Base", attributes: ["level": .integer16, "date": .date],
                relationships: ["friend -> Other"]),
            .init(name: "Other"),
        ]).compiled()
        #expect(try names(model, of: "Base") == ["ZCOUNT", "ZOTHER", "ZLEVEL", "ZFRIEND", "ZDATE", "ZNAME"])
    }

    @Test func `conflicting names are numbered in the order of entities, then of properties`() throws {
        let model = ModelSketch([
            .init(name: "Message", attributes: ["sender": .string]),
            .init(name: "Image", parent: "Message", attributes: ["text": .string], relationships: ["place -> Place"]),
            .init(name: "Text", parent: "Message", attributes: ["text": .string, "place": .integer16]),
            .init(name: "Place"),
        ]).compiled()
        let layout = StoreLayout(model: model)
        let (image, text) = (try #require(model.entity(named: "Image")), try #require(model.entity(named: "Text")))
        #expect(layout.column(ofAttribute: 1, in: image.number) == "ZTEXT")
        #expect(layout.column(ofAttribute: 2, in: text.number) == "ZTEXT1")
        #expect(layout.toOne(0, in: image.number)?.column == "ZPLACE")
        #expect(layout.column(ofAttribute: 1, in: text.number) == "ZPLACE1")
        // An inherited attribute has the column of the superentity.
        #expect(layout.column(ofAttribute: 0, in: text.number) == "ZSENDER")
    }

    @Test func `names of system columns are never given to a property`() throws {
        let model = ModelSketch([.init(name: "Odd", attributes: ["_pk": .integer16, "_ENT": .string])]).compiled()
        #expect(try names(model, of: "Odd") == ["Z_PK1", "Z_ENT1"])
    }

    @Test func `the leaves of a composite replace it, in their order, without its name`() throws {
        let model = ModelSketch([
            .init(
                name: "Cocktail",
                attributes: [
                    "id": .uuid, "author.year": .string, "author.person": .string, "author.id": .uuid,
                    "favorite": .boolean,
                    "zest": .string, "apex": .string,
                ])
        ]).compiled()
        #expect(
            try names(model, of: "Cocktail") == ["ZFAVORITE", "ZAPEX", "ZYEAR", "ZPERSON", "ZZEST", "ZID", "ZID1"])
        let entity = try #require(model.entity(named: "Cocktail"))
        guard case .attribute(let slot) = entity.slot(named: "author.id") else {
            Issue.record("the leaf has no slot")
            return
        }
        #expect(StoreLayout(model: model).column(ofAttribute: slot, in: 1) == "ZID")
    }

    @Test func `transient properties have no column`() throws {
        let model = ModelSketch([
            .init(
                name: "A", attributes: ["kept": .string, "gone": .string], transient: ["gone", "lost", "all"],
                relationships: ["lost -> A", "all ->> A.lost"])
        ]).compiled()
        let layout = StoreLayout(model: model)
        #expect(try names(model, of: "A") == ["ZKEPT"])
        #expect(layout.attributes == [[nil, "ZKEPT"]])
        #expect(layout.toOnes == [[nil, nil]] && layout.toManys == [[nil, nil]])
    }

    @Test func `a to-one with several destination entities has their number next to it`() throws {
        let model = ModelSketch([
            .init(name: "Book", relationships: ["pages ->> Page.book"]), .init(name: "Comic", parent: "Book"),
            .init(name: "Page", relationships: ["book -> Book.pages", "comic -> Comic"]),
        ]).compiled()
        #expect(try names(model, of: "Page") == ["ZBOOK", "Z1_BOOK", "ZCOMIC"])
        #expect(StoreLayout(model: model).toOne(0, in: 3) == .init(column: "ZBOOK", entityColumn: "Z1_BOOK"))
        #expect(StoreLayout(model: model).toMany(0, in: 2) == .inverse(column: "ZBOOK", orderColumn: nil))
    }

    @Test func `an ordered to-many keeps its order with the inverse's key`() throws {
        let model = ModelSketch([
            .init(
                name: "Folder", attributes: ["z": .integer16],
                relationships: ["children =>> Folder.parent", "parent -> Folder.children"])
        ]).compiled()
        #expect(try names(model, of: "Folder") == ["ZZ", "ZPARENT", "Z_FOK_PARENT"])
        #expect(StoreLayout(model: model).toMany(0, in: 1) == .inverse(column: "ZPARENT", orderColumn: "Z_FOK_PARENT"))
    }

    @Test func `a to-many without inverse is kept at its destination`() throws {
        let model = ModelSketch([
            .init(name: "Cocktail", relationships: ["spec ->> Ingredient", "steps =>> Ingredient"]),
            .init(name: "Ingredient", attributes: ["kind": .integer16], relationships: ["base -> Cocktail"]),
        ]).compiled()
        #expect(try names(model, of: "Ingredient") == ["ZKIND", "ZBASE", "Z1SPEC", "Z1STEPS", "Z_FOK_1STEPS"])
        let layout = StoreLayout(model: model)
        #expect(layout.toMany(0, in: 1) == .oneWay(column: "Z1SPEC", orderColumn: nil))
        #expect(layout.toMany(1, in: 1) == .oneWay(column: "Z1STEPS", orderColumn: "Z_FOK_1STEPS"))
    }

    @Test func `a join table is named after the entity with descendants, else after the lower number`() throws {
        let model = ModelSketch([
            .init(name: "Asset", relationships: ["keywords ->> Keyword.assets", "lists ->> List.assets"]),
            .init(name: "Keyword", relationships: ["assets ->> Asset.keywords"]),
            .init(name: "List", relationships: ["assets =>> Asset.lists"]), .init(name: "Album", parent: "List"),
        ]).compiled()
        let layout = StoreLayout(model: model)
        #expect(
            layout.toMany(0, in: 1)
                == .join(
                    .init(
                        table: "Z_1KEYWORDS", ownColumn: "Z_1ASSETS", otherColumn: "Z_2KEYWORDS", orderColumn: nil,
                        inverseOrderColumn: nil, isOwner: true)))
        let list = StoreLayout.Join(
            table: "Z_3ASSETS", ownColumn: "Z_3LISTS", otherColumn: "Z_1ASSETS1", orderColumn: "Z_FOK_1ASSETS1",
            inverseOrderColumn: nil, isOwner: true)
        #expect(layout.toMany(0, in: 3) == .join(list))
        #expect(layout.toMany(0, in: 4) == .join(list))
        #expect(layout.toMany(1, in: 1) == .join(list.flipped))
    }

    @Test func `equal join columns are numbered by the name of the inverse`() throws {
        let model = ModelSketch([
            .init(name: "System", relationships: ["users ->> User.systemMessages"]),
            .init(name: "Team", relationships: ["users ->> User.groups"]),
            .init(name: "User", relationships: ["systemMessages ->> System.users", "groups ->> Team.users"]),
        ]).compiled()
        let layout = StoreLayout(model: model)
        guard case .join(let system) = layout.toMany(0, in: 1), case .join(let team) = layout.toMany(0, in: 2) else {
            Issue.record("there are no join tables")
            return
        }
        #expect(team.otherColumn == "Z_3USERS" && system.otherColumn == "Z_3USERS1")
    }

    @Test func `a relationship that is its own inverse has a column named for the reflection`() throws {
        let layout = StoreLayout(model: .library)
        guard case .join(let similar) = layout.toMany(6, in: 2) else {
            Issue.record("there is no join table")
            return
        }
        #expect(
            similar.table == "Z_2SIMILAR" && similar.ownColumn == "Z_2SIMILAR" && similar.otherColumn == "REFLEXIVE")
        #expect(similar.isReflexive && similar.isOwner)
    }

    @Test func `two relationships of one entity share a table named after the later name`() {
        let layout = StoreLayout(model: .library)
        let sequels = StoreLayout.Join(
            table: "Z_2SEQUELS", ownColumn: "Z_2PREQUELS", otherColumn: "Z_2SEQUELS", orderColumn: nil,
            inverseOrderColumn: nil, isOwner: true)
        #expect(layout.toMany(5, in: 2) == .join(sequels))
        #expect(layout.toMany(4, in: 2) == .join(sequels.flipped))
    }

    @Test func `names are ASCII in upper case and keep every other character`() {
        #expect(SQLName.uppercased("straße_äX9") == "STRAßE_äX9")
        #expect(SQLName.quoted("ZNAME_1") == "ZNAME_1")
        #expect(SQLName.quoted("ZSTRAßE") == "\"ZSTRAßE\"")
        #expect(SQLName.quoted("Z\"A B") == "\"Z\"\"A B\"")
        #expect(SQLName.quoted("1A") == "\"1A\"" && SQLName.quoted("") == "\"\"")
    }
}
