import SwormPredicates
import SwormSQLite

/// Keeps the derived attributes right for which a store has no triggers of its own.
///
/// The connection that writes gets temporary triggers: they work in the transaction of the save, whatever changes a row
/// there, and leave nothing in the file that another program could not run.
struct DerivationUpkeep: Sendable {
    private struct Rule: Sendable {
        var table: String
        var column: String
        var statements: [String]
    }

    private let rules: [Rule]

    init(model: CompiledModel, layout: StoreLayout) {
        rules = DerivedAttribute.all(in: model).enumerated().compactMap { index, derived in
            let sql = DerivationSQL(derived, model: model, layout: layout)
            return sql.map { Rule(table: $0.table, column: $0.column, statements: $0.triggers(number: index + 1)) }
        }
    }

    /// Called before a transaction, on the connection that will write. Does its work once.
    func prepare(_ connection: StoreConnection) throws {
        guard !rules.isEmpty, !connection.changes.isPrepared else { return }
        var present: [String] = []
        try connection.rows("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, 5) = 'Z_DA_'") {
            if let text = $0.text(0) { present.append(text) }
        }
        for rule in rules where !present.contains(where: { Self.keeps($0, rule) }) {
            for statement in rule.statements { try connection.base.execute(statement) }
        }
        connection.changes.isPrepared = true
    }

    /// Whether a trigger of the file sets the column. Its name says nothing after an entity was renamed.
    private static func keeps(_ trigger: String, _ rule: Rule) -> Bool {
        trigger.contains("UPDATE \(rule.table) SET \(rule.column) =")
    }
}
