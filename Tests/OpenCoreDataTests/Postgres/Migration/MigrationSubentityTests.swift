#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Entities in the table of their parent, which a newer version removes or adds.
@Suite("PostgreSQL: sub-entities that are removed and added", .enabled(if: PostgresServer.isEnabled))
struct MigrationSubentityTests {
    private let server: PostgresOptions

    init() throws {
        var server = try PostgresStores.migrationServer()
        server.changes = .all
        self.server = server
    }

    /// Returns a version of a shop that lends its books.
    ///
    /// - Parameter attribute: The attribute of the sub-entity of the books; nil for a version without the sub-entity.
    private static func shop(_ attribute: NSAttributeDescription? = nil) -> NSManagedObjectModel {
        VersionedShop.version { shop in
            let loan = Build.entity("Loan", [Build.attribute("reader")])
            let (loans, lent) = (Build.toMany("loans", loan), Build.toOne("book", shop.book))
            Build.connect(loans, lent)
            shop.book.properties.append(loans)
            loan.properties.append(lent)
            shop.entities.append(loan)
            guard let attribute else { return }
            let novel = Build.entity("Novel", [attribute])
            shop.book.subentities = [novel]
            shop.entities.append(novel)
        }
    }

    private func number(_ entity: String, of store: PostgresStore) throws -> Int {
        try #require(store.model.entity(named: entity)).number
    }

    /// Returns the number of the rows of an entity, without those of its sub-entities.
    private func count(_ entity: String, in store: PostgresStore) throws -> Int {
        var request = FetchSpecification(entity: try number(entity, of: store))
        request.includesSubentities = false
        let session = try store.beginSession()
        defer { session.end() }
        return try session.count(request)
    }

    private func insert(
        _ entity: String, _ title: String, _ values: [String: AttributeValue] = [:], into store: PostgresStore
    ) throws -> RowID {
        let all = values.merging(["title": .string(title), "year": .int(1900)]) { $1 }
        return try store.insert(number(entity, of: store), all)
    }

    @Test func `a sub-entity with rows is removed, and another one of the same name is added later`() throws {
        let first = try PostgresStores.store(Self.shop(Build.attribute("genre")), at: server)
        let book = try insert("Book", "plain", into: first)
        let novel = try insert("Novel", "long", ["genre": .string("war")], into: first)
        let kept = try first.insert(number("Loan", of: first), ["reader": .string("a")], ["book": book])
        let lost = try first.insert(number("Loan", of: first), ["reader": .string("b")], ["book": novel])
        first.close()

        let second = try PostgresStores.store(Self.shop(), at: server)
        #expect(try second.values(number("Book", of: second), "title") == [.string("plain")])
        let members = try second.members(RowID(entity: number("Book", of: second), key: book.key), "loans")
        #expect(members.map(\.destination.key) == [kept.key])
        #expect(
            try PostgresStores.runMigrated("SELECT _key::text FROM \(server.schema).\"Loan\" WHERE book IS NULL")
                == [String(lost.key)])
        #expect(try second.values(number("Loan", of: second), "reader") == [.string("a"), .string("b")])
        _ = try insert("Book", "new", into: second)
        second.close()

        let third = try PostgresStores.store(Self.shop(Build.attribute("pages", .integer32AttributeType)), at: server)
        #expect(try count("Book", in: third) == 2)
        #expect(try count("Novel", in: third) == 0)
        _ = try insert("Novel", "longer", ["pages": .int(900)], into: third)
        _ = try insert("Book", "short", into: third)
        #expect(try count("Book", in: third) == 3)
        #expect(try count("Novel", in: third) == 1)
        #expect(try third.values(number("Novel", of: third), "pages") == [.int(900)])
        let titles = ["plain", "new", "longer", "short"].map { AttributeValue.string($0) }
        #expect(try third.values(number("Book", of: third), "title") == titles)
    }

    @Test func `a sub-entity is added to a table that has had another one`() throws {
        let first = try PostgresStores.store(Self.shop(Build.attribute("genre")), at: server)
        _ = try insert("Book", "plain", into: first)
        first.close()
        let second = try PostgresStores.store(Self.shop(), at: server)
        _ = try insert("Book", "new", into: second)
        second.close()
        let third = try PostgresStores.store(Self.shop(Build.attribute("pages", .integer32AttributeType)), at: server)
        _ = try insert("Novel", "long", ["pages": .int(7)], into: third)
        #expect(try count("Book", in: third) == 2)
        #expect(try count("Novel", in: third) == 1)
        third.close()
        // Another program opens it as it is.
        let again = try PostgresStores.store(Self.shop(Build.attribute("pages", .integer32AttributeType)), at: server)
        #expect(try again.values(number("Novel", of: again), "pages") == [.int(7)])
    }
}
#endif
