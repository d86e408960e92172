import Foundation
import SwormSQLite
import TestSupport

@testable import OpenCoreData
@testable import SwormStore

/// Everything in a mirrored store that is Core Data's: the tables of the mirroring, their numbers, and the history.
struct MirroringState: Equatable {
    /// The rows of the tables of the mirroring, by table.
    var tables: [String: [String]] = [:]
    /// The numbers of the entities of the mirroring and of the history, and the highest keys of the former.
    var numbers: [String] = []
    /// The transactions of the history.
    var transactions: [String] = []
    var identifier: [String] = []

    /// - Parameter columns: The columns to leave out, which a migration changes.
    init(_ url: URL, without columns: Set<String> = []) throws {
        let connection = try Connection(.file(path: url.path), options: .init(busyTimeout: 5))
        let names = try connection.lines("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'ANSCK%'")
        for table in names { tables[table] = try connection.content(of: table, without: columns) }
        numbers = try connection.lines(
            "SELECT Z_ENT, Z_NAME, iif(Z_NAME LIKE 'NSCK%', Z_MAX, '') FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY 1"
        )
        if try connection.lines("SELECT 1 FROM sqlite_master WHERE name = 'ATRANSACTION'") == ["1"] {
            transactions = try connection.content(of: "ATRANSACTION")
        }
        identifier = try connection.lines("SELECT Z_UUID FROM Z_METADATA")
    }

    /// The differences from an earlier state, apart from later transactions.
    func differences(from earlier: MirroringState) -> [String] {
        var found: [String] = []
        for table in Set(tables.keys).union(earlier.tables.keys).sorted() where tables[table] != earlier.tables[table] {
            found.append("the rows of \(table) are others")
        }
        if numbers != earlier.numbers { found.append("the numbers are \(numbers)") }
        if !transactions.starts(with: earlier.transactions) { found.append("transactions are missing or changed") }
        if identifier != earlier.identifier { found.append("the identifier is another") }
        return found
    }
}

extension Connection {
    /// The rows of a table in the order of their keys, each value as SQL.
    func content(of table: String, without left: Set<String> = []) throws -> [String] {
        let columns = try lines("SELECT name FROM pragma_table_info('\(table)')").filter { !left.contains($0) }
        return try lines(
            "SELECT \(columns.map { "quote(\"\($0)\")" }.joined(separator: ", ")) FROM \(table) ORDER BY rowid")
    }
}

/// Options that let mirrored stores be written.
var mirroredOptions: [AnyHashable: Any] { [SwormWritesMirroredStoresOption: true] }

extension MigratedStore {
    /// Makes a store of the graph library whose objects all have records.
    static func mirrored() throws -> MigratedStore {
        let store = try MigratedStore(GraphLibrary.model(), options: [NSPersistentHistoryTrackingKey: true]) {
            context in
            let author = try context.make("Author", ["name": "Jane"])
            for title in ["Emma", "Persuasion"] {
                let book = try context.make("Book", ["title": title, "author": author])
                book.setValue(try Set([context.make("Tag", ["name": title])]), forKey: "tags")
            }
            try context.make("Novel", ["title": "Sanditon", "author": author])
            for label in ["wall", "desk"] { try context.make("Shelf", ["label": label]) }
        }
        try store.mirror()
        return store
    }

    /// Plants the state of a mirroring after an export.
    func mirror(_ generation: MirroringSQL.Generation = .assetTables, identity: String? = nil) throws {
        let connection = try Connection(.file(path: url.path))
        try connection.execute(
            MirroringSQL.schema(generation) + MirroringSQL.metadata + MirroringSQL.account + MirroringSQL.zone)
        try connection.execute(
            MirroringSQL.insert(
                "MirroredRelationship", ["ZISUPLOADED": "1", "ZCKRECORDID": "'a:b'", "ZRECORDZONE": "1"]))
        try plantRecords(identity: identity)
    }

    /// Plants a record for each row that has none.
    func plantRecords(identity: String? = nil) throws {
        let connection = try Connection(.file(path: url.path))
        for root in try model.compiled().entities where root.root == root.number {
            try connection.execute(
                MirroringSQL.records(
                    ofRowsIn: "Z" + root.name.uppercased(), identity: identity ?? "'\(root.name)-' || Z_PK"))
        }
        try connection.execute(MirroringSQL.raiseKeys)
    }
}
