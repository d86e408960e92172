import Foundation
import SwormSQLite
import TestSupport

@testable import OpenCoreData
@testable import SwormStore

/// The rows and the records of a store, read by plain SQL. Rows have a number, which is in the names of their records.
struct MirroredPairs {
    struct Place: Hashable {
        /// The number of the entity at the root of the hierarchy.
        var root: Int
        var key: Int64
    }

    struct Row {
        var entity: Int
        var uid: Int
    }

    struct Record {
        var entity: Int
        var place: Place
        var uid: Int
    }

    private(set) var rows: [Place: Row] = [:]
    private(set) var records: [Record] = []
    private let model: CompiledModel

    init(_ store: MigratedStore) throws {
        let model = try store.model.compiled()
        self.model = model
        let layout = try StoreInspector(url: store.url).layout(for: model)
        let connection = try Connection(.file(path: store.url.path), options: .init(busyTimeout: 5))
        for root in model.entities where root.root == root.number {
            guard let slot = root.attributes.firstIndex(where: { $0.name == "uid" }),
                let column = layout.column(ofAttribute: slot, in: root.number)
            else { continue }
            var statement = try connection.statement(
                "SELECT Z_PK, Z_ENT, \(column) FROM \(SQLName.quoted(layout.table(of: root)))")
            while try statement.step() {
                rows[Place(root: root.number, key: statement.int64(0))] = Row(
                    entity: statement.int(1), uid: statement.int(2))
            }
        }
        var statement = try connection.statement("SELECT ZENTITYID, ZENTITYPK, ZCKRECORDNAME FROM ANSCKRECORDMETADATA")
        while try statement.step() {
            guard let entity = model.entity(numbered: statement.int64(0)),
                let name = statement.text(2)?.dropFirst(MirroringSQL.recordPrefix.count), let uid = Int(name)
            else { continue }
            records.append(
                Record(
                    entity: entity.number, place: Place(root: entity.root, key: statement.int64(1)), uid: uid))
        }
    }

    func root(of entity: Int) -> Int? { model.entity(numbered: Int64(entity))?.root }

    /// The records that are not those of their rows. A record whose object was deleted has no row.
    func issues() -> [String] {
        let uids = Set(rows.values.map(\.uid))
        return records.compactMap { record in
            guard let row = rows[record.place] else {
                return uids.contains(record.uid) ? "the record of \(record.uid) has lost its row" : nil
            }
            if row.uid != record.uid { return "the record of \(record.uid) leads to \(row.uid)" }
            return row.entity == record.entity ? nil : "the record of \(record.uid) has the entity \(record.entity)"
        }
    }
}
