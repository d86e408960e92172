import SwormPredicates
import SwormSQLite

@testable import OpenCoreData
@testable import SwormStore

/// The rows and links of a store at one moment, with the values as SQL literals.
struct StoreRows: Equatable {
    struct Row: Equatable {
        var entity: Int
        var values: [String: String]
    }

    /// The rows of objects by the number of the root entity and the key.
    private(set) var rows: [Int: [Int64: Row]] = [:]
    /// The rows of the tables of links.
    private(set) var links: [String: Set<[String]>] = [:]

    init(_ connection: Connection, _ model: CompiledModel, _ layout: StoreLayout) throws {
        for entity in model.entities where entity.root == entity.number {
            let table = layout.table(of: entity)
            let names = try connection.lines("SELECT name FROM pragma_table_info('\(table)')")
                .filter { !["Z_PK", "Z_ENT", "Z_OPT"].contains($0) }
            let columns = ["Z_PK", "Z_ENT"] + names.map { "quote(\"\($0)\")" }
            var statement = try connection.statement("SELECT \(columns.joined(separator: ", ")) FROM \"\(table)\"")
            var found: [Int64: Row] = [:]
            while try statement.step() {
                var row = Row(entity: statement.int(1), values: [:])
                for (index, name) in names.enumerated() { row.values[name] = statement.text(index + 2) ?? "" }
                found[statement.int64(0)] = row
            }
            rows[entity.number] = found
        }
        for entity in model.entities {
            for slot in entity.relationships.indices {
                guard case .join(let join)? = layout.toMany(slot, in: entity.number), links[join.table] == nil else {
                    continue
                }
                var statement = try connection.statement("SELECT * FROM \"\(join.table)\"")
                var found: Set<[String]> = []
                while try statement.step() {
                    found.insert((0..<statement.columnCount).map { statement.text($0) ?? "" })
                }
                links[join.table] = found
            }
        }
    }
}
