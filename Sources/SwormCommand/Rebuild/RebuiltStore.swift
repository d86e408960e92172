import Foundation
import OpenCoreData
import SwormSQLite
import SwormStore

/// A new store that receives the rows of a damaged one.
struct RebuiltStore {
    let model: CompiledModel
    private let connection: Connection
    private let layout: StoreLayout

    /// - Parameter url: The file of an empty, closed store of the model.
    init(_ url: URL, model: CompiledModel) throws {
        self.model = model
        layout = StoreLayout(model: model)
        connection = try Connection(.file(path: url.path), options: .init(access: .readWrite))
    }

    /// Runs the writes in one transaction, without the triggers of derived attributes, because the rows already contain
    /// the derived values.
    func filling(_ body: () throws -> Void) throws {
        try connection.transaction(.immediate) {
            var triggers: [(name: String, sql: String)] = []
            var statement = try connection.statement("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            while try statement.step() {
                if let name = statement.text(0), let sql = statement.text(1) { triggers.append((name, sql)) }
            }
            for trigger in triggers { try connection.execute("DROP TRIGGER \(StoreReport.quoted(trigger.name))") }
            try body()
            for trigger in triggers { try connection.execute(trigger.sql) }
        }
    }

    /// - Returns: The keys of the rows that cannot be inserted, because another row has the same unique values.
    func insert(_ rows: [DamagedStore.Row], into table: RebuiltTables.Table) throws -> [Int64] {
        let taken = table.columns.enumerated().compactMap { index, column in column.new.map { (index, $0) } }
        let names = taken.map { StoreReport.quoted($0.1) }.joined(separator: ", ")
        let marks = taken.map { _ in "?" }.joined(separator: ", ")
        let sql = "INSERT OR IGNORE INTO \(StoreReport.quoted(table.new)) (\(names)) VALUES (\(marks))"
        var left: [Int64] = []
        for row in rows {
            var statement = try connection.statement(sql)
            for (parameter, (index, column)) in taken.enumerated() {
                let value = row.values.indices.contains(index) ? row.values[index] : nil
                if let value {
                    try statement.bind(value, at: parameter + 1)
                } else if column == "Z_PK" {
                    try statement.bind(row.key, at: parameter + 1)
                } else {
                    try statement.bindNull(at: parameter + 1)
                }
            }
            try statement.run()
            if connection.changes == 0 { left.append(row.key) }
        }
        return left
    }

    /// Clears links to rows that are lost.
    ///
    /// - Returns: The number of links, by the names of relationships.
    func clearLinks() throws -> [(relationship: String, count: Int)] {
        var cleared: [(relationship: String, count: Int)] = []
        var seen: Set<[String]> = []
        func run(_ sql: String, _ name: String) throws {
            try connection.execute(sql)
            if connection.changes > 0 { cleared.append((name, connection.changes)) }
        }
        func isMissing(_ column: String, from entity: CompiledEntity) -> String {
            "NOT EXISTS (SELECT 1 FROM \(StoreReport.quoted(layout.table(of: entity))) AS d WHERE d.Z_PK = \(column))"
        }
        for entity in model.entities {
            let table = StoreReport.quoted(layout.table(of: entity))
            for (slot, relationship) in entity.relationships.enumerated() {
                let name = "\(entity.name).\(relationship.name)"
                let destination = model[relationship.destination]
                if let toOne = layout.toOne(slot, in: entity.number), seen.insert([table, toOne.column]).inserted {
                    let column = StoreReport.quoted(toOne.column)
                    let others = [toOne.entityColumn, order(relationship)].compactMap { $0 }
                        .map { ", \(StoreReport.quoted($0)) = NULL" }.joined()
                    try run(
                        "UPDATE \(table) SET \(column) = NULL\(others) WHERE \(column) IS NOT NULL AND \(isMissing("\(table).\(column)", from: destination))",
                        name)
                } else if case .join(let join)? = layout.toMany(slot, in: entity.number),
                    seen.insert([join.table]).inserted
                {
                    let links = StoreReport.quoted(join.table)
                    let own = "\(links).\(StoreReport.quoted(join.ownColumn))"
                    let other = "\(links).\(StoreReport.quoted(join.otherColumn))"
                    try run(
                        "DELETE FROM \(links) WHERE \(isMissing(own, from: entity)) OR \(isMissing(other, from: destination))",
                        name)
                }
            }
        }
        return cleared
    }

    /// Returns the column that orders the rows that refer to one object.
    private func order(_ relationship: CompiledRelationship) -> String? {
        guard let inverse = relationship.inverse,
            case .inverse(_, let order)? = layout.toMany(inverse, in: relationship.destination)
        else { return nil }
        return order
    }

    /// Updates the highest keys, and assigns a version to rows that have none.
    func settle() throws {
        for root in model.entities where root.root == root.number {
            let table = StoreReport.quoted(layout.table(of: root))
            try connection.execute(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT COALESCE(MAX(Z_PK), 0) FROM \(table)) WHERE Z_ENT = \(root.number)"
            )
            try connection.execute("UPDATE \(table) SET Z_OPT = 1 WHERE Z_OPT IS NULL")
        }
    }
}
