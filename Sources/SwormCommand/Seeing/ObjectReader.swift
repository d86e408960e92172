import SwormPredicates
import SwormRows
import SwormStore

/// A reader of everything that a store knows about single objects.
final class ObjectReader {
    /// The number of objects of a relationship that are read unless more are requested.
    static let usualLinks = 8
    /// The number of changes that are read.
    private static let changes = 10

    let store: StoreReader
    let labels: Labels
    let hidden: HiddenAttributes
    private let strays: StrayMembers

    init(_ store: StoreReader, labels: Labels, hidden: HiddenAttributes) {
        self.store = store
        self.labels = labels
        self.hidden = hidden
        strays = StrayMembers(store)
    }

    /// Returns an object with the number of its own entity.
    ///
    /// - Throws: ``ToolError`` if the model has no such entity, or the store no such object.
    func find(_ name: ObjectName) throws -> RowID {
        let entity = try store.entity(name.entity)
        var fetch = FetchSpecification(entity: entity.number)
        fetch.predicate = store.predicate(matching: [RowID(entity: entity.number, key: name.key)])
        if let row = try store.session.identities(fetch).first { return row }
        let ends = try [true, false].compactMap { try end(of: entity, ascending: $0) }
        let hint: String? =
            switch ends.count {
            case 0: "the store has no objects of \(entity.name)"
            default: "the keys of \(entity.name) are from \(ends[0]) to \(ends[ends.count - 1]), with gaps"
            }
        throw ToolError(.noObject, "the store has no object \(entity.name)/\(name.key)", hint: hint)
    }

    private func end(of entity: CompiledEntity, ascending: Bool) throws -> Int64? {
        var fetch = FetchSpecification(entity: entity.number)
        fetch.sorts = [.init(path: ["self"], ascending: ascending)]
        fetch.limit = 1
        return try store.session.identities(fetch).first?.key
    }

    /// Returns the content of an object.
    ///
    /// - Parameters:
    ///   - row: The object, with the number of its own entity.
    ///   - limit: The number of objects of each relationship to read; nil for all.
    func facts(of row: RowID, links limit: Int? = usualLinks) throws -> ObjectFacts {
        let entity = store.model[row.entity]
        var facts = ObjectFacts(
            name: ObjectName(entity: entity.name, key: row.key), version: try version(of: row), attributes: [],
            targets: [], sources: [], changes: nil)
        let links = try ObjectLinks(of: row, in: store, limit: limit, strays: strays)
        let attributes = entity.attributes.filter { !$0.isTransient && $0.type != .undefined }
        var fetch = FetchSpecification(entity: row.entity)
        fetch.predicate = store.predicate(matching: [row])
        let values = try ValueReading(attributes.map(\.name), of: entity, matching: fetch, in: store)
        guard try values.cursor.next() else { return facts }
        for (index, attribute) in attributes.enumerated() {
            if values.isNull(index) {
                facts.attributes.append(.init(name: attribute.name, text: nil, json: .null))
            } else if hidden.contains(attribute, of: entity, in: store.model) {
                let json = JSONValue.object([("hidden", .bool(true))])
                facts.attributes.append(.init(name: attribute.name, text: nil, json: json, isHidden: true))
            } else {
                facts.attributes.append(
                    .init(name: attribute.name, text: try values.text(index), json: try values.json(index)))
            }
        }
        let names = try labels.labels(of: [row] + links.rows)
        facts.label = names[row]
        facts.targets = links.targets(labels: names)
        facts.sources = links.sources(labels: names)
        facts.changes = try history(of: row)
        return facts
    }

    private func version(of row: RowID) throws -> Int64 {
        let shape = RowShape(model: store.model, entity: row.entity, only: [])
        let rows = try store.session.rows(withKeys: [row.key], shape: shape)
        return rows.count > 0 ? rows.int64(row: 0, cell: RowShape.versionCell) : 0
    }

    private func history(of row: RowID) throws -> [ObjectChange]? {
        let transactions = try store.session.history(ofRow: row, limit: Self.changes)
        return transactions?.flatMap { transaction in
            transaction.changes.reversed().map { ObjectChange($0, in: transaction) }
        }
    }
}

extension ObjectChange {
    init(_ change: StoredChange, in transaction: StoredTransaction) {
        let kind: Kind =
            switch change.type {
            case .insert: .inserted
            case .update: .updated
            case .delete: .deleted
            }
        self.init(
            transaction: transaction.number, date: transaction.timestamp, author: transaction.author,
            process: transaction.processID, kind: kind, properties: change.properties)
    }
}
