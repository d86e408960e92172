package import Foundation
import SwormSQLite

/// Checks that a store's file is one that Core Data could have left: the rules that its framework relies on.
package enum StoreVerification {
    /// Every fault that is found; empty for a sound store. Nothing is changed.
    ///
    /// - Throws: ``CoreDataError`` where the store cannot be opened with the model.
    package static func faults(of url: URL, model: CompiledModel) throws -> [String] {
        var options = StoreOptions()
        options.isReadOnly = true
        let (_, open) = try SQLiteStore.openForReading(StoreFiles(url: url), model: model, options: options)
        let connection = try open.pool.takeReader()
        defer { open.pool.giveBack(connection) }
        return try CoreDataError.translating(while: "check", path: open.path) {
            var check = Check(connection: connection, model: model, layout: open.layout, files: StoreFiles(url: url))
            try check.run()
            return check.faults + (try HistoryCheck(connection: connection, model: model).faults())
        }
    }
}

private struct Check {
    let connection: StoreConnection
    let model: CompiledModel
    let layout: StoreLayout
    let files: StoreFiles
    var faults: [String] = []
    private var seen: Set<String> = []

    init(connection: StoreConnection, model: CompiledModel, layout: StoreLayout, files: StoreFiles) {
        self.connection = connection
        self.model = model
        self.layout = layout
        self.files = files
    }

    mutating func run() throws {
        var messages: [String] = []
        try connection.rows("PRAGMA integrity_check") { messages.append($0.text(0) ?? "") }
        if messages != ["ok"] { faults += messages }
        for entity in model.entities where entity.root == entity.number { try checkTable(of: entity) }
        for entity in model.entities {
            for slot in entity.relationships.indices { try checkRelationship(slot, of: entity) }
            for slot in entity.attributes.indices where entity.attributes[slot].allowsExternalStorage {
                try checkExternal(slot, of: entity)
            }
        }
    }

    private mutating func count(_ sql: String, _ message: (Int64) -> String) throws {
        // Inherited properties turn up with every descendant; the same question is asked once.
        guard seen.insert(sql).inserted else { return }
        if let count = try connection.integer(sql), count > 0 { faults.append(message(count)) }
    }

    private func table(_ entity: Int) -> String { SQLName.quoted(layout.table(of: model[entity])) }

    private mutating func checkTable(of root: CompiledEntity) throws {
        let table = table(root.number)
        let highest = try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
        let recorded = try connection.integer(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(Int64(root.number))])
        if recorded ?? -1 < highest {
            faults.append(
                "\(root.name): Z_MAX is \(recorded.map(String.init) ?? "missing"), the highest key is \(highest)")
        }
        // The keys of a hierarchy are counted in one place.
        try count(
            "SELECT count(*) FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN \(root.family.lowerBound + 1) AND \(root.family.upperBound) AND Z_MAX <> 0"
        ) { "\(root.name): \($0) descendants have a Z_MAX of their own" }
        try count("SELECT count(*) FROM \(table) WHERE Z_PK < 1") { "\(root.name): \($0) rows with a key below 1" }
        try count("SELECT count(*) FROM \(table) WHERE Z_OPT IS NULL OR Z_OPT < 1") {
            "\(root.name): \($0) rows without a version"
        }
        try count(
            "SELECT count(*) FROM \(table) WHERE Z_ENT IS NULL OR Z_ENT NOT BETWEEN \(root.family.lowerBound) AND \(root.family.upperBound)"
        ) { "\(root.name): \($0) rows of another entity" }
    }

    private mutating func checkRelationship(_ slot: Int, of entity: CompiledEntity) throws {
        let relationship = entity.relationships[slot]
        let name = "\(entity.name).\(relationship.name)"
        let own = table(entity.number)
        let destination = table(relationship.destination)
        if let toOne = layout.toOne(slot, in: entity.number) {
            let key = SQLName.quoted(toOne.column)
            try count(
                "SELECT count(*) FROM \(own) s WHERE s.\(key) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(destination) d WHERE d.Z_PK = s.\(key))"
            ) {
                "\(name): \($0) rows lead to an object that is not there"
            }
            if let inverse = relationship.inverse,
                let back = layout.toOne(inverse, in: relationship.destination).map({ SQLName.quoted($0.column) })
            {
                try count(
                    "SELECT count(*) FROM \(own) s JOIN \(destination) d ON d.Z_PK = s.\(key) WHERE d.\(back) IS NOT s.Z_PK"
                ) {
                    "\(name): \($0) rows lead to an object that does not lead back"
                }
            }
            if let column = toOne.entityColumn.map(SQLName.quoted) {
                try count(
                    "SELECT count(*) FROM \(own) s JOIN \(destination) d ON d.Z_PK = s.\(key) WHERE s.\(column) IS NOT d.Z_ENT"
                ) {
                    "\(name): \($0) rows name another entity than their object has"
                }
            }
            return
        }
        switch layout.toMany(slot, in: entity.number) {
        case .inverse(let column, let order?)?, .oneWay(let column, let order?)?:
            try count(
                "SELECT count(*) FROM \(destination) WHERE (\(SQLName.quoted(column)) IS NULL) <> (\(SQLName.quoted(order)) IS NULL)"
            ) { "\(name): \($0) rows have an owner without a place, or a place without an owner" }
            try countSharedPlaces(destination, owner: column, order: order, name)
        case .join(let join)?:
            let table = SQLName.quoted(join.table)
            for (column, other) in [(join.ownColumn, own), (join.otherColumn, destination)] {
                let key = SQLName.quoted(column)
                try count(
                    "SELECT count(*) FROM \(table) j WHERE NOT EXISTS (SELECT 1 FROM \(other) o WHERE o.Z_PK = j.\(key))"
                ) {
                    "\(name): \($0) rows of \(join.table) lead to an object that is not there (\(column))"
                }
            }
            for (owner, order) in [
                (join.ownColumn, join.orderColumn), (join.otherColumn, join.inverseOrderColumn),
            ] {
                guard let order else { continue }
                try countSharedPlaces(table, owner: owner, order: order, name)
                try count("SELECT count(*) FROM \(table) WHERE \(SQLName.quoted(order)) IS NULL") {
                    "\(name): \($0) rows of \(join.table) without a place (\(order))"
                }
            }
        case .inverse?, .oneWay?, nil: return
        }
        if case .oneWay(let column, _)? = layout.toMany(slot, in: entity.number) {
            let key = SQLName.quoted(column)
            try count(
                "SELECT count(*) FROM \(destination) d WHERE d.\(key) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(own) o WHERE o.Z_PK = d.\(key))"
            ) {
                "\(name): \($0) rows belong to an object that is not there"
            }
        }
    }

    /// Counts places that several members of one owner have.
    ///
    /// - Parameters:
    ///   - table: The quoted name of the table that holds the places.
    ///   - owner: The column with the owner's key.
    ///   - order: The column with the place.
    private mutating func countSharedPlaces(_ table: String, owner: String, order: String, _ name: String) throws {
        let (owner, order) = (SQLName.quoted(owner), SQLName.quoted(order))
        try count(
            "SELECT count(*) FROM (SELECT 1 FROM \(table) WHERE \(owner) IS NOT NULL AND \(order) IS NOT NULL GROUP BY \(owner), \(order) HAVING count(*) > 1)"
        ) { "\(name): \($0) places are taken by several rows" }
    }

    private mutating func checkExternal(_ slot: Int, of entity: CompiledEntity) throws {
        guard let column = layout.column(ofAttribute: slot, in: entity.number) else { return }
        let sql =
            "SELECT Z_PK, substr(\(SQLName.quoted(column)), 1, 64) FROM \(table(entity.number)) WHERE \(SQLName.quoted(column)) IS NOT NULL"
        guard seen.insert(sql).inserted else { return }
        let folder = ExternalDataFolder(path: files.externalData)
        let name = "\(entity.name).\(entity.attributes[slot].name)"
        var found: [String] = []
        try connection.rows(sql) { statement in
            let key = statement.int64(0)
            statement.withBlob(1) { bytes in
                guard let bytes, let marker = bytes.first else {
                    found.append("\(name): row \(key) has no marker")
                    return
                }
                if marker == ExternalDataFolder.inlineMarker { return }
                guard let file = ExternalDataFolder.reference(in: bytes).flatMap({ folder.file($0) }) else {
                    found.append("\(name): row \(key) begins with the marker \(marker)")
                    return
                }
                if !FileManager.default.fileExists(atPath: file) {
                    found.append("\(name): row \(key) names a missing file")
                }
            }
        }
        faults += found
    }
}
