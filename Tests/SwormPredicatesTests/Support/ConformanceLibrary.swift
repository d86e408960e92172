import Foundation
import SwormPredicates
import TestSupport

/// The library of the conformance file as objects in memory.
struct ConformanceLibrary {
    struct Malformed: Error { let what: String }

    private(set) var objects: [String: TestSubject] = [:]
    private let file: PredicateCases

    init(_ file: PredicateCases) throws {
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

    func argument(_ argument: PredicateCases.Argument) throws -> PredicateArgument {
        switch (argument.type, argument.value) {
        case ("array", .array): return .list(try argument.elements().map { try self.argument($0) })
        case ("object", .string(let id)):
            guard let reference = objects[id]?.reference else { throw Malformed(what: id) }
            return .value(.object(reference))
        default: return .value(try Self.value(argument.value, type: argument.type))
        }
    }
}
