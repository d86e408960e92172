#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Batches on a server: updates", .enabled(if: PostgresServer.isEnabled))
struct BatchUpdateOnServerTests {
    private func stores() throws -> BatchStores {
        try BatchStores { context in
            let author = try context.make("Author", ["name": "Leo"])
            for index in 1...4 {
                let book = try context.make(
                    index == 4 ? "Novel" : "Book", ["title": "t\(index)", "year": index, "isbn": "i\(index)"])
                if index < 4 { book.setValue(author, forKey: "author") }
            }
        }
    }

    /// Core Data's request, with values and expressions in the language of predicates.
    private func update(
        _ entity: String, _ format: String? = nil, _ values: [String: Any], _ context: NSManagedObjectContext
    ) throws -> [String] {
        let request = NSBatchUpdateRequest(entityName: entity)
        request.predicate = format.map { NSPredicate(format: $0, argumentArray: []) }
        request.propertiesToUpdate = values
        request.resultType = .updatedObjectIDsResultType
        let ids = try #require((context.execute(request) as? NSBatchUpdateResult)?.result as? [NSManagedObjectID])
        context.reset()
        return try ids.map { "\($0.entity.name ?? "") \(try context.existingObject(with: $0).text("title") ?? "")" }
    }

    private func expression(_ format: String) -> OpenCoreData.NSExpression {
        OpenCoreData.NSExpression(format: format, argumentArray: [])
    }

    @Test func `conditions, limits and orders find the rows, and versions are raised`() throws {
        let stores = try stores()
        for (format, values) in [
            ("year < 3", ["title": AttributeValue.string("x"), "stock": .null]), ("year > 100", ["stock": .int(1)]),
            ("ANY author.books.year == 1", ["year": .int(50)]), ("title MATCHES 'x|t.'", ["stock": .int(3)]),
            ("year * 1000000000 * 1000000000 > 5", ["stock": .int(4)]), ("1 / (year - 50) > 0", ["stock": .int(5)]),
            ("isbn == 'i2'", ["title": .string("only")]), ("isbn == 'none'", ["title": .string("only")]),
        ] as [(String, [String: AttributeValue])] {
            stores.both(format) { try $0.update("Book", format, values) }
            try stores.expectSame(format)
        }
        stores.both { context in
            var specification = try context.specification("Book")
            specification.sorts = [FetchSpecification.Sort(path: ["isbn"], ascending: false)]
            (specification.limit, specification.offset) = (2, 1)
            guard case .attribute(let slot)? = try context.compiled("Book").slot(named: "title") else { return -1 }
            return try context.update(specification, setting: [(slot, .string("limited"))])
        }
        stores.both { try $0.update("Novel", nil, ["genre": .string("g"), "title": .string("n")]) }
        try stores.expectSame()
    }

    @Test func `equal rows are left as they are, and Core Data's request changes every row`() throws {
        let stores = try stores()
        for values in [
            ["stock": AttributeValue.int(7)], ["title": .string("t3")], ["title": .string("t3"), "stock": .null],
        ] {
            #expect(stores.both { try $0.update("Book", nil, values) }.value == 4)
            try stores.expectSame("\(values)")
            #expect(stores.both { try $0.update("Book", "isbn == 'i1'", values) }.value == 1)
            try stores.expectSame("\(values)")
        }
        #expect(stores.both { try update("Book", nil, ["stock": 7], $0) }.value?.count == 4)
        try stores.expectSame()
    }

    @Test func `values that a save would reject are rejected`() throws {
        let stores = try stores()
        for (name, value) in [
            ("title", AttributeValue.null), ("year", .string("x")), ("year", .int(1 << 40)), ("scratch", .string("x")),
        ] {
            let outcome = stores.both(comparesMessages: true) { try $0.update("Book", "year > 100", [name: value]) }
            #expect(outcome.value == nil)
        }
        for format in ["year == 1", "year == 2 OR year == 3"] {
            let outcome = stores.both(comparesMessages: true) {
                try $0.update("Book", format, ["isbn": .string("i4"), "title": .string("x")])
            }
            #expect(outcome.code == NSManagedObjectConstraintMergeError)
        }
        #expect(stores.both { try $0.update("Book", "year == 4", ["isbn": .string("i4")]) }.value == 1)
        #expect(stores.both { try $0.update("Book", nil, ["isbn": .null]) }.value == 4)
        try stores.expectSame()
        let error = coreDataError { try stores.server.update("Book", nil, ["title": .string("a\0")]) }
        #expect(error?.key == "title" && error?.entity == "Book")
    }

    @Test func `rows compute values for themselves, also where the server has no exact form`() throws {
        let stores = try stores()
        for (property, format) in [
            ("year", "year + 1"), ("title", "isbn"), ("stock", "year * 2.5"), ("stock", "year ** 3"),
            ("year", "stock / 2"),
            ("title", "uppercase(title)"), ("stock", "author.books.@count"), ("year", "author.books.@max.year"),
            ("stock", "length(title)"), ("stock", "author.books.@sum.year"), ("title", "author.name"),
            ("stock", "year * 4000000000 * 4000000000"), ("year", "year * 4000000000"), ("year", "1 / (year - year)"),
            ("stock", "sqrt(year * 1.0)"), ("year", "title"), ("title", "year"), ("isbn", "title"),
        ] {
            let outcome = stores.both(comparesMessages: true, "\(property) = \(format)") {
                try update("Book", nil, [property: expression(format)], $0)
            }
            try stores.expectSame("\(property) = \(format): \(outcome)")
        }
        // Several at once are computed from the values before.
        stores.both {
            try update(
                "Book", "year > 0", ["year": expression("stock"), "stock": expression("year"), "title": "s"], $0)
        }
        try stores.expectSame()
    }

    @Test func `rows take over unique values from each other`() throws {
        func model() -> NSManagedObjectModel {
            let item = Build.entity(
                "Item",
                [
                    Build.attribute("title"), Build.attribute("number", .integer64AttributeType),
                    Build.attribute("other", .integer64AttributeType),
                ])
            item.uniquenessConstraints = [["number"]]
            return Build.model(item)
        }
        let stores = try BatchStores(model()) { context in
            // The order of the objects in a save is not that of their numbers.
            for number in [3, 1, 2, 5, 4] {
                try context.make("Item", ["title": "\(number)", "number": number, "other": 6 - number])
                try context.save()
            }
        }
        for format in ["number + 10", "number - 1", "number + 1", "other", "0 - number", "number / 2", "other * 0"] {
            let outcome = stores.both(comparesMessages: true, format) {
                try update("Item", nil, ["number": expression(format)], $0)
            }
            try stores.expectSame("\(format): \(outcome)")
        }
        stores.both { try update("Item", "number > 2", ["number": expression("number - 2")], $0) }
        try stores.expectSame()
        // Only what is left in the end counts.
        for format in ["number + 1", "number - 1", "0 - number"] {
            #expect(
                stores.both { try update("Item", nil, ["number": expression(format), "other": 1], $0) }.value?.count
                    == 5)
        }
        try stores.expectSame()
    }

    @Test func `computed values that were taken after the transaction had begun are a conflict`() throws {
        let stores = try stores()
        let store = try stores.store
        let book = try #require(store.model.entity(named: "Book"))
        guard case .attribute(let isbn)? = book.slot(named: "isbn") else { return }
        var request = FetchSpecification(entity: book.number)
        request.predicate = try parsePredicate("year == 1", arguments: [])
        func error(_ format: String, taking taken: String) throws -> CoreDataError? {
            var batch = BatchUpdate(request, values: [])
            batch.computed = [(isbn, try parseExpression(format))]
            let session = try store.beginSession()
            defer { session.end() }
            #expect(try session.count(request) == 1)
            let other = GraphLibrary.context(try #require(stores.server.persistentStoreCoordinator))
            try other.make("Book", ["title": "new", "isbn": taken])
            try other.save()
            let transaction = try store.beginTransaction(from: session, nil)
            defer { transaction.end() }
            return coreDataError { _ = try transaction.update(batch) }
        }
        #expect(try error("TERNARY(year == 1, 'x', isbn)", taking: "x")?.condition == .conflict)
        #expect(try error("isbn", taking: "y") == nil)
        let visible = try error("TERNARY(year == 1, 'i2', isbn)", taking: "z")
        #expect(visible?.errorCode == NSManagedObjectConstraintMergeError && visible?.key == "isbn")
    }

    @Test func `derived attributes follow, and external data are replaced`() throws {
        func model() -> NSManagedObjectModel {
            let owner = Build.entity("Owner", [Build.derived("total", .integer64AttributeType, "parts.@sum.size")])
            let part = Build.entity(
                "Part",
                [
                    Build.attribute("size", .integer64AttributeType),
                    Build.attribute("scan", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
                ])
            let (parts, up) = (Build.toMany("parts", part), Build.toOne("owner", owner))
            Build.connect(parts, up)
            owner.properties.append(parts)
            part.properties.append(up)
            return Build.model(owner, part)
        }
        let stores = try BatchStores(model()) { context in
            let owner = try context.make("Owner")
            for size in 1...3 { try context.make("Part", ["size": size, "owner": owner]) }
        }
        #expect(stores.both { try $0.update("Part", "size > 1", ["size": .int(10)]) }.value == 2)
        try stores.expectSame()
        for count in [10, 200_000] {
            let content = AttributeValue.data(Data(repeating: UInt8(count & 255), count: count))
            #expect(stores.both { try $0.update("Part", "size == 10", ["scan": content]) }.value == 2)
            try stores.expectSame()
        }
        #expect(stores.both { try $0.deleteAll("Part", "size < 10") }.value == 1)
        try stores.expectSame()
        #expect(stores.both { try $0.deleteAll("Part") }.value == 2)
        try stores.expectSame()
    }

    @Test(arguments: [
        (Double.infinity, NSValidationDateTooLateError), (1e15, NSValidationDateTooLateError),
        (-1e12, NSValidationDateTooSoonError),
    ])
    func `a computed date that the column cannot have is rejected by name`(seconds: Double, code: Int) throws {
        let event = Build.entity(
            "Event",
            [
                Build.attribute("title"), Build.attribute("published", .dateAttributeType),
                Build.attribute("exact", .dateAttributeType) { $0.serverTraits = .exactDate },
            ])
        let context = GraphLibrary.context(try PostgresStores.coordinator(of: Build.model(event)))
        let near = Date(timeIntervalSinceReferenceDate: 5)
        try context.make("Event", ["title": "near", "exact": near])
        try context.make("Event", ["title": "far", "exact": Date(timeIntervalSinceReferenceDate: seconds)])
        try context.save()
        context.reset()
        let values = ["published": expression("exact")]
        let error = try #require(coreDataError { _ = try update("Event", nil, values, context) })
        #expect(error.errorCode == code)
        #expect(error.entity == "Event" && error.key == "published")
        #expect(error.message.contains("The value that an update computes for the row "), "\(error.message)")
        #expect(error.message.contains("is out of the range of a server"), "\(error.message)")
        #expect(try context.all("Event").map { $0.value(forKey: "published") as? Date } == [nil, nil])
        // Dates in the range are computed.
        #expect(try update("Event", "title == 'near'", values, context) == ["Event near"])
        let changed = try context.all("Event", "published != nil")
        #expect(changed.map { $0.value(forKey: "published") as? Date } == [near])
    }

    @Test func `a condition that must not be evaluated in memory is an error`() throws {
        var options = try PostgresStores.options()
        options.refusesEvaluationInMemory = true
        let context = GraphLibrary.context(try PostgresStores.coordinator(of: GraphLibrary.model(), at: options))
        try context.make("Book", ["title": "t"])
        try context.save()
        for body in [
            { try context.update("Book", "title MATCHES 't'", ["stock": .int(1)]) },
            { try context.deleteAll("Book", "title MATCHES 't'") },
        ] {
            #expect(coreDataError { _ = try body() }?.condition == .unsupported)
        }
        #expect(try context.update("Book", "title == 't'", ["stock": .int(1)]) == 1)
    }
}
#endif
