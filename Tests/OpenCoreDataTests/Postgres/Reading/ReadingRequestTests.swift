#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: requests", .enabled(if: PostgresServer.isEnabled))
struct ReadingRequestTests {
    @Test func `requests find the same rows as in a file`() throws {
        let stores = try ReadingModel.stores()
        let conditions: [(entity: String, format: String?, found: Int)] = [
            ("Person", nil, 12), ("Author", nil, 4), ("Book", nil, 30), ("Tag", "name == 'red'", 1),
            ("Person", "name ==[cd] 'asa'", 2), ("Person", "name BEGINSWITH 'Z'", 1), ("Person", "age == nil", 1),
            ("Person", "height > 0.25", 4), ("Person", "weight >= 2.2", 10), ("Person", "rank < 0", 4),
            ("Person", "isActive == YES", 6), ("Person", "code == nil", 0),
            ("Person", "address.street == 'Street 1'", 4),
            ("Person", "raw == nil", 0), ("Person", "mentor.name == 'Bo'", 2), ("Person", "pupils.@count == 2", 5),
            ("Person", "ANY friends.name == 'asa'", 1), ("Book", "ANY tags.name == 'green'", 14),
            ("Book", "price > 2", 15), ("Book", "published == nil", 6), ("Book", "cover == nil", 15),
            ("Author", "books.@count > 5 AND books[FIRST].year > 1990", 3), ("Editor", "desk IN {1, 4, 99}", 2),
            ("Book", "author.pseudonym == 'P3' OR author == nil", 15), ("Book", "year BETWEEN {1991, 1993}", 9),
            ("Book", "FALSEPREDICATE", 0),
        ]
        for (entity, format, found) in conditions {
            #expect(
                try stores.expectSame(stores.request(entity, format), "\(format ?? entity)") == found,
                "\(format ?? entity)")
        }
    }

    @Test func `orders, limits and offsets are those of a file`() throws {
        let stores = try ReadingModel.stores()
        let orders: [[FetchSpecification.Sort]] = [
            [.init(path: ["name"])], [.init(path: ["height"], ascending: false), .init(path: ["name"])],
            [.init(path: ["mentor", "name"])], [.init(path: ["mentor"], ascending: false)],
            [.init(path: ["pupils", "@count"], ascending: false)],
            [.init(path: ["name"], options: [.caseInsensitive, .diacriticInsensitive])],
            [.init(path: ["address", "street"]), .init(path: ["born"], ascending: false)], [.init(path: ["isActive"])],
        ]
        for sorts in orders {
            for (limit, offset) in [(0, 0), (3, 0), (4, 5), (0, 10), (5, 11), (5, 12)] {
                try stores.expectSame(stores.request("Person", sorts: sorts, limit: limit, offset: offset), "\(sorts)")
            }
        }
    }

    @Test func `a repeated request with other constants has the same statement`() throws {
        let stores = try ReadingModel.stores()
        // Each condition has a value of a kind that a server has several types for.
        for round in 0..<3 {
            for number in [0, 1, 2, 1994, 70_000] {
                try stores.expectSame(stores.request("Book", "year == %@", [.value(.int(Int64(number)))]))
                try stores.expectSame(stores.request("Book", "year < %@", [.value(.double(Double(number) + 0.5))]))
                try stores.expectSame(stores.request("Book", "year < %@", [.value(.double(Double(number)))]))
                try stores.expectSame(stores.request("Book", "price == %@", [.value(.int(Int64(number)))]))
                try stores.expectSame(stores.request("Book", "price == %@", [.value(.double(Double(number) + 0.5))]))
                try stores.expectSame(stores.request("Book", "price == %@", [.value(.double(Double(number)))]))
                try stores.expectSame(stores.request("Person", "height > %@", [.value(.double(Double(number) / 8))]))
                try stores.expectSame(stores.request("Person", "isActive == %@", [.value(.int(Int64(number)))]))
            }
            let dates = [Date(timeIntervalSinceReferenceDate: 4_000_001), .distantPast, .distantFuture]
            for date in dates + [Date(timeIntervalSinceReferenceDate: 1e15)] {
                try stores.expectSame(stores.request("Book", "published > %@", [.value(.date(date))]))
            }
            for text in ["Title 3", "", "a\u{0}b", "Title \(round)"] {
                try stores.expectSame(stores.request("Book", "title == %@", [.value(.string(text))], limit: 3 + round))
            }
        }
    }

    @Test func `rows are found by their keys`() throws {
        let stores = try ReadingModel.stores()
        let shape = RowShape(model: stores.model, entity: try stores.request("Author").entity)
        let keys = try stores.onServer { try $0.matchingKeys(stores.request("Person")) }
        for list in [keys, Array(keys.prefix(1)), [], [12345], keys.reversed() + [99999]] {
            let rows = try stores.both { try stores.cells(of: $0.rows(withKeys: list, shape: shape), shape: shape) }
            #expect(rows.file == rows.server)
        }
    }

    @Test func `invalid requests are rejected as in a file`() throws {
        let stores = try ReadingModel.stores()
        for format in [
            "nothing == 1", "name > 5", "friends.name == 'x'", "name MATCHES '('", "name MATCHES 'x' OR nothing == 1",
            "mentor == 5", "cover == 'x'", "ANY name == 'x'",
        ] {
            let request = try stores.request("Person", format)
            let errors = [stores.file, stores.server as any ObjectStore].map { store in
                ["check", "read"].map { way in
                    #expect(throws: (any Error).self, "\(format)") {
                        try stores.read(store) {
                            if way == "check" { try $0.check(request) } else { _ = try $0.identities(request) }
                        }
                    }.map { "\($0)" }
                }
            }
            #expect(errors[0] == errors[1])
        }
        try stores.onServer { try $0.check(stores.request("Person", "name MATCHES 'x.*'")) }
    }

    @Test func `values are decoded into structs`() throws {
        struct Item: Sendable, Equatable {
            var key: Int64 = 0
            var title: String?
            var year = 0
            var price: Decimal?
            var published: Date?
            var cover: Data?
        }
        let stores = try ReadingModel.stores()
        let book = try #require(stores.model.entity(named: "Book"))
        func slot(_ name: String) throws -> Int {
            guard case .attribute(let slot)? = book.slot(named: name) else { throw CocoaError(.coderInvalidValue) }
            return slot
        }
        let slots = try ["title", "year", "price", "published", "cover"].map(slot)
        func offset(_ path: PartialKeyPath<Item>) -> Int { MemoryLayout<Item>.offset(of: path) ?? -1 }
        let plan = RowPlan<Item>(
            ops: [
                RowOp(column: 0, kind: .int64, offset: offset(\.key)),
                RowOp(column: 1, kind: .optionalString, offset: offset(\.title)),
                RowOp(column: 2, kind: .int, offset: offset(\.year)),
                RowOp(column: 3, kind: .optionalDecimal, offset: offset(\.price)),
                RowOp(column: 4, kind: .optionalDate, offset: offset(\.published)),
                RowOp(column: 5, kind: .optionalData, offset: offset(\.cover), isExternal: true),
            ], template: Item())
        for format in [nil, "year > 1995", "title MATCHES '.*[35]'", "year > 3000"] {
            for (limit, offset) in [(0, 0), (4, 1)] {
                let request = try stores.request(
                    "Book", format, sorts: [.init(path: ["price"], ascending: false)], limit: limit, offset: offset)
                let items = try stores.both { try $0.decode(request, attributes: slots, plan: plan) }
                #expect(items.file == items.server)
                let each = try stores.both { session in
                    var items: [Item] = []
                    try session.forEach(request, attributes: slots, plan: plan, at: nil) { items.append($0.move()) }
                    return items
                }
                #expect(each.file == items.file && each.server == items.file)
                let first = try stores.both { session in
                    let memory = UnsafeMutablePointer<Item>.allocate(capacity: 1)
                    defer { memory.deallocate() }
                    var count = 0
                    try session.forEach(request, attributes: slots, plan: plan, at: memory) { _ in count += 1 }
                    return count > 0 ? memory.move() : nil
                }
                #expect(first.file == items.file.first && first.server == items.file.first)
            }
        }
        // A closure's error stops the reading, and the view can be used afterwards.
        try stores.onServer { session throws in
            #expect(throws: CocoaError.self) {
                try session.forEach(stores.request("Book"), attributes: slots, plan: plan, at: nil) {
                    $0.deinitialize(count: 1)
                    throw CocoaError(.userCancelled)
                }
            }
            #expect(try session.count(stores.request("Book")) == 30)
        }
    }

    @Test func `a value that does not fit names its attribute`() throws {
        struct Item: Sendable {
            var year: Int16 = 0
        }
        let stores = try ReadingModel.stores()
        let book = try #require(stores.model.entity(named: "Book"))
        guard case .attribute(let slot)? = book.slot(named: "title") else { return }
        let plan = RowPlan<Item>(ops: [RowOp(column: 1, kind: .int16, offset: 0)], template: Item())
        let error = try #require(
            throws: CoreDataError.self,
            performing: {
                try stores.onServer { try $0.decode(stores.request("Book"), attributes: [slot], plan: plan) }
            })
        #expect(error.entity == "Book" && error.key == "title" && error.cause is DecodingFailure)
        #expect(error.message.contains("'Book.title' of the row"))
    }

    @Test func `external data are read when they are touched`() throws {
        let stores = try ReadingModel.stores()
        let request = try stores.request("Book", "year >= 1990")
        let book = stores.model[request.entity]
        let shape = RowShape(model: stores.model, entity: request.entity)
        guard case .attribute(let slot)? = book.slot(named: "cover") else { return }
        let cell = shape.cell(ofAttribute: slot, in: book.number)
        let values = try stores.both { session in
            let rows = try session.rows(request, shape: shape)
            return try (0..<rows.count).map {
                try rows.value(row: $0, cell: cell, of: book.attributes[slot], in: book, session: session)
            }
        }
        #expect(values.file == values.server && values.server.contains(.data(Data())))
        // The rows of the server have lengths, which identify the values.
        try stores.onServer { session throws in
            let rows = try session.rows(request, shape: shape)
            #expect((0..<rows.count).contains { rows.int64(row: $0, cell: cell) == 200_000 })
            let row = try #require((0..<rows.count).first { rows.int64(row: $0, cell: cell) == 200_000 })
            let bytes = withUnsafeBytes(of: Int64(200_000).bigEndian) { Data($0) }
            #expect(try rows.value(row: row, cell: cell, type: .binaryData) == .data(bytes))
            // A row that was changed since is missing, so that its object reads it again.
            try PostgresStores.run(
                "UPDATE \(stores.server.schema.prefix)\"Book\" SET \"_version\" = 2 WHERE \"_key\" = \(rows.int64(row: row, cell: 0))"
            )
            #expect(
                try rows.value(row: row, cell: cell, of: book.attributes[slot], in: book, session: session) != .null)
            try stores.onServer { later in
                let error = #expect(throws: CoreDataError.self) {
                    try rows.value(row: row, cell: cell, of: book.attributes[slot], in: book, session: later)
                }
                #expect(error?.isOfMissingFile == true && error?.key == "cover")
            }
        }
    }

    @Test func `a view reads the state of its first read, or that in which it was fixed`() throws {
        let stores = try ReadingModel.stores()
        let insertion = "INSERT INTO \(stores.server.schema.prefix)\"Tag\" (\"name\") VALUES ('new')"
        let request = try stores.request("Tag")
        try stores.onServer { early in
            try early.fixState()
            try stores.onServer { late throws in
                try PostgresStores.run(insertion)
                #expect(try early.count(request) == 4 && late.count(request) == 5)
                try PostgresStores.run(insertion)
                #expect(try early.count(request) == 4 && late.count(request) == 5)
            }
        }
        try stores.onServer { session throws in #expect(try session.count(request) == 6) }
    }

    @Test func `a view that has ended cannot be used`() throws {
        let stores = try ReadingModel.stores()
        let session = try stores.server.beginSession()
        let cursor = try session.cursor(
            ProjectionSpecification(fetch: stores.request("Book"), tree: ProjectionTree([.path(["title"])])))
        session.end()
        #expect(throws: CoreDataError.self) { try session.count(stores.request("Book")) }
        _ = cursor
    }

    @Test func `a row at a time is read by a cursor, although an earlier result was small`() throws {
        struct Item: Sendable { var key: Int64 = 0 }
        let stores = try ReadingModel.stores()
        let plan = RowPlan<Item>(ops: [RowOp(column: 0, kind: .int64, offset: 0)], template: Item())
        let run = Locked<[String]>([])
        let watch = stores.server.add(StatementWatch { statement in run.withLock { $0.append(statement.sql) } })
        defer { stores.server.removeWatch(watch) }
        for (name, found) in [("red", 1), ("x", 2500), ("none", 1)] {
            if found > 1 {
                try PostgresStores.run(
                    "INSERT INTO \(stores.server.schema.prefix)\"Tag\" (\"name\") SELECT 'x' FROM generate_series(1, \(found))"
                )
            }
            run.withLock { $0 = [] }
            var count = 0
            try stores.onServer {
                try $0.forEach(
                    stores.request("Tag", "name == %@", [.value(.string(name))]), attributes: [], plan: plan, at: nil
                ) { count += $0.move().key > 0 ? 1 : 0 }
            }
            #expect(count == found)
            let statements = run.withLock { $0 }
            #expect(statements.count { $0.hasPrefix("FETCH") } == found / 1000 + 1, "\(statements)")
            #expect(!statements.contains { $0.hasPrefix("SELECT") }, "\(statements)")
        }
    }

    @Test func `a token stops a long read`() throws {
        let stores = try ReadingModel.stores()
        try PostgresStores.run(
            "INSERT INTO \(stores.server.schema.prefix)\"Tag\" (\"name\") SELECT 'x' || n FROM generate_series(1, 20000) n"
        )
        let token = InterruptToken()
        let session = try stores.server.beginSession(token)
        defer { session.end() }
        struct Item: Sendable { var key: Int64 = 0 }
        let plan = RowPlan<Item>(ops: [RowOp(column: 0, kind: .int64, offset: 0)], template: Item())
        for format in [nil, "name MATCHES 'x.*'"] {
            token.clear()
            let other = try stores.server.beginSession(token)
            defer { other.end() }
            var count = 0
            let error = try #require(
                throws: CoreDataError.self,
                performing: {
                    try other.forEach(stores.request("Tag", format), attributes: [], plan: plan, at: nil) { _ in
                        count += 1
                        if count == 1500 { token.interrupt(.cancelled) }
                    }
                })
            #expect(error.errorCode == CocoaError.Code.userCancelled.rawValue && count < 20_000, "\(error)")
        }
    }
}
#endif
