import SwormPredicates
import SwormStore

/// The labels of the objects of a store, by the rule that all commands share.
final class Labels {
    /// The greatest number of characters of a value in a label.
    private static let longest = 60
    /// The number of objects of one request.
    private static let batch = 500

    private let store: StoreReader
    private let rule: LabelRule
    /// The slots of the attributes that name the objects, by the number of the entity.
    private var slots: [Int: [Int]] = [:]

    init(_ store: StoreReader, rule: LabelRule) {
        self.store = store
        self.rule = rule
    }

    /// Returns the names of the attributes that name the objects of exactly one entity.
    func attributes(of entity: CompiledEntity) throws -> [String] {
        try slots(of: entity).map { entity.attributes[$0].name }
    }

    /// Returns the labels of objects. Objects that do not exist, and those without a value of the attributes that name them,
    /// have none.
    ///
    /// - Parameter rows: The objects, with the numbers of their own entities.
    func labels(of rows: some Collection<RowID>) throws -> [RowID: String] {
        var labels: [RowID: String] = [:]
        var keys: [Int: Set<Int64>] = [:]
        // A damaged row can have a number that the model does not have.
        for row in rows where store.model.entity(numbered: Int64(row.entity)) != nil {
            keys[row.entity, default: []].insert(row.key)
        }
        for (number, keys) in keys.sorted(by: { $0.key < $1.key }) {
            let sorted = keys.sorted()
            for start in stride(from: 0, to: sorted.count, by: Self.batch) {
                let part = sorted[start..<min(start + Self.batch, sorted.count)]
                try read(part, of: store.model[number], into: &labels)
            }
        }
        return labels
    }

    private func slots(of entity: CompiledEntity) throws -> [Int] {
        if let known = slots[entity.number] { return known }
        let found = try rule.attributes(of: entity)
        slots[entity.number] = found
        return found
    }

    private func read(
        _ keys: ArraySlice<Int64>, of entity: CompiledEntity, into labels: inout [RowID: String]
    ) throws {
        let names = try attributes(of: entity)
        guard !names.isEmpty else { return }
        var fetch = FetchSpecification(entity: entity.number)
        fetch.includesSubentities = false
        fetch.predicate = store.predicate(matching: keys.map { RowID(entity: entity.number, key: $0) })
        let reading = try ValueReading(names, of: entity, matching: fetch, in: store)
        while try reading.cursor.next() {
            let parts = try names.indices.compactMap { index -> String? in
                guard !reading.isNull(index) else { return nil }
                let text = TextTable.oneLine(try reading.text(index))
                return text.count > Self.longest ? text.prefix(Self.longest - 1) + "…" : text
            }
            let label = parts.joined(separator: " ")
            if !label.isEmpty { labels[RowID(entity: entity.number, key: reading.key)] = label }
        }
    }
}
