import SwormPredicates
import SwormStore

/// A few made-up objects of every entity, with links that satisfy the model's rules.
///
/// Equal models have equal objects. An object that cannot satisfy a rule is left out, with those that need it.
struct SampleRows {
    struct Row {
        var id: RowID
        var attributes: [AttributeValue]
        /// The indexes of the destinations, by relationship slot.
        var links: [[Int]]
    }

    let model: CompiledModel
    private(set) var rows: [Row] = []
    /// The reason why an entity has no objects, or fewer than were tried, by its number.
    private(set) var reasons: [Int: String] = [:]

    /// The number of objects of an entity, unless its rules need more. The last one has only what it must have.
    private static let usual = 3
    private static let most = 60

    init(_ model: CompiledModel) {
        self.model = model
        var counts = Dictionary(
            uniqueKeysWithValues: model.entities.filter { !$0.isAbstract }.map { ($0.number, Self.usual) })
        for _ in 0..<10 {
            build(counts)
            let wanted = lacking()
            guard !wanted.isEmpty else { break }
            for (number, count) in wanted { counts[number] = min((counts[number] ?? 0) + count, Self.most) }
        }
        prune()
    }

    /// The names of the entities that should have objects and have none, with the reasons.
    var missing: [(entity: String, reason: String)] {
        let present = Set(rows.map(\.id.entity))
        return model.entities.filter { !$0.isAbstract && !present.contains($0.number) }.map {
            ($0.name, reasons[$0.number] ?? "its rules contradict each other.")
        }
    }

    // MARK: Building

    private mutating func build(_ counts: [Int: Int]) {
        rows = []
        reasons = [:]
        var keys: [Int: Int64] = [:]
        for entity in model.entities {
            let values = SampleValues(entity, in: model)
            for index in 0..<(counts[entity.number] ?? 0) {
                let key = keys[entity.root, default: 0] + 1
                do {
                    let attributes = try values.values(number: Int(key), isBare: index == Self.usual - 1)
                    keys[entity.root] = key
                    rows.append(
                        Row(
                            id: RowID(entity: entity.number, key: key), attributes: attributes,
                            links: entity.relationships.map { _ in [] }))
                } catch {
                    note(error.asCoreData?.message ?? "\(error)", for: entity.number)
                    break
                }
            }
        }
        SampleLinks.link(&rows, in: model)
    }

    private mutating func note(_ reason: String, for entity: Int) {
        if reasons[entity] == nil { reasons[entity] = reason }
    }

    /// Returns how many more objects of which entities the required relationships need.
    private func lacking() -> [Int: Int] {
        var sizes: [Int: Int] = [:]
        for row in rows { sizes[row.id.entity, default: 0] += 1 }
        var wanted: [Int: Int] = [:]
        for entity in model.entities {
            for slot in entity.relationships.indices {
                let relationship = entity.relationships[slot]
                guard relationship.hasCountRules, !relationship.isTransient else { continue }
                let least = max(relationship.minCount, 1)
                let deficit = rows.filter { $0.id.entity == entity.number }.reduce(0) { sum, row in
                    let count = row.links[slot].count
                    let isValid = relationship.violation(count: count, entity: entity.name) == nil
                    return sum + (isValid ? 0 : max(least - count, 0))
                }
                let family = model[relationship.destination].family
                let candidates = family.filter { !model[$0].isAbstract }
                guard deficit > 0, let smallest = candidates.min(by: { sizes[$0] ?? 0 < sizes[$1] ?? 0 }) else {
                    continue
                }
                wanted[smallest] = max(wanted[smallest] ?? 0, deficit)
            }
        }
        return wanted.filter { sizes[$0.key] ?? 0 < Self.most }
    }

    // MARK: Removing

    /// Removes the objects that violate a rule, until none does.
    private mutating func prune() {
        while true {
            var removed = conflicting()
            for (index, row) in rows.enumerated() where !removed.contains(index) {
                let entity = model[row.id.entity]
                for (slot, relationship) in entity.relationships.enumerated() where !relationship.isTransient {
                    guard let error = relationship.violation(count: row.links[slot].count, entity: entity.name) else {
                        continue
                    }
                    note(error.message, for: entity.number)
                    removed.insert(index)
                }
            }
            guard !removed.isEmpty else { return }
            var indexes: [Int: Int] = [:]
            for index in rows.indices where !removed.contains(index) { indexes[index] = indexes.count }
            rows = rows.indices.filter { !removed.contains($0) }.map { index in
                var row = rows[index]
                row.links = row.links.map { $0.compactMap { indexes[$0] } }
                return row
            }
        }
    }

    /// Returns the indexes of the objects whose unique values an earlier one has.
    private mutating func conflicting() -> Set<Int> {
        var result: Set<Int> = []
        for entity in model.entities {
            for constraint in entity.uniquenessConstraints {
                var seen: Set<[AttributeValue]> = []
                // The column of an inherited attribute is unique in the whole table.
                for (index, row) in rows.enumerated() where model[row.id.entity].root == entity.root {
                    let values = constraint.compactMap { self.unique($0, of: row) }
                    guard values.count == constraint.count, !seen.insert(values).inserted else { continue }
                    let names = constraint.joined(separator: ", ")
                    note("too few values satisfy the uniqueness of \(names).", for: row.id.entity)
                    result.insert(index)
                }
            }
        }
        return result
    }

    /// Returns what a uniqueness constraint compares; nil for no value.
    private func unique(_ name: String, of row: Row) -> AttributeValue? {
        switch model[row.id.entity].slot(named: name) {
        case .attribute(let slot)?:
            let value = row.attributes[slot]
            return value == .null ? nil : value.uniqueKey
        case .relationship(let slot)?: return row.links[slot].first.map { .int(Int64($0)) }
        case nil: return nil
        }
    }
}
