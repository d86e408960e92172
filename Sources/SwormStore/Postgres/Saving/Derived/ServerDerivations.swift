#if PostgreSQL
import SwormPostgres
import SwormPredicates

/// The derived attributes of a store on a server.
struct ServerDerivations: Sendable {
    /// A column, by the root entity of its table.
    struct Column: Hashable, Sendable {
        var root: Int
        /// The name as SQL text writes it.
        var name: String
    }

    /// A table between two sides of a relationship, seen from the rows that have the derived attribute.
    struct Join: Sendable {
        var table: String
        var own: String
        var other: String
        /// Whether a pair of rows may have either direction.
        var isReflexive: Bool
    }

    enum Source: Sendable {
        /// The time of the transaction.
        case now
        /// The value of a column at the end of to-one relationships. The columns are those of the relationships, each with
        /// the table to which it leads, and at the end the source.
        case path(hops: [(column: Column, table: String)], end: Column)
        /// The members whose column has the owner's key.
        case column(Column, members: String)
        case join(Join, members: String, root: Int)
    }

    struct Rule: Sendable {
        let derived: DerivedAttribute
        /// The table of the rows that have the attribute.
        let table: String
        let root: Int
        let place: ServerColumns.Attribute
        let source: Source
        /// The column of the aggregated values; nil for a count and for a path.
        let aggregated: Column?
        /// The type of the attribute that the value is computed from; that of a count is an integer.
        let valueType: AttributeType
        /// Whether the dates of the source are stored as seconds.
        let sourceStoresSeconds: Bool
        /// The column of entity numbers of the row `r`, or the number of all rows of the table.
        let entityNumber: String
        /// The condition that the row `r` has the attribute, to follow another one.
        let restriction: String
        /// Whether a save writes the value along with the row.
        let isOwn: Bool
    }

    /// The rules, sorted so that each follows those that its values are computed from.
    let rules: [Rule]
    /// The rules that a change of a column affects, each with the number of relationships that lead to the column.
    let readers: [Column: [(rule: Int, distance: Int)]]

    init(model: CompiledModel, layout: StoreLayout) {
        let all = DerivedAttribute.all(in: model).compactMap { Rule($0, model: model, layout: layout) }
        rules = Self.sorted(all)
        var readers: [Column: [(rule: Int, distance: Int)]] = [:]
        for (index, rule) in rules.enumerated() {
            switch rule.source {
            case .now: break
            case .path(let hops, let end):
                for (distance, column) in (hops.map(\.column) + [end]).enumerated() {
                    readers[column, default: []].append((index, distance))
                }
            case .column(let column, _):
                readers[column, default: []].append((index, 1))
                if let aggregated = rule.aggregated { readers[aggregated, default: []].append((index, 1)) }
            case .join:
                if let aggregated = rule.aggregated { readers[aggregated, default: []].append((index, 1)) }
            }
        }
        self.readers = readers
    }

    private static func sorted(_ rules: [Rule]) -> [Rule] {
        let indexes = Dictionary(
            rules.enumerated().map { (Column(root: $1.root, name: $1.place.column), $0) },
            uniquingKeysWith: { first, _ in first })
        var visited: Set<Int> = []
        var result: [Rule] = []
        for start in rules.indices {
            var path: [Int] = []
            var next: Int? = start
            // A value is computed from at most one other value. If the dependencies form a cycle, any of them may be the
            // first.
            while let index = next, visited.insert(index).inserted {
                path.append(index)
                next = rules[index].sourceColumn.flatMap { indexes[$0] }
            }
            result += path.reversed().map { rules[$0] }
        }
        return result
    }
}

extension ServerDerivations.Rule {
    /// The column that the value is computed from; nil if it is not an attribute.
    var sourceColumn: ServerDerivations.Column? {
        if case .path(_, let end) = source { return end }
        return aggregated
    }

    fileprivate init?(_ derived: DerivedAttribute, model: CompiledModel, layout: StoreLayout) {
        let entity = derived.entity
        guard let place = ServerColumns.Attribute(derived.slot, of: entity, layout: layout) else { return nil }
        var type = AttributeType.integer64
        func column(_ slot: Int, of entity: CompiledEntity) -> ServerDerivations.Column? {
            layout.column(ofAttribute: slot, in: entity.number).map {
                .init(root: entity.root, name: SQLName.alwaysQuoted($0))
            }
        }
        let source: ServerDerivations.Source
        var aggregated: ServerDerivations.Column?
        var storesSeconds = false
        var isOwn = false
        switch derived.derivation.source {
        case .now: (source, type, isOwn) = (.now, .date, true)
        case .value(let path, let attribute):
            var hops: [(column: ServerDerivations.Column, table: String)] = []
            var current = entity
            for slot in path {
                guard let toOne = layout.toOne(slot, in: current.number) else { return nil }
                let next = model[current.relationships[slot].destination]
                hops.append(
                    (
                        .init(root: current.root, name: SQLName.alwaysQuoted(toOne.column)),
                        ServerColumns.table(of: next, layout)
                    ))
                current = next
            }
            guard let end = column(attribute, of: current) else { return nil }
            type = current.attributes[attribute].type
            storesSeconds = layout.storesSeconds(attribute, of: current.attributes[attribute].owner)
            isOwn = path.isEmpty && current.attributes[attribute].derivation == nil
            source = .path(hops: hops, end: end)
        case .members(_, let slot, let attribute):
            let members = model[entity.relationships[slot].destination]
            if let attribute {
                guard let value = column(attribute, of: members) else { return nil }
                aggregated = value
                type = members.attributes[attribute].type
                storesSeconds = layout.storesSeconds(attribute, of: members.attributes[attribute].owner)
            }
            let table = ServerColumns.table(of: members, layout)
            switch layout.toMany(slot, in: entity.number) {
            case .inverse(let name, _)?, .oneWay(let name, _)?:
                source = .column(.init(root: members.root, name: SQLName.alwaysQuoted(name)), members: table)
            case .join(let join)?:
                source = .join(ServerDerivations.Join(join, layout), members: table, root: members.root)
            case nil: return nil
            }
        }
        self.derived = derived
        table = ServerColumns.table(of: entity, layout)
        root = entity.root
        self.place = place
        self.source = source
        self.aggregated = aggregated
        valueType = type
        sourceStoresSeconds = storesSeconds
        self.isOwn = isOwn
        let numbersEntities = model[entity.root].hasDescendants
        entityNumber =
            numbersEntities ? "r.\(SystemColumns.postgres.entity)" : "\(layout.storedNumber(of: entity.number))"
        let numbers = entity.family.map { String(layout.storedNumber(of: $0)) }.joined(separator: ", ")
        restriction = entity.root == entity.number ? "" : " AND r.\(SystemColumns.postgres.entity) IN (\(numbers))"
    }
}

extension ServerDerivations.Join {
    init(_ join: StoreLayout.Join, _ layout: StoreLayout) {
        table = ServerColumns.table(named: join.table, layout)
        own = SQLName.alwaysQuoted(join.ownColumn)
        other = SQLName.alwaysQuoted(join.otherColumn)
        isReflexive = join.isReflexive
    }

    /// The pairs as a table of a FROM clause, with each pair in both directions if the relationship is its own inverse.
    var pairs: String {
        isReflexive ? "(SELECT \(own), \(other) FROM \(table) UNION SELECT \(other), \(own) FROM \(table))" : table
    }
}
#endif
