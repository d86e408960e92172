#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

extension ServerSetting {
    // MARK: Members

    /// The to-many relationships of all entities, each at the entity that declares it.
    var toManyRelationships: [(entity: CompiledEntity, slot: Int)] {
        model.entities.flatMap { entity in
            model.ownRelationships(of: entity).filter { entity.relationships[$0].isToMany }.map { (entity, $0) }
        }
    }

    private func allKeys(_ entity: Int, in store: any ObjectStore) throws -> [Int64] {
        try stores.read(store) { try $0.identities(FetchSpecification(entity: entity)).map(\.key) }
    }

    /// Returns the owners and the keys of the members that a question finds, by a level of a tree: all at once, and in
    /// portions.
    func members(
        of entity: CompiledEntity, _ slot: Int, _ question: Question
    ) throws -> (all: [[StoredValue]], portions: [[StoredValue]]) {
        struct Row: Sendable {
            var key: Int64 = 0
            var owner: Int64 = 0
        }
        let plan = RowPlan<Row>(
            ops: [
                RowOp(column: 0, kind: .int64, offset: MemoryLayout<Row>.offset(of: \.key) ?? -1),
                RowOp(column: 1, kind: .int64, offset: MemoryLayout<Row>.offset(of: \.owner) ?? -1),
            ], template: Row())
        func values(_ memory: RowMemory) -> [[StoredValue]] {
            (0..<memory.count).map { index in
                let row = memory[index].assumingMemoryBound(to: Row.self).pointee
                return [.integer(row.owner), .integer(row.key)]
            }
        }
        let owners = try allKeys(entity.number, in: stores.server).sorted()
        let level = TreeLevel(
            try resolved(request(question), in: stores.server),
            source: .members(of: entity.number, relationship: slot, owners: owners, anyOrder: false), columns: [])
        return try stores.onServer { session in
            let all = try values(session.rows(of: level, layout: plan.layout))
            var portions: [[StoredValue]] = []
            try session.forEach(of: level, layout: plan.layout, size: 4) { portions += values($0) }
            return (all, portions)
        }
    }

    /// Returns the same members from a file, or nil for an invalid question.
    func expectedMembers(of entity: CompiledEntity, _ slot: Int, _ question: Question) throws -> [[StoredValue]]? {
        var unlimited = question
        (unlimited.limit, unlimited.offset) = (0, 0)
        guard let found = try? keys(unlimited, in: stores.file) else { return nil }
        let places = Dictionary(uniqueKeysWithValues: found.enumerated().map { ($1, $0) })
        let owners = try allKeys(entity.number, in: stores.file).sorted()
        let members = try stores.read(stores.file) {
            try $0.members(ofRelationship: slot, entity: entity.number, owners: owners)
        }
        return owners.flatMap { owner -> [[StoredValue]] in
            var own = members.filter { $0.owner == owner && places[$0.destination.key] != nil }.map(\.destination.key)
            if !question.sorts.isEmpty { own.sort { places[$0, default: 0] < places[$1, default: 0] } }
            let part = own.dropFirst(question.offset).prefix(question.limit > 0 ? question.limit : .max)
            return part.map { [.integer(owner), .integer($0)] }
        }
    }

    // MARK: Changes

    private static let remark = "a remark"

    /// Returns what statements change: the number of rows and of differences, the keys of changed rows with and without
    /// those that are equal, and the keys that remain after a deletion. The changes are undone.
    func changes(_ question: Question) throws -> [[Int64]] {
        let request = try resolved(request(question), in: stores.server)
        let entity = model[request.entity]
        guard case .attribute(let slot)? = entity.slot(named: RandomModel.unrelated),
            let name = compiler.layout.column(ofAttribute: slot, in: entity.number)
        else { throw QueryError(.unknownKey, RandomModel.unrelated) }
        let column = SQLName.alwaysQuoted(name)
        let assignments = [ColumnAssignment(column: column, value: .text(Self.remark))]
        let table = compiler.table(of: entity.number)
        func integers(_ statement: CompiledStatement) throws -> [Int64] {
            try connection.rows(statement.sql, statement.bindings).flatMap { $0.compactMap { $0 } }
        }
        func undoing(_ body: () throws -> [Int64]) throws -> [Int64] {
            try connection.execute("BEGIN")
            defer { try? connection.execute("ROLLBACK") }
            return try body()
        }
        let changed = CompiledStatement(
            sql:
                "SELECT \"_key\" FROM \(table) WHERE \"_version\" > 1 AND \(column) = '\(Self.remark)' ORDER BY \"_key\""
        )
        let counts = try integers(compiler.countDifferences(request, from: assignments))
        let all = try undoing {
            _ = try integers(compiler.update(request, set: assignments))
            return try integers(changed)
        }
        let different = try undoing {
            _ = try integers(compiler.update(request, set: assignments, leavingEqual: true))
            return try integers(changed)
        }
        let rest = try undoing {
            _ = try integers(compiler.delete(request))
            return try integers(CompiledStatement(sql: "SELECT \"_key\" FROM \(table) ORDER BY \"_key\""))
        }
        return [counts, all, different, rest]
    }

    /// Returns the same by the keys of the rows that a file finds.
    func expectedChanges(_ question: Question, found: [Int64]) throws -> [[Int64]] {
        let entity = try request(question).entity
        let tree = ProjectionTree([.evaluatedObject, .path([RandomModel.unrelated])])
        let rows = try stores.read(stores.file) {
            try $0.storedRows(ProjectionSpecification(fetch: FetchSpecification(entity: entity), tree: tree)).rows
        }
        let equal = Set(
            rows.compactMap { row -> Int64? in
                guard case .integer(let key) = row[0], row[2] == .text(Self.remark) else { return nil }
                return key
            })
        let different = found.filter { !equal.contains($0) }
        let all = try allKeys(model[entity].root, in: stores.file)
        return [
            [Int64(found.count), Int64(different.count)], found.sorted(), different.sorted(),
            all.filter { !found.contains($0) }.sorted(),
        ]
    }

    // MARK: Computed values

    struct Computation {
        var entity: CompiledEntity
        var attribute: CompiledAttribute
        var expression: ExpressionTree
    }

    /// Returns a random expression for an attribute of its kind.
    func computation() -> Computation? {
        let number = random.pick(world.model.entities.count)
        guard let entity = model.entity(named: world.model.entities[number].name),
            let slot = random.pick(Array(entity.attributes.indices)), entity.attributes[slot].type != .decimal
        else { return nil }
        var generator = RandomPredicate(
            world.model, entity: number, objectCount: world.objects.count, seed: random.next())
        let attribute = entity.attributes[slot]
        let kind: RandomPredicate.Kind =
            switch attribute.type {
            case .string: .text
            case .date: .date
            case .uuid: .uuid
            case .binaryData: .data
            case .uri: .url
            default: .number
            }
        return Computation(
            entity: entity, attribute: attribute, expression: generator.value(kind, random.pick(3)))
    }

    /// Returns the keys and the values that rows of a server compute.
    func computed(_ computation: Computation) throws -> [[StoredValue]] {
        let projection = ProjectionSpecification(
            fetch: FetchSpecification(entity: computation.entity.number),
            tree: ProjectionTree([computation.expression]))
        let value = ComputedValue(
            attribute: computation.attribute,
            expression: try resolved(projection, in: stores.server).tree.columns[0])
        let keys = try allKeys(computation.entity.number, in: stores.server)
        let statement = try compiler.computed(value, of: computation.entity.number, among: keys)
        let ordered = CompiledStatement(sql: "\(statement.sql) ORDER BY k", bindings: statement.bindings)
        return try connection.values(ordered)
    }

    /// Returns the same by the values that a file computes, in the form of the attribute; nil if one of them does not
    /// fit.
    func expected(_ computation: Computation) throws -> [[StoredValue]]? {
        let projection = ProjectionSpecification(
            fetch: FetchSpecification(entity: computation.entity.number),
            tree: ProjectionTree([.evaluatedObject, computation.expression]))
        let request = try resolved(projection, in: stores.file)
        guard let rows = try? stores.read(stores.file, { try $0.storedRows(request).rows }) else { return nil }
        var result: [(key: Int64, value: StoredValue)] = []
        for row in rows {
            guard case .integer(let key) = row[0] else { return nil }
            switch (computation.attribute.type, row[2]) {
            case (_, .null): result.append((key, .null))
            case (.integer16, .real(let number)), (.integer32, .real(let number)), (.integer64, .real(let number)):
                guard abs(number) < 9e18 else { return nil }
                result.append((key, .integer(Int64(number))))
            case (.boolean, let value): result.append((key, .integer(Self.number(value) == 0 ? 0 : 1)))
            case (.float, let value):
                guard let number = Self.number(value) else { return nil }
                result.append((key, .real(Double(Float(number)))))
            case (.date, let value):
                guard let number = Self.number(value), let rounded = Microseconds.rounded(number) else { return nil }
                result.append((key, .real(rounded)))
            case (_, let value): result.append((key, value))
            }
        }
        return result.sorted { $0.key < $1.key }.map { [.integer($0.key), $0.value] }
    }
}
#endif
