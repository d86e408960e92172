import OpenCoreData
import SwormSQLite
import SwormStore

/// The tables of a damaged store, and the tables of the new store that receive their rows.
struct RebuiltTables {
    struct Table {
        var old: String
        var new: String
        /// The columns of both tables, in the order of the old ones. The new column is nil if the old one is not
        /// copied.
        var columns: [(old: String, new: String?)]
        /// The entity of the rows, or nil for a join table.
        var root: CompiledEntity?
        /// The positions of the key and of the entity number in a row.
        fileprivate var (keyIndex, entityIndex): (Int?, Int?)
        fileprivate var entities: Set<Int64> = []
        /// The types of the columns if the columns are assumed to be those of a new table. Values must then match the
        /// types.
        fileprivate var guessedTypes: [String]?

        fileprivate init(
            old: String, new: String, columns: [(old: String, new: String?)], root: CompiledEntity?
        ) {
            (self.old, self.new, self.columns, self.root) = (old, new, columns, root)
            keyIndex = columns.firstIndex { $0.old == "Z_PK" }
            entityIndex = columns.firstIndex { $0.old == "Z_ENT" }
            if let root { entities = Set(root.family.map(Int64.init)) }
        }
    }

    private(set) var tables: [Table] = []

    private var byName: [String: Int] = [:]

    /// - Parameter columns: The columns of the old tables. A table that is not included is assumed to have the columns
    ///   of a new store.
    init(_ model: CompiledModel, columns: [String: [String]]) throws {
        let new = StoreLayout(model: model)
        let schema = try Self.columns(of: StoreSchema(model: model, layout: new))
        let all = schema.mapValues { $0.map(\.name) }.merging(columns) { $1 }
        // The names of old tables can differ from those of new ones, which are only used if some are missing.
        let old =
            (try? StoreLayout(model: model, existing: ExistingSchema(tables: columns)))
            ?? (try? StoreLayout(model: model, existing: ExistingSchema(tables: all))) ?? new
        func names(_ table: String) -> [String] { all[table] ?? [] }
        for root in model.entities where root.root == root.number {
            let map = Self.columns(of: root, in: model, from: old, to: new)
            let table = old.table(of: root)
            tables.append(
                Table(old: table, new: new.table(of: root), columns: names(table).map { ($0, map[$0]) }, root: root))
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
                    Table(old: from.table, new: to.table, columns: names(from.table).map { ($0, map[$0]) }, root: nil))
            }
        }
        for index in tables.indices where columns[tables[index].old] == nil {
            tables[index].guessedTypes = schema[tables[index].new]?.map(\.type)
        }
        byName = Dictionary(tables.indices.map { (tables[$0].old, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the columns of a new store, by table.
    private static func columns(of schema: StoreSchema) throws -> [String: [(name: String, type: String)]] {
        let connection = try Connection(.memory(name: "schema"))
        for statement in schema.statements() { try connection.execute(statement) }
        var row = try connection.statement(
            """
            SELECT m.name, c.name, upper(c.type) FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
            WHERE m.type = 'table' ORDER BY m.name, c.cid
            """)
        var columns: [String: [(name: String, type: String)]] = [:]
        while try row.step() {
            columns[row.text(0) ?? "", default: []].append((row.text(1) ?? "", row.text(2) ?? ""))
        }
        return columns
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
            // The table of the members contains the keys of owners, and order keys.
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

    /// Returns whether a row can belong to a table.
    func fits(_ row: DamagedStore.Row, in name: String) -> Bool {
        guard let index = byName[name], row.values.count <= tables[index].columns.count else { return false }
        let table = tables[index]
        if let types = table.guessedTypes, !zip(row.values, types).allSatisfy(Self.agree) { return false }
        guard table.root != nil else {
            return row.values.count == table.columns.count
                && row.values.allSatisfy {
                    if case .text? = $0 { false } else if case .blob? = $0 { false } else { true }
                }
                && row.values.prefix(2).allSatisfy { if case .integer? = $0 { true } else { false } }
        }
        // The key is the row number itself, and its column is empty.
        guard row.key > 0, let key = table.keyIndex, let entity = table.entityIndex,
            row.values.indices.contains(key), row.values.indices.contains(entity), row.values[key] == nil,
            case .integer(let number)? = row.values[entity]
        else { return false }
        return table.entities.contains(number)
    }

    private static func agree(_ value: ExactValue?, with type: String) -> Bool {
        switch value {
        case nil: true
        case .text?: type.contains("CHAR")
        case .blob?: type == "BLOB"
        case .integer?: !type.contains("CHAR") && type != "BLOB"
        case .real?: ["FLOAT", "DECIMAL", "TIMESTAMP"].contains(type)
        }
    }
}
