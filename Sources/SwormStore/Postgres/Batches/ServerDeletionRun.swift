#if PostgreSQL
import SwormPostgres
import SwormPredicates

/// A deletion of all rows of a request, and of the rows that the delete rules include.
///
/// It applies the rules of ``BatchDeletionRun`` with the same results, and sends the keys of the rows to the server as arrays.
struct ServerDeletionRun {
    private let batch: BatchDeletion
    private let work: ServerBatch

    init(_ batch: BatchDeletion, in work: ServerBatch) {
        self.batch = batch
        self.work = work
    }

    private var model: CompiledModel { work.model }

    func run() throws -> BatchResult {
        if case .found(let specification) = batch.choice, let count = try deleteAtOnce(specification) {
            return BatchResult(count: count)
        }
        var keys = ServerBatchKeys()
        var result = BatchResult(count: try choose(&keys))
        guard result.count > 0 else { return result }
        let links = try followCascades(&keys)
        let cuts = try check(links, keys: keys)
        if batch.namesRows { result.rows = keys.rows }
        try write(links, cuts: cuts, keys: keys)
        try cuts.checkCounts(in: work)
        _ = try work.write.settleDerivedValues()
        return result
    }

    /// Deletes the rows of a request directly if no relationships depend on them.
    ///
    /// - Returns: The number of rows; nil if the rows have to be known, or if there is no exact statement.
    private func deleteAtOnce(_ specification: FetchSpecification) throws -> Int? {
        guard !batch.namesRows, work.write.history == nil else { return nil }
        let family = model[specification.entity].family
        guard family.allSatisfy({ model[$0].relationships.allSatisfy(\.isTransient) }) else { return nil }
        // No derived value can depend on these rows, and the listeners assume that any row of the table was deleted. In the
        // snapshot of the transaction, both statements find the same rows.
        let results = try work.runIfExact(specification) {
            [try work.expectedCount(specification), try work.compiler.delete(specification)]
        }
        guard let results, let deletion = results.last else { return nil }
        try work.require(results[0], in: deletion, verb: "delete", of: model[specification.entity])
        return deletion.affectedRows
    }

    private func choose(_ keys: inout ServerBatchKeys) throws -> Int {
        switch batch.choice {
        case .found(let specification):
            return keys.add(try work.identities(specification), root: model[specification.entity].root)
        case .listed(let rows):
            var count = 0
            var rest = rows[...]
            // One statement for rows that follow each other in one table.
            while let first = rest.first {
                let root = model[first.entity].root
                let part = rest.prefix { model[$0.entity].root == root }
                rest = rest[part.endIndex...]
                let table = work.schema.columns(of: first).table
                let sql =
                    "SELECT \(work.entityNumber(of: root)), t0.\(work.key) FROM unnest($1) WITH ORDINALITY o(key, place) JOIN \(table) t0 ON t0.\(work.key) = o.key ORDER BY o.place"
                let found = try work.connection.run(SQLStatement(sql, keys: part.map(\.key)))
                count += keys.add(try ServerBatchKeys.rows(of: found), root: root)
            }
            return count
        }
    }

    // MARK: Rules

    /// Adds the rows that are deleted along with the given rows, at any depth, and returns the links that start at deleted
    /// rows. Each level takes one trip to the server.
    private func followCascades(_ keys: inout ServerBatchKeys) throws -> [ServerLink] {
        let all = ServerLink.all(in: work.schema)
        let cascades = all.filter { $0.relationship.deleteRule == .cascadeDeleteRule }
        var done = 0
        while keys.count > done {
            let parts = cascades.compactMap { link -> (link: ServerLink, statement: SQLStatement)? in
                let owners = keys.keys(of: link.entity, after: done)
                guard !owners.isEmpty else { return nil }
                let sql =
                    "SELECT \(work.entityNumber(of: link.destination.number)), t0.\(work.key) FROM \(link.table) t0 WHERE \(link.leads(from: Self.first)) ORDER BY t0.\(work.key)"
                return (link, SQLStatement(sql, keys: owners))
            }
            done = keys.count
            for (part, found) in zip(parts, try work.connection.run(parts.map(\.statement))) {
                _ = keys.add(try ServerBatchKeys.rows(of: found), root: part.link.destination.root)
            }
        }
        let concerned = Set(keys.rows.map(\.entity))
        return all.filter { link in
            !concerned.isDisjoint(with: link.entity.family) || !keys.keys(of: link.entity).isEmpty
        }
    }

    /// The keys of the first parameter, and those of the second.
    private static let first = "SELECT unnest($1)"
    private static let lacks =
        "NOT EXISTS (SELECT 1 FROM unnest($2) d(key) WHERE d.key = t0.\(SystemColumns.postgres.key))"

    /// A question about the remaining rows.
    private enum Question {
        /// The number of members that deny the deletion.
        case denial(ServerLink)
        /// The number of remaining rows whose required relationship leads to a deleted row.
        case required(ServerLink, inverse: ServerLink)
        /// The remaining rows that lose members.
        case shrunk(inverse: ServerLink)
    }

    /// Finds the links to cut, with one trip to the server.
    ///
    /// - Throws: The errors of rows that must not be deleted.
    private func check(_ links: [ServerLink], keys: ServerBatchKeys) throws -> DeletionCuts {
        var cuts = DeletionCuts()
        var questions: [(question: Question, statement: SQLStatement)] = []
        func ask(_ question: Question, selecting list: String, of link: ServerLink) {
            let (owners, others) = (keys.keys(of: link.entity), keys.keys(of: model[link.destination.root]))
            let sql = "SELECT \(list) FROM \(link.table) t0 WHERE \(link.leads(from: Self.first)) AND \(Self.lacks)"
            questions.append((question, SQLStatement(sql, keys: owners, others)))
        }
        for link in links where link.relationship.deleteRule == .denyDeleteRule {
            ask(.denial(link), selecting: "count(*), min(t0.\(work.key))", of: link)
        }
        var columns: Set<[String]> = []
        for link in links where link.relationship.deleteRule == .nullifyDeleteRule {
            guard let inverse = link.inverse(in: work.schema) else { continue }
            guard inverse.relationship.isToMany else {
                let place = work.schema.columns[link.destination.number - 1].toOne(inverse.slot)
                guard let place, columns.insert([link.table, place.column]).inserted else { continue }
                if !inverse.relationship.isOptional {
                    ask(.required(link, inverse: inverse), selecting: "count(*), min(t0.\(work.key))", of: link)
                }
                cuts.references[link.destination.root, default: []].append(
                    DeletionCuts.Reference(
                        name: inverse.relationship.name, column: place.column, orderColumn: place.orderColumn,
                        deleted: keys.keys(of: link.entity)))
                continue
            }
            guard inverse.relationship.hasCountRules else { continue }
            ask(.shrunk(inverse: inverse), selecting: "t0.\(work.key)", of: link)
        }
        guard !questions.isEmpty else { return cuts }
        var denials: [CoreDataError] = []
        var missing: CoreDataError?
        for (question, answer) in zip(questions, try work.connection.run(questions.map(\.statement))) {
            switch question.question {
            case .denial(let link):
                let count = try answer.int(0, column: 0) ?? 0
                guard count > 0 else { continue }
                denials.append(
                    .denial(
                        by: link.relationship, of: link.entity, to: link.destination, count: count,
                        key: try answer.int64(0, column: 1) ?? 0))
            case .required(let link, let inverse):
                let count = try answer.int(0, column: 0) ?? 0
                guard count > 0, missing == nil else { continue }
                missing = .requiredLink(
                    to: link.entity, by: inverse.relationship, of: inverse.entity, count: count,
                    key: try answer.int64(0, column: 1) ?? 0)
            case .shrunk(let inverse):
                let owners = try (0..<answer.rowCount).compactMap { try answer.int64($0, column: 0) }
                if !owners.isEmpty { cuts.shrunk.append((inverse, owners.sorted())) }
            }
        }
        try CoreDataError.throwAll(denials)
        if let missing { throw missing }
        return cuts
    }

    // MARK: Writing

    /// Deletes the rows and cuts the links, with one trip to the server.
    private func write(_ links: [ServerLink], cuts: DeletionCuts, keys: ServerBatchKeys) throws {
        let derivation = work.write.derivation
        let roots = work.schema.columns.filter { $0.entity.root == $0.entity.number }
            .map { (columns: $0, keys: keys.keys(of: $0.entity)) }.filter { !$0.keys.isEmpty }
        var steps: [ServerWrite.Step] = []
        for (columns, own) in roots {
            steps += derivation?.stepsNotingOwners(of: own, root: columns.entity.number, columns: nil) ?? []
        }
        steps += historySteps(cuts)
        // The links first: the server would remove the rows of join tables one by one.
        for link in links {
            let owners = keys.keys(of: link.entity)
            for removal in link.removals {
                steps.append(
                    ServerWrite.Step(SQLStatement(removal.sql, keys: owners)) { result in
                        guard let join = link.join(in: work.schema) else { return }
                        let others = try result.keys()
                        work.write.history?.change(others, at: link.inverse(in: work.schema))
                        derivation?.noteLinks(
                            join, own: removal.isReversed ? others : [], other: removal.isReversed ? [] : others)
                    })
            }
        }
        for (columns, own) in roots {
            let noted = work.write.history.map { _ in DeletedRows(columns.entity, in: work.schema) }
            let returning = noted.map { " RETURNING \(work.key)\($0.list)" } ?? ""
            let statement = SQLStatement(
                "DELETE FROM \(columns.table) WHERE \(work.key) = ANY($1)\(returning)", keys: own)
            steps.append(
                ServerWrite.Step(statement) { result in
                    if let notes = work.write.history { try noted?.note(result, in: notes) }
                    guard result.affectedRows < own.count else { return }
                    throw work.ignoredChange(
                        "delete objects of \(columns.entity.name)", of: columns.entity, in: columns.table)
                })
            work.write.changes?.note(.deletion, of: own, root: columns.entity.number)
        }
        for (root, references) in cuts.references.sorted(by: { $0.key < $1.key }) {
            guard let statement = cuts.statement(of: root, in: work) else { continue }
            steps.append(
                ServerWrite.Step(statement) { result in
                    let changed = try result.keys()
                    work.write.changes?.note(.update, of: changed, root: root)
                    derivation?.noteChanged(
                        changed, root: root, columns: references.map(\.column), ownValuesAreWritten: false)
                })
        }
        try work.write.run(steps)
    }

    /// Returns the statements that find the rows whose references are cut, for the history.
    private func historySteps(_ cuts: DeletionCuts) -> [ServerWrite.Step] {
        guard let notes = work.write.history else { return [] }
        return cuts.references.sorted { $0.key < $1.key }.flatMap { root, references in
            references.filter { !$0.deleted.isEmpty }.map { reference in
                let table = work.schema.columns[root - 1].table
                let sql = "SELECT \(work.key) FROM \(table) WHERE \(reference.column) = ANY($1) ORDER BY \(work.key)"
                return ServerWrite.Step(SQLStatement(sql, keys: reference.deleted)) { result in
                    notes.change(try result.keys(), of: root, property: reference.name)
                }
            }
        }
    }
}
#endif
