import OpenCoreData
import SwormSQLite

/// The tables of a damaged store and those of the new one that take their rows.
struct RebuiltTables {
    struct Table {
        var old: String
        var new: String
        /// The columns of both, in the order of the old ones; nil for one that is not taken over.
        var columns: [(old: String, new: String?)]
        /// The entity of the rows; nil for a table that joins rows.
        var root: CompiledEntity?
    }

    private(set) var tables: [Table] = []

    /// - Parameter columns: The columns of the old tables, empty where they are not known: then they are those of a new store.
    init(_ model: CompiledModel, _ columns: [String: [String]]) throws {
        let new = StoreLayout(model: model)
        let connection = try Connection(.memory(name: "schema"))
        for statement in StoreSchema(model: model, layout: new).statements() { try connection.execute(statement) }
        let old =
            columns.isEmpty ? new : (try? StoreLayout(model: model, existing: ExistingSchema(tables: columns))) ?? new
        func names(_ table: String) throws -> [String] {
            try columns[table] ?? DamagedStore.columns(of: table, connection)
        }
        for root in model.entities where root.root == root.number {
            let map = Self.columns(of: root, in: model, from: old, to: new)
            let table = old.table(of: root)
            tables.append(
                Table(
                    old: table, new: new.table(of: root), columns: try names(table).map { ($0, map[$0]) }, root: root))
        }
        var seen: Set<String> = []
        for entity in model.entities {
            for slot in entity.relationships.indices {
                guard case .join(let from)? = old.toMany(slot, in: entity.number),
                    case .join(let to)? = new.toMany(slot, in: entity.number), seen.insert(from.table).inserted
                else { continue }
                var map = [from.ownColumn: to.ownColumn, from.otherColumn: to.otherColumn]
                for case (let one?, let other?) in [
                    (from.orderColumn, to.orderColumn), (from.inverseOrderColumn, to.inverseOrderColumn),
                ] { map[one] = other }
                tables.append(
                    Table(
                        old: from.table, new: to.table, columns: try names(from.table).map { ($0, map[$0]) }, root: nil)
                )
            }
        }
    }

    private static func columns(
        of root: CompiledEntity, in model: CompiledModel, from old: StoreLayout, to new: StoreLayout
    ) -> [String: String] {
        var map = ["Z_PK": "Z_PK", "Z_ENT": "Z_ENT", "Z_OPT": "Z_OPT"]
        for entity in model.entities {
            if entity.root == root.number {
                for slot in entity.attributes.indices {
                    if let from = old.column(ofAttribute: slot, in: entity.number) {
                        map[from] = new.column(ofAttribute: slot, in: entity.number)
                    }
                }
                for slot in entity.relationships.indices {
                    guard let from = old.toOne(slot, in: entity.number), let to = new.toOne(slot, in: entity.number)
                    else { continue }
                    map[from.column] = to.column
                    if let column = from.entityColumn { map[column] = to.entityColumn }
                }
            }
            // Keys of owners, and order keys, are in the table of the members.
            for (slot, relationship) in entity.relationships.enumerated()
            where model[relationship.destination].root == root.number {
                switch (old.toMany(slot, in: entity.number), new.toMany(slot, in: entity.number)) {
                case (.oneWay(let from, let order)?, .oneWay(let to, let newOrder)?):
                    map[from] = to
                    if let order { map[order] = newOrder }
                case (.inverse(_, let order?)?, .inverse(_, let newOrder)?): map[order] = newOrder
                default: continue
                }
            }
        }
        return map
    }

    /// Whether a row can be one of a table.
    func fits(_ row: DamagedStore.Row, _ name: String) -> Bool {
        guard let table = tables.first(where: { $0.old == name }), row.values.count <= table.columns.count else {
            return false
        }
        guard let root = table.root else {
            return row.values.count == table.columns.count
                && row.values.allSatisfy {
                    if case .text? = $0 { false } else if case .blob? = $0 { false } else { true }
                }
                && row.values.prefix(2).allSatisfy { if case .integer? = $0 { true } else { false } }
        }
        func value(_ column: String) -> ExactValue?? {
            table.columns.firstIndex { $0.old == column }.flatMap {
                row.values.indices.contains($0) ? row.values[$0] : nil
            }
        }
        // The key is the number of the row itself, and its column empty.
        guard row.key > 0, case .some(nil) = value("Z_PK"), case .integer(let number)?? = value("Z_ENT") else {
            return false
        }
        return root.family.contains(Int(clamping: number))
    }
}
