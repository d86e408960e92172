import SwormPredicates
import SwormSQLite

/// A deletion of all rows of a request, and of the rows that the delete rules include. It runs inside a transaction
/// that is rolled back if it throws an error.
///
/// It applies the rules that a context applies to its objects to sets of rows. Both result in the same file.
struct BatchDeletionRun {
    let transaction: SaveTransaction
    /// Whether a trigger of the file may ignore a change.
    private let looksForRemains: Bool
    private let batch: BatchDeletion
    private let compiler: SQLCompiler

    init(_ batch: BatchDeletion, in transaction: SaveTransaction, compiler: SQLCompiler) throws {
        looksForRemains = try transaction.hasIgnoringTriggers()
        self.batch = batch
        self.transaction = transaction
        self.compiler = compiler
    }

    var connection: StoreConnection { transaction.connection }
    var model: CompiledModel { transaction.model }

    func run() throws -> BatchResult {
        if case .found(let specification) = batch.choice, try deletesAtOnce(specification) {
            try connection.run(compiler.delete(specification))
            return BatchResult(count: connection.base.changes)
        }
        let keys = try BatchKeys(connection)
        defer { try? keys.clear() }
        var result = BatchResult(count: try choose(keys))
        guard result.count > 0 else { return result }
        let links = try followCascades(keys)
        try checkDenials(links)
        let cut = try NullifiedReferences(links, in: transaction)
        try note(keys, links: links)
        if batch.namesRows { result.rows = try keys.rows() }
        try deleteRows(links)
        try cut.clear()
        if looksForRemains {
            try requireDeleted(links)
            try cut.requireCleared()
        }
        try cut.check()
        return result
    }

    /// Returns whether the rows of a request can be deleted directly, because no relationships, external files or
    /// history depend on them.
    private func deletesAtOnce(_ specification: FetchSpecification) throws -> Bool {
        guard !transaction.keepsHistory, !batch.namesRows, !looksForRemains else { return false }
        return model[specification.entity].family.allSatisfy { number in
            let columns = transaction.columns[number - 1]
            return columns.externalAttributes.isEmpty && columns.entity.relationships.allSatisfy(\.isTransient)
        }
    }

    private func choose(_ keys: BatchKeys) throws -> Int {
        switch batch.choice {
        case .found(let specification):
            return try keys.add(compiler.identities(specification), root: model[specification.entity].root)
        case .listed(let rows):
            return try choose(rows, keys)
        }
    }

    /// Adds listed rows in their order, with one statement for those that follow each other in one table.
    private func choose(_ rows: [RowID], _ keys: BatchKeys) throws -> Int {
        var count = 0
        var rest = rows[...]
        while let first = rest.first {
            let root = model[first.entity].root
            let part = rest.prefix { model[$0.entity].root == root }
            rest = rest[part.endIndex...]
            count += try keys.add(
                CompiledStatement(
                    sql: """
                        SELECT t0.Z_ENT, t0.Z_PK FROM json_each(?1) o \
                        CROSS JOIN \(transaction.columns(of: first).table) t0 ON t0.Z_PK = o.value ORDER BY o.key
                        """,
                    bindings: [.text(JSONText.array(of: part.map(\.key)))]),
                root: root)
        }
        return count
    }

    // MARK: Rules

    /// Adds the rows that are deleted along with the given rows, at any depth, and returns the links that start at
    /// deleted rows.
    private func followCascades(_ keys: BatchKeys) throws -> [StoredLink] {
        let all = model.entities.flatMap { entity in
            entity.relationships.indices.compactMap { slot -> StoredLink? in
                let relationship = entity.relationships[slot]
                guard relationship.owner == entity.number, !relationship.isTransient else { return nil }
                return StoredLink(slot, of: entity, in: transaction)
            }
        }
        let cascades = all.filter { $0.relationship.deleteRule == .cascadeDeleteRule }
        var done: Int64 = 0
        var last = try keys.last
        while last > done, !cascades.isEmpty {
            for link in cascades {
                let owners = BatchKeys.keys(of: link.entity, after: "?1")
                _ = try keys.add(
                    CompiledStatement(
                        sql:
                            "SELECT t0.Z_ENT, t0.Z_PK FROM \(link.table) t0 WHERE \(link.leads(from: owners)) ORDER BY t0.Z_PK",
                        bindings: [.int64(done)]),
                    root: link.destination.root)
            }
            (done, last) = (last, try keys.last)
        }
        var concerned: Set<Int> = []
        try connection.rows("SELECT DISTINCT entity FROM \(BatchKeys.table)") { concerned.insert($0.int(0)) }
        return all.filter { !concerned.isDisjoint(with: $0.entity.family) }
    }

    private func checkDenials(_ links: [StoredLink]) throws {
        var errors: [CoreDataError] = []
        for link in links where link.relationship.deleteRule == .denyDeleteRule {
            let staying =
                "\(link.leads(from: BatchKeys.keys(of: link.entity))) AND \(BatchKeys.lacks("t0.Z_PK", root: link.destination.root))"
            try connection.rows("SELECT count(*), min(t0.Z_PK) FROM \(link.table) t0 WHERE \(staying)") { statement in
                let count = statement.int(0)
                guard count > 0 else { return }
                errors.append(
                    CoreDataError.denial(
                        by: link.relationship, of: link.entity, to: link.destination, count: count,
                        key: statement.int64(1)))
            }
        }
        try CoreDataError.throwAll(errors)
    }

    // MARK: Writing

    private func deleteRows(_ links: [StoredLink]) throws {
        var tables: Set<String> = []
        for entity in model.entities where entity.root == entity.number {
            let table = transaction.columns[entity.number - 1].table
            guard tables.insert(table).inserted else { continue }
            try connection.run("DELETE FROM \(table) WHERE Z_PK IN (\(BatchKeys.keys(of: entity)))")
        }
        for link in links {
            let owners = BatchKeys.keys(of: link.entity)
            switch transaction.layout.toMany(link.slot, in: link.entity.number) {
            case .join(let join)?:
                for side in join.isReflexive ? [join.ownColumn, join.otherColumn] : [join.ownColumn] {
                    try connection.run(
                        "DELETE FROM \(SQLName.quoted(join.table)) WHERE \(SQLName.quoted(side)) IN (\(owners))")
                }
            case .oneWay(let column, let order)?:
                let name = SQLName.quoted(column)
                let reset = order.map { ", \(SQLName.quoted($0)) = NULL" } ?? ""
                try connection.run("UPDATE \(link.table) SET \(name) = NULL\(reset) WHERE \(name) IN (\(owners))")
            case .inverse?, nil: continue
            }
        }
    }

    /// Throws an error if a trigger has kept a row that should have been deleted.
    private func requireDeleted(_ links: [StoredLink]) throws {
        for entity in model.entities where entity.root == entity.number {
            try transaction.requireNone(
                "Z_PK IN (\(BatchKeys.keys(of: entity)))", in: transaction.columns[entity.number - 1].table,
                else: "delete objects of \(entity.name)", of: entity)
        }
        for link in links {
            let owners = BatchKeys.keys(of: link.entity)
            let (table, sides): (String, [String]) =
                switch transaction.layout.toMany(link.slot, in: link.entity.number) {
                case .join(let join)?:
                    (
                        SQLName.quoted(join.table),
                        join.isReflexive ? [join.ownColumn, join.otherColumn] : [join.ownColumn]
                    )
                case .oneWay(let column, _)?: (link.table, [column])
                case .inverse?, nil: ("", [])
                }
            for side in sides {
                try transaction.requireNone(
                    "\(SQLName.quoted(side)) IN (\(owners))", in: table,
                    else: "remove links of \(link.entity.name).\(link.relationship.name)", of: link.entity)
            }
        }
    }

    /// Notes the external files of the rows that are about to be deleted, and the changes that the history records.
    private func note(_ keys: BatchKeys, links: [StoredLink]) throws {
        var seen: Set<String> = []
        for columns in transaction.columns {
            let external = columns.externalAttributes.filter { seen.insert("\(columns.table) \($0.column)").inserted }
            guard !external.isEmpty else { continue }
            let root = model[columns.entity.root]
            try transaction.noteFiles(of: external, in: columns.table, where: "Z_PK IN (\(BatchKeys.keys(of: root)))")
        }
        guard transaction.keepsHistory else { return }
        for row in try keys.rows() where model.entity(numbered: Int64(row.entity)) != nil {
            try transaction.note(SaveRequest.Deletion(row: row, version: nil))
        }
    }
}
