import Foundation
import SwormPredicates

/// The conformance cases: predicates with the rows that they select from a small library.
struct ConformanceFile: Decodable {
    struct Case: Decodable {
        let id: String
        let entity: String
        let format: String
        let args: [Argument]?
        let variables: [String: Argument]?
        let expect: [String]
        let expectInMemory: [String]?
        let scope: String?
    }

    struct Refused: Decodable {
        let format: String
    }

    struct Argument: Decodable {
        let type: String
        let value: JSONValue
    }

    let cases: [Case]
    let variableCases: [Case]
    let parseErrors: [Refused]
    let data: [String: [[String: JSONValue]]]
    let model: Model

    struct Model: Decodable {
        struct Entity: Decodable {
            let attributes: [String: String]?
            let toOne: [String: [String]]?
            let toMany: [String: [String]]?
            let manyToMany: [String: [String]]?
        }

        let entities: [String: Entity]
    }

    /// The file, or nil where it does not exist.
    static func load() throws -> ConformanceFile? {
        guard let url = location else { return nil }
        return try JSONDecoder().decode(ConformanceFile.self, from: Data(contentsOf: url))
    }

    static var isThere: Bool { location != nil }

    private static var location: URL? {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        url = url.deletingLastPathComponent().appendingPathComponent("shared/predicate-cases.json")
        if let path = ProcessInfo.processInfo.environment["SWORM_PREDICATE_CASES"] { url = URL(fileURLWithPath: path) }
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }
}

enum JSONValue: Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    var string: String? {
        if case .string(let value) = self { return value }
        return nil
    }

    var strings: [String] {
        if case .array(let items) = self { return items.compactMap(\.string) }
        return []
    }
}

/// The library of the conformance file as objects in memory.
struct ConformanceLibrary {
    struct Malformed: Error { let what: String }

    private(set) var objects: [String: TestSubject] = [:]
    private let file: ConformanceFile

    init(_ file: ConformanceFile) throws {
        self.file = file
        for (table, rows) in file.data.sorted(by: { $0.key < $1.key }) {
            for (index, row) in rows.enumerated() {
                guard let id = row["id"]?.string else { throw Malformed(what: "a row of \(table) without an id") }
                let entity = row["entity"]?.string ?? table
                objects[id] = TestSubject(id: id, entity: entity, key: Int64(index + 1))
            }
        }
        for (table, rows) in file.data { for row in rows { try fill(row, table) } }
    }

    /// The objects of an entity and those below it, by id.
    func members(of entity: String) -> [TestSubject] {
        let ids = Set((file.data[entity] ?? []).compactMap { $0["id"]?.string })
        return objects.values.filter { ids.contains($0.id) }.sorted { $0.id < $1.id }
    }

    private func fill(_ row: [String: JSONValue], _ table: String) throws {
        guard let id = row["id"]?.string, let subject = objects[id], let entity = file.model.entities[table] else {
            throw Malformed(what: table)
        }
        for (key, type) in entity.attributes ?? [:] {
            subject.values[key] = .value(try Self.value(row[key] ?? .null, type: type))
        }
        for key in (entity.toOne ?? [:]).keys {
            subject.values[key] = row[key]?.string.flatMap { objects[$0] }.map(EvaluationValue.object) ?? .null
        }
        for (key, description) in entity.toMany ?? [:] {
            let pointing = (file.data[description[0]] ?? []).filter { $0[description[1]]?.string == id }
            subject.values[key] = .objects(pointing.compactMap { $0["id"]?.string.flatMap { objects[$0] } })
        }
        for (key, description) in entity.manyToMany ?? [:] {
            var ids = row[key]?.strings ?? []
            if row[key] == nil {
                let pointing = (file.data[description[0]] ?? []).filter {
                    $0[description[1]]?.strings.contains(id) == true
                }
                ids = pointing.compactMap { $0["id"]?.string }
            }
            subject.values[key] = .objects(ids.compactMap { objects[$0] })
        }
    }

    private static func value(_ json: JSONValue, type: String) throws -> AttributeValue {
        let type = type.replacingOccurrences(of: "?", with: "")
        switch (type, json) {
        case (_, .null): return .null
        case ("bool", .bool(let value)), ("boolean", .bool(let value)): return .bool(value)
        case ("string", .string(let value)), ("keypath", .string(let value)): return .string(value)
        case ("double", .number(let value)): return .double(value)
        case ("int", .number(let value)), ("integer32", .number(let value)): return .int(Int64(value))
        case ("date", .number(let value)): return .date(Date(timeIntervalSinceReferenceDate: value))
        case ("uuid", .string(let value)):
            guard let uuid = UUID(uuidString: value) else { throw Malformed(what: value) }
            return .uuid(uuid)
        default: throw Malformed(what: "\(type): \(json)")
        }
    }

    func argument(_ argument: ConformanceFile.Argument) throws -> PredicateArgument {
        try self.argument(argument.type, argument.value)
    }

    private func argument(_ type: String, _ json: JSONValue) throws -> PredicateArgument {
        switch (type, json) {
        case ("array", .array(let items)):
            return .list(
                try items.map { item in
                    guard case .object(let fields) = item, let type = fields["type"]?.string else {
                        throw Malformed(what: "\(item)")
                    }
                    return try argument(type, fields["value"] ?? .null)
                })
        case ("object", .string(let id)):
            guard let reference = objects[id]?.reference else { throw Malformed(what: id) }
            return .value(.object(reference))
        default: return .value(try Self.value(json, type: type))
        }
    }
}
