#if PostgreSQL
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: numbers of entities that differ from the model's")
struct ReadingEntityNumberTests {
    /// A compiler for the library in a store that has given the numbers in another order, to more entities than there are now.
    private static func compiler() -> SQLCompiler {
        var names = PostgresNames()
        names.numbers = ["Novel": 2, "Book": 9, "Former": 3]
        let layout = StoreLayout(postgres: .library, schema: "shop", names: &names)
        return SQLCompiler(
            model: .library, layout: layout, storeIdentifier: LibraryQueries.store, dialect: .postgres)
    }

    @Test func `selected numbers are those of the model`() throws {
        let compiler = Self.compiler()
        let (book, novel) = (try number("Book"), try number("Novel"))
        let cases = #"CASE t0."_entity" WHEN 9 THEN \#(book) WHEN 2 THEN \#(novel) ELSE -t0."_entity" END"#
        let request = try LibraryQueries.request("Book", "year == 1")
        #expect(
            try compiler.identities(request).sql
                == #"SELECT \#(cases), t0."_key" FROM "shop"."Book" t0 WHERE t0."year" = $1 ORDER BY t0."_key""#)
        // Conditions have the numbers of the store.
        let novels = try LibraryQueries.request("Novel")
        #expect(
            try compiler.identities(novels).sql
                == #"SELECT \#(cases), t0."_key" FROM "shop"."Book" t0 WHERE t0."_entity" = 2 ORDER BY t0."_key""#)
        #expect(
            try compiler.values(request, attributes: [PseudoSlot.entity]).sql.hasPrefix(
                #"SELECT t0."_key", COALESCE(\#(cases), 0) FROM"#))
        let shape = RowShape(model: .library, entity: book)
        #expect(try compiler.rows(request, shape: shape).sql.hasPrefix(#"SELECT t0."_key", \#(cases), t0."_version","#))
    }

    @Test func `a table without a column of numbers has that of the model`() throws {
        var names = PostgresNames()
        names.numbers = ["Author": 77]
        let layout = StoreLayout(postgres: .library, schema: "shop", names: &names)
        let compiler = SQLCompiler(
            model: .library, layout: layout, storeIdentifier: LibraryQueries.store, dialect: .postgres)
        let author = try number("Author")
        #expect(
            try compiler.identities(LibraryQueries.request("Author")).sql
                == #"SELECT \#(author)::smallint, t0."_key" FROM "shop"."Author" t0 ORDER BY t0."_key""#)
    }

    @Test func `equal numbers cost nothing`() throws {
        #expect(
            try ServerQueries.compiler.identities(LibraryQueries.request("Book")).sql
                == #"SELECT t0."_entity", t0."_key" FROM "shop"."Book" t0 ORDER BY t0."_key""#)
    }

    private func number(_ name: String) throws -> Int { try #require(CompiledModel.library.entity(named: name)).number }

    @Test(.enabled(if: PostgresServer.isEnabled)) func `rows have the entities of the model`() throws {
        // The first version of the model has an entity in front of the others.
        let server = try PostgresStores.options()
        let former = ReadingModel.make()
        let zero = Build.entity("Aardvark", [Build.attribute("name")])
        former.entities = [zero] + former.entities
        try PostgresStores.store(former, at: server).close()
        // The same names and numbers with a model in which the numbers are lower.
        let context = try GraphLibrary.context(GraphLibrary.coordinator(model: ReadingModel.make()))
        let objects = try ReadingModel.fill(context)
        try context.save()
        let file = try #require(context.persistentStoreCoordinator?.persistentStores.first).objectStore
        let store = try PostgresStores.store(
            of: file.model, at: server, PostgresStores.migrationOptions(ReadingModel.make()))
        #expect(file.model.entities.contains { store.schema.layout.storedNumber(of: $0.number) != $0.number })
        try ServerRows(compiler: store.schema.compiler, connection: DriverConnection()).insert(objects)
        let (one, other) = (try file.beginSession(), try store.beginSession())
        defer {
            one.end()
            other.end()
        }
        for entity in file.model.entities {
            let request = FetchSpecification(entity: entity.number)
            #expect(try one.identities(request) == other.identities(request))
            if case .attribute? = entity.slot(named: "name") {
                var tested = request
                tested.predicate = try parsePredicate("name MATCHES '.*o.*'")
                #expect(try one.identities(tested) == other.identities(tested))
            }
            for (slot, relationship) in entity.relationships.enumerated() where relationship.isToMany {
                let owners = try one.identities(FetchSpecification(entity: entity.number)).map(\.key)
                let members = try [one, other].map {
                    try $0.members(ofRelationship: slot, entity: entity.number, owners: owners).map(\.destination)
                }
                #expect(members[0] == members[1])
            }
        }
    }
}
#endif
