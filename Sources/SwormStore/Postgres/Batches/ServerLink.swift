#if PostgreSQL
import SwormPredicates

/// A stored relationship, as SQL that leads from rows to their destinations on a server.
struct ServerLink {
    private enum Place {
        case ownColumn(table: String, column: String)
        case farColumn(column: String, order: String?)
        case join(StoreLayout.Join, table: String)
    }

    /// The entity that declares the relationship.
    let entity: CompiledEntity
    let slot: Int
    let relationship: CompiledRelationship
    let destination: CompiledEntity
    /// The table of the destination, with its schema.
    let table: String
    private let place: Place

    private static var key: String { SystemColumns.postgres.key }

    /// - Returns: Nil for a relationship that no table stores.
    init?(_ slot: Int, of entity: CompiledEntity, in schema: ServerSchema) {
        relationship = entity.relationships[slot]
        self.entity = entity
        self.slot = slot
        let destination = schema.columns[relationship.destination - 1]
        self.destination = destination.entity
        table = destination.table
        let own = schema.columns[entity.number - 1]
        if let toOne = own.toOne(slot) {
            place = .ownColumn(table: own.table, column: toOne.column)
            return
        }
        switch schema.layout.toMany(slot, in: entity.number) {
        case .inverse(let column, _)?: place = .farColumn(column: SQLName.alwaysQuoted(column), order: nil)
        case .oneWay(let column, let order)?:
            place = .farColumn(column: SQLName.alwaysQuoted(column), order: order.map(SQLName.alwaysQuoted))
        case .join(let join)?:
            place = .join(join, table: ServerColumns.table(named: join.table, schema.layout))
        case nil: return nil
        }
    }

    /// Returns all relationships that tables store, each in the entity that declares it.
    static func all(in schema: ServerSchema) -> [ServerLink] {
        schema.columns.flatMap { columns in
            columns.entity.relationships.indices.compactMap { slot in
                let relationship = columns.entity.relationships[slot]
                guard relationship.owner == columns.entity.number, !relationship.isTransient else { return nil }
                return ServerLink(slot, of: columns.entity, in: schema)
            }
        }
    }

    /// Returns the inverse relationship.
    func inverse(in schema: ServerSchema) -> ServerLink? {
        relationship.inverse.flatMap { ServerLink($0, of: destination, in: schema) }
    }

    /// Returns the condition that the destination row `t0` is linked to one of the given owners.
    ///
    /// - Parameter owners: A SELECT of keys.
    func leads(from owners: String) -> String {
        switch place {
        case .farColumn(let column, _): return "t0.\(column) IN (\(owners))"
        case .ownColumn(let table, let column):
            return "t0.\(Self.key) IN (SELECT o.\(column) FROM \(table) o WHERE o.\(Self.key) IN (\(owners)))"
        case .join(let join, let table):
            let tests = sides(of: join).map { own, other in
                "t0.\(Self.key) IN (SELECT o.\(other) FROM \(table) o WHERE o.\(own) IN (\(owners)))"
            }
            return tests.count == 1 ? tests[0] : "(\(tests.joined(separator: " OR ")))"
        }
    }

    /// Returns a statement for the number of destinations of some owners, without those that have none.
    ///
    /// - Parameter owners: A SELECT of keys.
    func counts(of owners: String) -> String {
        switch place {
        case .farColumn(let column, _):
            return
                "SELECT t0.\(column), count(*) FROM \(table) t0 WHERE t0.\(column) IN (\(owners)) GROUP BY t0.\(column)"
        case .ownColumn(let table, let column):
            return
                "SELECT o.\(Self.key), count(*) FROM \(table) o WHERE o.\(column) IS NOT NULL AND o.\(Self.key) IN (\(owners)) GROUP BY o.\(Self.key)"
        case .join(let join, let table):
            // A pair that is stored in both directions counts once.
            let pairs = sides(of: join).map { own, other in
                "SELECT o.\(own) AS own, o.\(other) AS other FROM \(table) o WHERE o.\(own) IN (\(owners))"
            }
            return "SELECT p.own, count(*) FROM (\(pairs.joined(separator: " UNION "))) p GROUP BY p.own"
        }
    }

    /// The columns of the two sides of a join table, in each direction in which a pair may be stored.
    private func sides(of join: StoreLayout.Join) -> [(own: String, other: String)] {
        let (own, other) = (SQLName.alwaysQuoted(join.ownColumn), SQLName.alwaysQuoted(join.otherColumn))
        return join.isReflexive && join.orderColumn == nil ? [(own, other), (other, own)] : [(own, other)]
    }

    /// A statement that removes the links of deleted rows, whose keys are the parameter.
    struct Removal {
        var sql: String
        /// Whether the result has the keys of this side of a join table instead of those of the other side.
        var isReversed = false
    }

    /// The statements that remove the links of deleted rows. Empty for links that are removed with the rows, and for those that
    /// the delete rule decides about.
    var removals: [Removal] {
        switch place {
        case .join(let join, let table):
            let (own, other) = (SQLName.alwaysQuoted(join.ownColumn), SQLName.alwaysQuoted(join.otherColumn))
            func removal(_ column: String, returning: String, isReversed: Bool) -> Removal {
                Removal(
                    sql: "DELETE FROM \(table) WHERE \(column) = ANY($1) RETURNING \(returning)", isReversed: isReversed
                )
            }
            let first = removal(own, returning: other, isReversed: false)
            return join.isReflexive ? [first, removal(other, returning: own, isReversed: true)] : [first]
        case .farColumn(let column, let order) where relationship.inverse == nil:
            let reset = order.map { ", \($0) = NULL" } ?? ""
            return [Removal(sql: "UPDATE \(table) SET \(column) = NULL\(reset) WHERE \(column) = ANY($1)")]
        case .farColumn, .ownColumn: return []
        }
    }

    /// Returns the join table of the relationship as derived values know it; nil for a relationship without one.
    func join(in schema: ServerSchema) -> ServerDerivations.Join? {
        if case .join(let join, _) = place { ServerDerivations.Join(join, schema.layout) } else { nil }
    }
}
#endif
