import Foundation
import OpenCoreData
import SwormSQLite
import SwormStore

/// A link that a file contains but that no save would write. Its destination does not exist, has an entity that the
/// relationship does not allow, or does not refer back to the owner.
struct StrayLink {
    var owner: RowID
    var slot: Int
    /// The key of the destination.
    var key: Int64
    /// The number of the destination's entity, or nil if it is unknown.
    var entity: Int?
}

/// A writer that adds such links to a new store after it was filled and closed.
struct StrayLinks {
    private let model: CompiledModel
    private let layout: StoreLayout
    var links: [StrayLink] = []
    /// The next order keys of groups, by their table, column and key.
    private var next: [Group: Int64] = [:]

    private struct Group: Hashable {
        var order: String
        var column: String
        var key: Int64
    }

    init(_ model: CompiledModel) {
        self.model = model
        layout = StoreLayout(model: model)
    }

    /// Returns whether there is a column or a table for a link that only its owner states.
    func canKeep(_ slot: Int, of entity: Int) -> Bool {
        if layout.toOne(slot, in: entity) != nil { return true }
        if case .join? = layout.toMany(slot, in: entity) { return true }
        return false
    }

    mutating func write(to store: URL) throws {
        guard !links.isEmpty else { return }
        let connection = try Connection(.file(path: store.path), options: .init(access: .readWrite))
        // The triggers of derived attributes call these functions.
        try StoreFunctions.register(on: connection)
        try connection.transaction(.immediate) {
            for link in links { try write(link, to: connection) }
        }
    }

    private mutating func write(_ link: StrayLink, to connection: Connection) throws {
        if let toOne = layout.toOne(link.slot, in: link.owner.entity) {
            let table = StoreReport.quoted(layout.table(of: model[link.owner.entity]))
            let column = StoreReport.quoted(toOne.column)
            let entity = toOne.entityColumn.map { ", \(StoreReport.quoted($0)) = ?2" } ?? ""
            var statement = try connection.statement(
                "UPDATE \(table) SET \(column) = ?1\(entity) WHERE Z_PK = ?3")
            try statement.bind(link.key, at: 1)
            if let number = link.entity { try statement.bind(Int64(number), at: 2) }
            try statement.bind(link.owner.key, at: 3)
            try statement.run()
            guard let order = orderColumn(ofInverse: link) else { return }
            try append(
                in: table, order: order, among: (column, link.key), to: ("Z_PK", link.owner.key), connection: connection
            )
        } else if case .join(let join)? = layout.toMany(link.slot, in: link.owner.entity) {
            let table = StoreReport.quoted(join.table)
            let (own, other) = (StoreReport.quoted(join.ownColumn), StoreReport.quoted(join.otherColumn))
            var statement = try connection.statement("INSERT OR IGNORE INTO \(table) (\(own), \(other)) VALUES (?, ?)")
            try statement.bind(link.owner.key, at: 1)
            try statement.bind(link.key, at: 2)
            try statement.run()
            let (here, there) = ((column: own, key: link.owner.key), (column: other, key: link.key))
            if let order = join.orderColumn {
                try append(in: table, order: order, among: here, to: there, connection: connection)
            }
            if let order = join.inverseOrderColumn {
                try append(in: table, order: order, among: there, to: here, connection: connection)
            }
        }
    }

    /// Returns the column that orders the rows that refer to one object.
    private func orderColumn(ofInverse link: StrayLink) -> String? {
        let relationship = model[link.owner.entity].relationships[link.slot]
        guard let inverse = relationship.inverse,
            case .inverse(_, let order?)? = layout.toMany(inverse, in: relationship.destination)
        else { return nil }
        return order
    }

    /// Assigns to a row an order key after those of its group.
    private mutating func append(
        in table: String, order: String, among group: (column: String, key: Int64),
        to member: (column: String, key: Int64), connection: Connection
    ) throws {
        let order = StoreReport.quoted(order)
        let known = Group(order: table + order, column: group.column, key: group.key)
        var position = next[known]
        if position == nil {
            var highest = try connection.statement(
                "SELECT COALESCE(MAX(\(order)), ?1) FROM \(table) WHERE \(group.column) = ?2")
            try highest.bind(Int64(OrderKeys.first - OrderKeys.step), at: 1)
            try highest.bind(group.key, at: 2)
            if try highest.step() { position = highest.int64(0) &+ Int64(OrderKeys.step) }
        }
        guard let position else { return }
        next[known] = position &+ Int64(OrderKeys.step)
        var statement = try connection.statement(
            "UPDATE \(table) SET \(order) = ?1 WHERE \(group.column) = ?2 AND \(member.column) = ?3")
        try statement.bind(position, at: 1)
        try statement.bind(group.key, at: 2)
        try statement.bind(member.key, at: 3)
        try statement.run()
    }
}
