#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: projections", .enabled(if: PostgresServer.isEnabled))
struct ReadingProjectionTests {
    private func projection(
        _ fetch: FetchSpecification, _ columns: [String], by groups: [String] = [], distinct: Bool = false,
        sorts: [(String, Bool)] = [], having: PredicateTree? = nil, groupLimit: Int? = nil, groupOffset: Int = 0
    ) throws -> ProjectionSpecification {
        var tree = ProjectionTree(try columns.map { try parseExpression($0).aggregatingRows() })
        tree.groups = try groups.map { try parseExpression($0) }
        tree.isDistinct = distinct
        tree.sorts = try sorts.map { ProjectionTree.Sort(try parseExpression($0.0).aggregatingRows(), ascending: $0.1) }
        tree.having = having
        (tree.groupLimit, tree.groupOffset) = (groupLimit, groupOffset)
        return ProjectionSpecification(fetch: fetch, tree: tree)
    }

    /// Returns the rows by all ways to ask for them.
    private func rows(_ projection: ProjectionSpecification, in session: any StoreSession) throws -> [[[StoredValue]]] {
        let stored = try session.storedRows(projection)
        let cursor = try session.cursor(projection)
        #expect(cursor.columns == stored.columns)
        var each: [[StoredValue]] = []
        while try cursor.next() {
            each.append(
                (0..<(stored.rows.first?.count ?? 0)).map { column in
                    switch cursor.type(Int(column)) {
                    case .null: .null
                    case .integer: .integer(cursor.int64(column))
                    case .real: .real(cursor.double(column))
                    case .text: .text(cursor.text(column) ?? "")
                    case .blob: .blob(cursor.withBlob(column) { $0.map { Data($0) } ?? Data() })
                    }
                })
        }
        return [stored.rows.map { $0.map(normalized) }, each.map { $0.map(normalized) }]
    }

    /// A whole number that is an integer in one store may be a real in the other one.
    private func normalized(_ value: StoredValue) -> StoredValue {
        if case .real(let number) = value, let whole = Int64(exactly: number) { return .integer(whole) }
        return value
    }

    private func expectSame(
        _ stores: ReadingStores, _ projection: ProjectionSpecification, isExact: Bool, count: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let compiled = Result { try stores.server.schema.compiler.projection(projection) }
        #expect(((try? compiled.get()) != nil) == isExact, "\(projection.tree)", sourceLocation: sourceLocation)
        let rows = try stores.both { try self.rows(projection, in: $0) }
        #expect(rows.file[0] == rows.server[0], "\(projection.tree)", sourceLocation: sourceLocation)
        #expect(rows.server[0] == rows.server[1], sourceLocation: sourceLocation)
        #expect(rows.server[0].count == count, "\(rows.server[0].count)", sourceLocation: sourceLocation)
    }

    @Test func `columns, groups and totals are those of a file`() throws {
        let stores = try ReadingModel.stores()
        let (people, books) = (try stores.request("Person"), try stores.request("Book"))
        let part = try stores.request("Book", "year > 1992", sorts: [.init(path: ["title"])], limit: 9, offset: 2)
        let all: [(ProjectionSpecification, Int)] = [
            (try projection(people, ["name", "age", "isActive", "born", "code", "home", "raw", "rank"]), 12),
            (try projection(books, ["title", "price", "published", "author", "self"]), 30),
            (try projection(part, ["title", "year", "author.name", "author.mentor.name"]), 9),
            (try projection(people, ["isActive", "count:(self)", "max:(age)", "min:(name)"], by: ["isActive"]), 2),
            (
                try projection(
                    books, ["year", "sum:(price)", "average:(year)"], by: ["year"], sorts: [("year", false)]), 10
            ),
            (try projection(books, ["author", "count:(self)"], by: ["author"]), 4),
            (try projection(books, ["title"], distinct: true, sorts: [("title", false)]), 7),
            (try projection(part, ["title"], distinct: true), 5),
            (try projection(books, ["count:(self)", "sum:(year)", "min:(price)", "max:(published)"]), 1),
            (try projection(part, ["count:(self)", "sum:(year)"]), 1),
            (try projection(part, ["year", "count:(self)"], by: ["year"], groupLimit: 2, groupOffset: 1), 2),
            (try projection(try stores.request("Book", "year > 3000"), ["sum:(year)", "max:(year)"]), 1),
            (try projection(try stores.request("Book", "year > 3000"), ["title"]), 0),
            (try projection(people, ["age * 2 + 1", "height / 3", "pupils.@count", "address.zip"]), 12),
        ]
        for (projection, count) in all { try expectSame(stores, projection, isExact: true, count: count) }
    }

    @Test func `projections without an exact statement are computed in memory`() throws {
        let stores = try ReadingModel.stores()
        let (people, books) = (try stores.request("Person"), try stores.request("Book"))
        let some = try stores.request("Book", "title MATCHES 'Title [0-3]'")
        let part = try stores.request(
            "Book", "title MATCHES 'Title [0-3]'", sorts: [.init(path: ["price"])], limit: 7, offset: 2)
        // The statement for these rows is exact, and the columns are not.
        let exact = try stores.request("Book", "year > 1992", sorts: [.init(path: ["title"])], limit: 9, offset: 2)
        let having = try parsePredicate("$rows > 3 AND $name MATCHES 'Title [1-5]'")
        var named = try projection(books, ["title", "count:(self)"], by: ["title"], having: having)
        named.variables = ["rows": .aggregate(.count), "name": .path(["title"])]
        let all: [(ProjectionSpecification, Int)] = [
            (try projection(people, ["uppercase(name)", "rank", "sqrt(weight)", "born", "code", "home", "raw"]), 12),
            (try projection(some, ["title", "price", "published", "author", "self"]), 18),
            (try projection(part, ["title", "price"]), 7),
            (try projection(exact, ["uppercase(title)", "year"]), 9),
            (try projection(exact, ["uppercase(title)", "count:(self)"], by: ["uppercase(title)"]), 4),
            (try projection(exact, ["uppercase(title)"], distinct: true), 5),
            (try projection(exact, ["count:(self)", "max:(uppercase(title))"]), 1),
            (
                try projection(some, ["year", "sum:(price)", "count:(self)"], by: ["year"], sorts: [("year", false)]),
                10
            ),
            (try projection(some, ["author", "count:(self)", "max:(published)"], by: ["author"]), 4),
            (try projection(some, ["title"], distinct: true), 4),
            (try projection(part, ["title"], distinct: true), 2),
            (try projection(part, ["count:(self)", "sum:(year)"]), 1),
            (try projection(some, ["year", "count:(self)"], by: ["year"], groupLimit: 3, groupOffset: 2), 3),
            (named, 5),
            (try projection(try stores.request("Book", "title MATCHES 'none'"), ["sum:(year)", "max:(year)"]), 1),
            (try projection(try stores.request("Book", "title MATCHES 'none'"), ["title"]), 0),
        ]
        for (projection, count) in all { try expectSame(stores, projection, isExact: false, count: count) }
    }

    @Test func `a projection that fails because of a number is computed in memory`() throws {
        let stores = try ReadingModel.stores()
        for projection in [
            try projection(stores.request("Person"), ["name", "rank * 9000000000"]),
            try projection(
                stores.request("Person", sorts: [.init(path: ["name"])], limit: 5, offset: 3),
                ["name", "rank * 9000000000"]),
            try projection(
                stores.request("Person", sorts: [.init(path: ["name"])], limit: 5, offset: 3),
                ["count:(self)", "max:(rank * 9000000000)"]),
            try projection(stores.request("Person", "rank * 9000000000 > 0"), ["name", "rank"]),
            try projection(stores.request("Person"), ["isActive", "max:(rank * 9000000000)"], by: ["isActive"]),
        ] {
            let rows = try stores.both { try self.rows(projection, in: $0) }
            #expect(rows.file[0] == rows.server[0], "\(projection.tree)")
            #expect(rows.server[0] == rows.server[1] && !rows.server[0].isEmpty, "\(projection.tree)")
        }
    }

    @Test func `columns of several types have the values of a file`() throws {
        let stores = try ReadingModel.stores()
        for column in [
            "TERNARY(age > 3, name, age)", "TERNARY(age > 3, born, age)", "TERNARY(age > 3, 'x', isActive)",
            "TERNARY(age > 3, rank * 9000000000, height)", "TERNARY(age > 3, code, name)",
            "TERNARY(age > 3, rank + 9000000000000000000, 0.1)", "TERNARY(age > 3, mentor, age)",
        ] {
            for format in [nil, "name MATCHES '.*'"] {
                let projection = try projection(stores.request("Person", format), ["name", column])
                let file = Result { try stores.read(stores.file) { try self.rows(projection, in: $0) } }
                let server = Result { try stores.read(stores.server) { try self.rows(projection, in: $0) } }
                switch (file, server) {
                case (.success(let file), .success(let server)):
                    #expect(file[0] == server[0] && server[0] == server[1], "\(column)")
                case (.failure(let file), .failure(let server)): #expect("\(file)" == "\(server)")
                case (let file, let server): Issue.record("\(column): \(file), \(server)")
                }
            }
        }
    }

    @Test func `columns are decoded into values`() throws {
        struct Item: Sendable, Equatable {
            var title: String?
            var price: Decimal?
            var cover: Data?
        }
        func offset(_ path: PartialKeyPath<Item>) -> Int { MemoryLayout<Item>.offset(of: path) ?? -1 }
        let stores = try ReadingModel.stores()
        for format in [nil, "title MATCHES 'Title [0-3]'"] {
            let projection = try projection(
                stores.request("Book", format, sorts: [.init(path: ["title"])]), ["title", "price", "cover"])
            let items = try stores.both { session in
                try session.project(projection) { columns in
                    #expect(columns.map(\.content) == [.value(.string), .value(.decimal), .externalData])
                    return RowPlan<Item>(
                        ops: [
                            RowOp(column: 0, kind: .optionalString, offset: offset(\.title)),
                            RowOp(column: 1, kind: .optionalDecimal, offset: offset(\.price)),
                            RowOp(column: 2, kind: .optionalData, offset: offset(\.cover), isExternal: true),
                        ], template: Item())
                }
            }
            #expect(items.file == items.server && items.server.contains { $0.cover?.count == 200_000 })
            try stores.onServer { session throws in
                let stored = try session.storedRows(projection)
                for row in stored.rows {
                    guard case .blob(let bytes) = row[2] else { continue }
                    #expect(try bytes.withUnsafeBytes { try session.externalData($0) } == bytes)
                }
            }
        }
    }

    @Test func `a cursor has more rows than a portion`() throws {
        let stores = try ReadingModel.stores()
        try PostgresStores.run(
            "INSERT INTO \(stores.server.schema.prefix)\"Tag\" (\"name\") SELECT 'x' || n FROM generate_series(1, 3500) n"
        )
        for format in ["name BEGINSWITH 'x'", "name MATCHES 'x.*'"] {
            let projection = try projection(stores.request("Tag", format), ["name", "self"])
            try stores.onServer { session throws in
                let cursor = try session.cursor(projection)
                var count = 0
                while try cursor.next() {
                    count += 1
                    #expect(cursor.text(0) == "x\(count)")
                    // The view reads other rows in between.
                    if count % 999 == 0 { #expect(try session.count(stores.request("Book")) == 30) }
                }
                #expect(count == 3500)
                #expect(try cursor.next() == false)
            }
        }
    }
}
#endif
