import Foundation
import TestSupport

/// The output of `inspect --cloudkit --json` as one value for each path, such as `waiting.uploads`.
struct MirroringFacts: Equatable {
    private(set) var values: [String: String] = [:]

    init(_ values: [String: String]) { self.values = values }

    init(json text: String) throws {
        let json = try JSONDecoder().decode(TestSupport.JSONValue.self, from: Data(text.utf8))
        add(json, at: "")
        values["store"] = nil
        values = values.filter { !$0.key.hasPrefix("tables") }
    }

    private mutating func add(_ value: TestSupport.JSONValue, at path: String) {
        switch value {
        case .null: values[path] = "null"
        case .bool(let flag): values[path] = "\(flag)"
        case .number(let number): values[path] = "\(Int64(number))"
        case .string(let text): values[path] = text
        case .array(let items):
            if items.isEmpty { values[path] = "[]" }
            for (index, item) in items.enumerated() {
                var name = "\(index)"
                // Entities are known by their names.
                if case .object(let members) = item, members["number"] != nil { name = members["name"]?.string ?? name }
                add(item, at: path + "." + name)
            }
        case .object(let members):
            for (name, member) in members { add(member, at: path.isEmpty ? name : path + "." + name) }
        }
    }

    /// The facts with some of them replaced. Nil removes a fact and everything below it.
    func replacing(_ changes: [String: String?]) -> MirroringFacts {
        let ended = changes.filter { $0.value == nil || $0.value == "null" || $0.value == "[]" }.keys
        var result = values.filter { fact in
            !ended.contains { fact.key == $0 || fact.key.hasPrefix($0 + ".") }
        }
        for case (let path, let value?) in changes { result[path] = value }
        return MirroringFacts(result)
    }

    func differences(from expected: MirroringFacts) -> [String] {
        Set(values.keys).union(expected.values.keys).sorted().filter { values[$0] != expected.values[$0] }.map {
            "\($0) is \(values[$0] ?? "missing"), not \(expected.values[$0] ?? "missing")"
        }
    }
}

extension MirroringFacts {
    /// The numbers of rows in the library, by entity.
    private static let rows: KeyValuePairs = [
        "Author": 3, "Book": 3, "Comic": 1, "Poster": 2, "Profile": 1, "Shelf": 1, "Tag": 2,
    ]
    private static let numbers = [
        "Author": 1, "Book": 2, "Comic": 3, "Poster": 5, "Profile": 6, "Shelf": 7, "Tag": 8,
    ]

    /// The facts of a store all of whose objects were exported.
    static func exported(_ generation: MirroringSQL.Generation) -> MirroringFacts {
        var values = [
            "mirrored": "true", "form": generation.rawValue, "hasAccount": "true", "nothingWaitsHere": "true",
            "fetchesZonesAgain": "false", "rowsWithoutRecord": "0", "recordsWithoutRow": "0", "strayRecords": "0",
            "finished.records": "0", "finished.relationships": "0", "history.exported": "transactions",
            "history.lastExportedTransaction": "1", "history.isContinuous": "true", "history.unsent": "[]",
            "events": "[]",
        ]
        for name in ["total", "uploads", "deletions", "relationships", "shares", "movedRecords"] {
            values["waiting." + name] = "0"
        }
        for (name, count) in rows {
            let path = "entities.\(name)."
            values[path + "name"] = name
            values[path + "number"] = "\(numbers[name] ?? 0)"
            for fact in ["rows", "records"] { values[path + fact] = "\(count)" }
            for fact in ["uploads", "deletions", "rowsWithoutRecord", "recordsWithoutRow"] { values[path + fact] = "0" }
        }
        return MirroringFacts(values.merging(zone(0, "com.apple.coredata.cloudkit.zone", records: 13)) { $1 })
    }

    static func zone(_ index: Int, _ name: String, records: Int) -> [String: String] {
        let facts = [
            "name": name, "isOwnedByThisAccount": "true", "database": "private", "records": "\(records)",
            "lastFetch": "2026-05-09T06:13:20.000Z", "hasChangeToken": "true", "needs": "[]",
        ]
        return Dictionary(uniqueKeysWithValues: facts.map { ("zones.\(index).\($0)", $1) })
    }

    /// The changes of facts for a store without any record, whose rows are all to be exported.
    static var nothingExported: [String: String?] {
        var changes: [String: String?] = [
            "nothingWaitsHere": "false", "rowsWithoutRecord": "13", "history.exported": "nothing",
            "history.lastExportedTransaction": "null", "history.isContinuous": "null", "history.unsent": nil,
        ]
        for (path, value) in unsent(0, author: "tests", transactions: 1, changes: 13) { changes[path] = value }
        for (name, count) in rows {
            changes["entities.\(name).records"] = "0"
            changes["entities.\(name).rowsWithoutRecord"] = "\(count)"
        }
        return changes
    }

    static func unsent(_ index: Int, author: String, transactions: Int, changes: Int) -> [String: String] {
        let path = "history.unsent.\(index)."
        return [path + "author": author, path + "transactions": "\(transactions)", path + "changes": "\(changes)"]
    }
}
