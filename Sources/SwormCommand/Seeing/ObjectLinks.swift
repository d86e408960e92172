import SwormPredicates
import SwormRows
import SwormStore

/// The objects that an object refers to, and those that refer to it, with their numbers.
///
/// A relationship and its inverse are one fact, which appears once: as an object that the object refers to if the
/// object's side is a to-one relationship or has no inverse, and otherwise as the objects that refer to it. Objects are
/// counted by indexes, and only the first are read. Join tables are searched for keys without an object, which do not count.
struct ObjectLinks {
    private struct Found {
        /// The entity that declares the relationship, and its name.
        var entity: String
        var relationship: String
        var isToMany: Bool
        var count: Int
        var rows: [RowID]
        /// The entity of the objects, for the names of those that do not exist.
        var destination: CompiledEntity
    }

    private let store: StoreReader
    private let row: RowID
    private let limit: Int?
    private let strays: StrayMembers
    private var outgoing: [Found] = []
    private var incoming: [Found] = []

    /// Reads the relationships of an object.
    ///
    /// - Parameters:
    ///   - row: The object, with the number of its own entity.
    ///   - limit: The number of objects of each relationship to read; nil for all.
    ///   - strays: The keys in join tables that refer to no object.
    init(of row: RowID, in store: StoreReader, limit: Int?, strays: StrayMembers) throws {
        self.store = store
        self.strays = strays
        self.row = row
        self.limit = limit
        try readOutgoing()
        try readIncoming()
    }

    /// The objects that were read.
    var rows: [RowID] { (outgoing + incoming).flatMap(\.rows).filter { $0.entity > 0 } }

    func targets(labels: [RowID: String]) -> [ObjectFacts.Target] {
        outgoing.map {
            .init(
                relationship: $0.relationship, isToMany: $0.isToMany, count: $0.count, links: links($0, labels: labels))
        }
    }

    func sources(labels: [RowID: String]) -> [ObjectFacts.Source] {
        incoming.map {
            .init(
                entity: $0.entity, relationship: $0.relationship, count: $0.count, links: links($0, labels: labels))
        }
    }

    private func links(_ found: Found, labels: [RowID: String]) -> [ObjectFacts.Link] {
        found.rows.map { row in
            // A key without a row has no entity.
            let entity = store.model.entity(numbered: Int64(row.entity))
            return ObjectFacts.Link(
                name: ObjectName(entity: (entity ?? found.destination).name, key: row.key), label: labels[row],
                exists: entity != nil)
        }
    }

    // MARK: Outgoing

    private mutating func readOutgoing() throws {
        let entity = store.model[row.entity]
        let slots = entity.relationships.indices.filter {
            let relationship = entity.relationships[$0]
            return !relationship.isTransient && (!relationship.isToMany || relationship.inverse == nil)
        }
        let values = slots.map { slot -> ExpressionTree in
            let relationship = entity.relationships[slot]
            return .path([relationship.name] + (relationship.isToMany ? ["@count"] : []))
        }
        var fetch = FetchSpecification(entity: row.entity)
        fetch.predicate = store.predicate(matching: [row])
        let reading = try ValueReading(values, of: entity, matching: fetch, in: store)
        guard try reading.cursor.next() else { return }
        for (index, slot) in slots.enumerated() {
            let relationship = entity.relationships[slot]
            var found = Found(
                entity: store.model[relationship.owner].name, relationship: relationship.name,
                isToMany: relationship.isToMany, count: 0, rows: [],
                destination: store.model[relationship.destination])
            if relationship.isToMany {
                found.count = try existing(reading.count(index), slot: slot)
                found.rows = try members(slot, count: found.count)
            } else if let target = reading.object(index) {
                try check(target, of: relationship)
                found.count = 1
                found.rows = [target]
            }
            outgoing.append(found)
        }
    }

    /// Returns the number of the members of a relationship that exist.
    private func existing(_ count: Int, slot: Int) throws -> Int {
        count > 0 ? count - (try strays.count(of: row, slot: slot)) : 0
    }

    /// Throws an error if the row at the end of a to-one relationship has the number of a wrong entity.
    private func check(_ target: RowID, of relationship: CompiledRelationship) throws {
        let destination = store.model[relationship.destination]
        guard target.entity != 0, !destination.family.contains(target.entity) else { return }
        let owner = ObjectName(entity: store.model[row.entity].name, key: row.key)
        throw ToolError(
            .file,
            "the object with the key \(target.key), which '\(relationship.name)' of \(owner.shown) refers to, has the entity "
                + "number \(target.entity), which is not \(destination.name) or one of its sub-entities: the store is damaged",
            hint:
                "'sworm-tool verify' finds damage, and 'sworm-tool rebuild' creates a new store from all readable data")
    }

    /// Returns the first members of a to-many relationship of the object.
    private func members(_ slot: Int, count: Int) throws -> [RowID] {
        let wanted = min(count, limit ?? count)
        guard wanted > 0 else { return [] }
        let destination = store.model[row.entity].relationships[slot].destination
        let shape = RowShape(model: store.model, entity: destination, only: [])
        let rows = try store.session.memberRows(
            ofRelationship: slot, entity: row.entity, owners: [row.key], shape: shape, limit: wanted)
        return (0..<rows.count).map {
            RowID(
                entity: Int(clamping: rows.int64(row: $0, cell: RowShape.entityCell)),
                key: rows.int64(row: $0, cell: RowShape.primaryKeyCell))
        }
    }

    // MARK: Incoming

    private mutating func readIncoming() throws {
        let entity = store.model[row.entity]
        let counts = try memberCounts()
        for source in store.model.entities {
            for relationship in source.relationships where relationship.owner == source.number {
                guard !relationship.isTransient,
                    store.model[relationship.destination].family.contains(row.entity)
                else { continue }
                guard let inverse = relationship.inverse else {
                    try add(relationship, of: source)
                    continue
                }
                // The inverse has the same slot in the object's own entity, which inherits it.
                guard entity.relationships[inverse].isToMany else { continue }
                let count = try existing(counts[inverse] ?? 0, slot: inverse)
                incoming.append(
                    Found(
                        entity: source.name, relationship: relationship.name, isToMany: relationship.isToMany,
                        count: count, rows: try members(inverse, count: count), destination: source))
            }
        }
    }

    /// Returns the numbers of the members of the object's to-many relationships that have an inverse, by slot.
    private func memberCounts() throws -> [Int: Int] {
        let entity = store.model[row.entity]
        let slots = entity.relationships.indices.filter {
            let relationship = entity.relationships[$0]
            return relationship.isToMany && relationship.inverse != nil && !relationship.isTransient
        }
        var fetch = FetchSpecification(entity: row.entity)
        fetch.predicate = store.predicate(matching: [row])
        let paths = slots.map { ExpressionTree.path([entity.relationships[$0].name, "@count"]) }
        let reading = try ValueReading(paths, of: entity, matching: fetch, in: store)
        guard try reading.cursor.next() else { return [:] }
        return Dictionary(
            slots.enumerated().map { ($0.element, reading.count($0.offset)) }, uniquingKeysWith: { first, _ in first })
    }

    /// Adds the objects of a relationship without an inverse.
    private mutating func add(_ relationship: CompiledRelationship, of source: CompiledEntity) throws {
        var fetch = FetchSpecification(entity: source.number)
        fetch.predicate = .comparison(
            Comparison(
                .path([relationship.name]), by: .equal, with: store.reference(to: row),
                quantifier: relationship.isToMany ? .any : .direct))
        let count = try store.session.count(fetch)
        var rows: [RowID] = []
        if count > 0 {
            fetch.sorts = [.init(path: ["self"])]
            fetch.limit = limit ?? 0
            rows = try store.session.identities(fetch)
        }
        incoming.append(
            Found(
                entity: source.name, relationship: relationship.name, isToMany: relationship.isToMany, count: count,
                rows: rows, destination: source))
    }
}
