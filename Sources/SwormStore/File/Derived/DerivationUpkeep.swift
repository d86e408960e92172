import SwormPredicates
import SwormSQLite

/// The maintenance of the derived attributes for which a store has no triggers of its own.
///
/// The connection that writes gets temporary triggers. They run in the transaction of the save, whichever statement
/// changes a row there, and leave nothing in the file that another program could not run. They only note the rows whose
/// value may have changed: thousands of members of one object may change, and its value is then computed only once.
struct DerivationUpkeep: Sendable {
    private struct Rule: Sendable {
        var number: Int
        var sql: DerivationSQL
        var triggers: [String]
        var update: String
        var read: String
    }

    /// The rules, sorted so that each follows those that its values are computed from.
    private let rules: [Rule]

    init(model: CompiledModel, layout: StoreLayout) {
        let all = DerivedAttribute.all(in: model).enumerated().compactMap { index, derived -> Rule? in
            guard let sql = DerivationSQL(derived, model: model, layout: layout) else { return nil }
            return sql.update.map {
                let number = index + 1
                return Rule(
                    number: number, sql: sql, triggers: sql.triggers(number: number), update: $0, read: sql.read)
            }
        }
        rules = Self.sorted(all)
    }

    /// Prepares the connection that will write. It is called before every transaction, and does its work once.
    func prepare(_ connection: StoreConnection) throws {
        guard !rules.isEmpty, !connection.changes.isPrepared else { return }
        var present: [String] = []
        try connection.rows("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, 5) = 'Z_DA_'") {
            if let text = $0.text(0) { present.append(text) }
        }
        for rule in rules where !present.contains(where: { Self.keeps($0, valueOf: rule) }) {
            for statement in rule.triggers { try connection.base.execute(statement) }
        }
        connection.changes.isPrepared = true
    }

    /// Returns whether a trigger of the file sets the column. Its name is unreliable, because the entity may have been
    /// renamed.
    private static func keeps(_ trigger: String, valueOf rule: Rule) -> Bool {
        trigger.contains("UPDATE \(rule.sql.table) SET \(rule.sql.column) =")
    }

    private static func sorted(_ rules: [Rule]) -> [Rule] {
        let indexes = Dictionary(rules.enumerated().map { ($1.sql.place, $0) }, uniquingKeysWith: { first, _ in first })
        var visited: Set<Int> = []
        var result: [Rule] = []
        for start in rules.indices {
            var path: [Int] = []
            var next: Int? = start
            // A value is computed from at most one other value. If the dependencies form a cycle, any of them may be
            // the first.
            while let index = next, visited.insert(index).inserted {
                path.append(index)
                next = rules[index].sql.source.flatMap { indexes[$0] }
            }
            result += path.reversed().map { rules[$0] }
        }
        return result
    }

    // MARK: Working out

    /// Recomputes the values of the rows that the triggers have noted, until no other value changes as a result.
    ///
    /// Values that are computed from values of the same attribute, in other rows, take several rounds. Rows that form a
    /// cycle may never converge. In all other cases, as many rounds as there are values suffice.
    func settle(_ connection: StoreConnection) throws {
        var affected: [Int: Set<Int64>] = [:]
        var rounds = 0
        while connection.changes.hasNotedRows {
            for (number, keys) in connection.changes.notedRows { affected[number, default: []].formUnion(keys) }
            guard rounds < affected.values.reduce(0, { $0 + $1.count }) else { break }
            rounds += 1
            for rule in rules {
                let keys = connection.changes.takeNotedRows(rule.number)
                if !keys.isEmpty { try workOut(rule, for: keys.sorted(), on: connection) }
            }
        }
        connection.changes.forgetNotedRows()
    }

    private func workOut(_ rule: Rule, for keys: [Int64], on connection: StoreConnection) throws {
        var update = try connection.base.statement(rule.update)
        var read = try connection.base.statement(rule.read)
        for key in keys {
            try update.bind(key, at: 1)
            do {
                try update.run()
            } catch let error as SQLiteError where error.isSumOverflow {
                throw rule.sql.overflow(of: key, error)
            }
            try read.bind(key, at: 1)
            if try read.step() {
                let place = TriggerChanges.Place(entity: read.int64(0), key: key, attribute: rule.sql.derived.name)
                connection.changes.note(place, value: read.storedValue(1))
            }
            read.reset()
        }
    }
}

extension SQLiteError {
    /// Whether SQLite could not compute a sum of integers.
    var isSumOverflow: Bool { message == "integer overflow" }
}
