import OpenCoreData
import SwormSQLite
import SwormStore

/// Rows that are not objects of the model, and links between rows that do not exist. A dump cannot represent them.
enum UnmodeledRows {
    /// Warns about those that a dump omits.
    static func report(in store: StoreReader, to console: Console) throws {
        let look = try StoreInspector(url: store.url)
        let connection = look.connection
        let layout = try look.layout(for: store.model)
        for root in store.model.entities where root.root == root.number {
            let table = StoreReport.quoted(layout.table(of: root))
            let numbers = root.family.filter { !store.model[$0].isAbstract }.map(String.init).joined(separator: ", ")
            try each(
                "SELECT Z_PK FROM \(table) WHERE Z_PK < 1 OR Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers)) ORDER BY Z_PK",
                in: connection
            ) { console.warn("\(root.name)/p\($0) is not an object of the model and is not part of the dump") }
        }
        var seen: Set<String> = []
        for entity in store.model.entities {
            for (slot, relationship) in entity.relationships.enumerated() {
                guard case .join(let join)? = layout.toMany(slot, in: entity.number), seen.insert(join.table).inserted
                else { continue }
                let (own, other) = (StoreReport.quoted(join.ownColumn), StoreReport.quoted(join.otherColumn))
                let destination = store.model[relationship.destination]
                try each(
                    """
                    SELECT count(*) FROM \(StoreReport.quoted(join.table)) AS j
                    WHERE NOT EXISTS (SELECT 1 FROM \(StoreReport.quoted(layout.table(of: entity))) AS o WHERE o.Z_PK = j.\(own))
                    AND NOT EXISTS (SELECT 1 FROM \(StoreReport.quoted(layout.table(of: destination))) AS d WHERE d.Z_PK = j.\(other))
                    """, in: connection
                ) { count in
                    guard count > 0 else { return }
                    console.warn(
                        "\(entity.name).\(relationship.name): \(count) link\(count == 1 ? "" : "s") between missing objects, not part of the dump"
                    )
                }
            }
        }
    }

    private static func each(_ sql: String, in connection: Connection, _ body: (Int64) -> Void) throws {
        var statement = try connection.statement(sql)
        while try statement.step() { body(statement.int64(0)) }
    }
}
