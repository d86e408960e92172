import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import TestSupport
import Testing

@Suite(
    "The conformance set in SQL",
    .enabled(if: PredicateCases.exist, Comment(rawValue: PredicateCases.missing)))
struct PredicateConformanceTests {
    private let connection: Connection
    private let model = CompiledModel.library

    init() throws {
        connection = try QueryRunner.connection(for: .library)
        for (entity, rows) in try PredicateCases.load().data {
            for row in rows { try insert(row, entity: entity) }
        }
    }

    private func key(_ id: String) throws -> Int64 { try #require(Int64(id.dropFirst())) }

    private func insert(_ row: [String: JSONValue], entity list: String) throws {
        let layout = StoreLayout(model: model)
        let id = try #require(row["id"]?.string)
        let entity = try #require(model.entity(named: row["entity"]?.string ?? list))
        var columns = ["Z_PK", "Z_ENT", "Z_OPT"]
        var bindings: [SQLBinding] = [.int64(try key(id)), .int64(Int64(entity.number)), .int64(1)]
        for (property, content) in row {
            switch (entity.slot(named: property), content) {
            case (.attribute(let slot), let value):
                columns.append(try #require(layout.column(ofAttribute: slot, in: entity.number)))
                bindings.append(try #require(SQLBinding(attribute(value, type: entity.attributes[slot].type))))
            case (.relationship(let slot), .string(let target)):
                columns.append(try #require(layout.toOne(slot, in: entity.number)).column)
                bindings.append(.int64(try key(target)))
            case (.relationship(let slot), .array):
                guard case .join(let join) = layout.toMany(slot, in: entity.number) else { continue }
                for target in content.strings {
                    try QueryRunner.run(
                        .init(
                            sql: "INSERT INTO \(join.table) (\(join.ownColumn), \(join.otherColumn)) VALUES (?, ?)",
                            bindings: [.int64(try key(id)), .int64(try key(target))]), on: connection)
                }
            default: continue
            }
        }
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let table = layout.table(of: entity)
        try QueryRunner.run(
            .init(
                sql: "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))", bindings: bindings),
            on: connection)
    }

    private func attribute(_ value: JSONValue, type: AttributeType) throws -> AttributeValue {
        switch (value, type) {
        case (.null, _), (.array, _), (.object, _): .null
        case (.bool(let value), _): .bool(value)
        case (.number(let value), .date): .date(Date(timeIntervalSinceReferenceDate: value))
        case (.number(let value), .integer32): .int(Int64(value))
        case (.number(let value), _): .double(value)
        case (.string(let value), .uuid): .uuid(try #require(UUID(uuidString: value)))
        case (.string(let value), _): .string(value)
        }
    }

    private func fetch(_ request: FetchSpecification, entity: String) throws -> [String] {
        let statement = try LibraryQueries.compiler.identities(request)
        let rows = try QueryRunner.rows(statement, on: connection)
        let letter = String(try #require(entity.first)).lowercased()
        return rows.map { letter + ($0[1] ?? "") }
    }

    @Test func `every predicate finds the rows that it should`() throws {
        let set = try PredicateCases.load()
        #expect(set.cases.count > 100)
        for item in set.cases {
            do {
                let request = try LibraryQueries.request(
                    item.entity, item.format, try (item.args ?? []).map { try ConformanceArguments.argument($0) })
                let found = try fetch(request, entity: item.entity)
                #expect(found == item.expect.sorted(), "\(item.id): \(item.format)")
            } catch {
                Issue.record("\(item.id): \(item.format): \(error)")
            }
        }
    }

    @Test func `every fetch has its order and its limits`() throws {
        for item in try PredicateCases.load().fetches {
            var request = try LibraryQueries.request(item.entity)
            request.sorts = item.sort.map {
                .init(path: $0.key.split(separator: ".").map(String.init), ascending: $0.ascending)
            }
            request.limit = item.limit ?? 0
            request.offset = item.offset ?? 0
            request.includesSubentities = item.includesSubentities ?? true
            #expect(try fetch(request, entity: item.entity) == item.expect, "\(item.id)")
            let count = try QueryRunner.rows(try LibraryQueries.compiler.count(request), on: connection)
            #expect(count == [[String(item.expect.count)]], "\(item.id)")
        }
    }

    @Test func `predicates that Core Data rejects are rejected`() throws {
        for item in try PredicateCases.load().compileErrors {
            _ = try LibraryQueries.issue(item.format, of: try #require(item.entity))
        }
    }

    @Test func `large lists find the same rows as small lists`() throws {
        func found(_ format: String, _ values: [AttributeValue]) throws -> [String] {
            let list = PredicateArgument.list(values.map { .value($0) })
            return try fetch(try LibraryQueries.request("Book", format, [list]), entity: "Book")
        }
        let noise = (0..<300).map { AttributeValue.int(Int64($0)) }
        #expect(try found("year IN %@", noise + [.int(2000), .int(1999)]) == ["b1", "b4"])
        #expect(
            try found("price IN %@", noise.map { _ in .double(0.25) } + [.double(20.5), .double(99.75)]) == [
                "b2", "b4",
            ])
        let words = (0..<300).map { AttributeValue.string("w\($0)\"\\\u{1}\n") }
        #expect(try found("title IN %@", words + [.string("Émigré"), .string("Beta*")]) == ["b3", "b4"])
        #expect(try found("title IN[cd] %@", words + [.string("emigre"), .string("a\0b")]) == ["b4"])
        let identifiers = (0..<300).map { _ in AttributeValue.uuid(UUID()) }
        let known = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect(try found("isbn IN %@", identifiers + [.uuid(known)]) == ["b1"])
        #expect(try found("NOT (isbn IN %@)", identifiers + [.uuid(known)]) == ["b3"])
    }

    @Test func `strings with quotes and control characters survive a round trip through JSON`() throws {
        let text = "a\"b\\c\u{1}\t\u{1F}é\u{1F600}"
        try QueryRunner.run(
            .init(sql: "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (99, 6, 1, ?)", bindings: [.text(text)]),
            on: connection)
        let words = (0..<300).map { PredicateArgument.value(.string("w\($0)")) } + [.value(.string(text))]
        #expect(try fetch(try LibraryQueries.request("Tag", "name IN %@", [.list(words)]), entity: "Tag") == ["t99"])
    }

    @Test func `a decimal that is stored as a string is compared as a number`() throws {
        try connection.execute("UPDATE ZBOOK SET ZCOST = '12345678901234567890.25m' WHERE Z_PK = 2")
        try connection.execute("UPDATE ZBOOK SET ZCOST = 7 WHERE Z_PK = 3")
        func found(_ format: String) throws -> [String] {
            try fetch(try LibraryQueries.request("Book", format), entity: "Book")
        }
        #expect(try found("cost < 100") == ["b3"])
        #expect(try found("cost > 100") == ["b2"])
        #expect(try found("cost / 2 == 3.5") == ["b3"])
        #expect(try found("cost == nil").count == 3)
    }

    @Test func `a pair of a reflexive relationship is found whichever way it is stored`() throws {
        try connection.execute("INSERT INTO Z_2SIMILAR VALUES (1, 2), (2, 1), (3, 4)")
        func found(_ format: String) throws -> [String] {
            try fetch(try LibraryQueries.request("Book", format), entity: "Book")
        }
        #expect(try found("similar.@count == 1") == ["b1", "b2", "b3", "b4"])
        #expect(try found("ANY similar.title == 'Alpha'") == ["b2"])
        let book = try #require(model.entity(named: "Book"))
        guard case .relationship(let slot) = book.slot(named: "similar") else { return }
        let members = try LibraryQueries.compiler.members(ofRelationship: slot, in: book.number, owners: [1, 4])
        #expect(try QueryRunner.rows(members, on: connection) == [["1", "2", "2", nil], ["4", "2", "3", nil]])
    }

    @Test func `members come in the order of their keys`() throws {
        try connection.execute(
            "INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, Z2NOTES, Z_FOK_2NOTES) VALUES (1,5,1,1,4096), (2,5,1,1,2048), (3,5,1,2,2048), (4,5,1,9,1)"
        )
        let book = try #require(model.entity(named: "Book"))
        guard case .relationship(let slot) = book.slot(named: "notes") else { return }
        let members = try LibraryQueries.compiler.members(ofRelationship: slot, in: book.number, owners: [2, 1])
        #expect(
            try QueryRunner.rows(members, on: connection) == [
                ["1", "5", "2", "2048"], ["1", "5", "1", "4096"], ["2", "5", "3", "2048"],
            ])
    }
}
