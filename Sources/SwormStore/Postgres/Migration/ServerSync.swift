#if PostgreSQL
/// The columns of a table that a trigger keeps equal, so that programs with different versions of a model write the same
/// values.
///
/// A property that was renamed has a column for each name until the older version is no longer served. A column that has
/// become required gets its default value where an older version leaves it empty.
struct ServerSync: Sendable, Hashable, Codable {
    /// Columns that store the same value. The first one belongs to the newest version.
    struct Group: Sendable, Hashable, Codable {
        var columns: [String]
        /// The numbers of the entities to whose rows this applies; nil for all rows.
        var entities: [Int]?
    }

    /// A column that is never empty.
    struct Fill: Sendable, Hashable, Codable {
        var column: String
        /// The default value as SQL text.
        var value: String
        /// The numbers of the entities to whose rows this applies; nil for all rows.
        var entities: [Int]?
    }

    var table: String
    var groups: [Group] = []
    var fills: [Fill] = []

    var isEmpty: Bool { groups.isEmpty && fills.isEmpty }

    /// The columns that get a value although a program does not write them.
    var columns: Set<String> { Set(groups.flatMap(\.columns) + fills.map(\.column)) }

    /// Adds columns that store the same value, to the columns that one of them is already equal to.
    mutating func add(_ group: Group) {
        let known = groups.firstIndex { present in
            present.entities == group.entities && !Set(present.columns).isDisjoint(with: group.columns)
        }
        guard let known else { return groups.append(group) }
        groups[known].columns = group.columns + groups[known].columns.filter { !group.columns.contains($0) }
    }

    mutating func add(_ fill: Fill) {
        fills.removeAll { $0.column == fill.column && $0.entities == fill.entities }
        fills.append(fill)
    }
}

// MARK: SQL

extension ServerSync {
    /// The start of the names of the functions of the triggers.
    static let functionPrefix = "_sworm_sync_"
    private static let triggers = (insertion: "_sworm_sync_insert", update: "_sworm_sync_update")

    /// The name of the function of the triggers, without its schema.
    var function: String { PostgresNames.shortened(Self.functionPrefix + table) }

    /// Returns the statements that create the function and its triggers, or replace them.
    ///
    /// - Parameter prefix: The schema with a period.
    func creation(in prefix: String) -> [String] {
        let call = "\(prefix)\(SQLName.alwaysQuoted(function))()"
        let target = "\(prefix)\(SQLName.alwaysQuoted(table))"
        let list = columns.sorted().map(SQLName.alwaysQuoted).joined(separator: ", ")
        func trigger(_ name: String, on event: String) -> String {
            "CREATE OR REPLACE TRIGGER \(SQLName.alwaysQuoted(name)) BEFORE \(event) ON \(target) FOR EACH ROW EXECUTE FUNCTION \(call)"
        }
        return [
            "CREATE OR REPLACE FUNCTION \(call) RETURNS trigger LANGUAGE plpgsql AS \(SQLName.dollarQuoted(body))",
            trigger(Self.triggers.insertion, on: "INSERT"), trigger(Self.triggers.update, on: "UPDATE OF \(list)"),
        ]
    }

    /// Returns the statements that remove the triggers and the function.
    func removal(in prefix: String) -> [String] {
        let target = "\(prefix)\(SQLName.alwaysQuoted(table))"
        return [Self.triggers.insertion, Self.triggers.update].map {
            "DROP TRIGGER IF EXISTS \(SQLName.alwaysQuoted($0)) ON \(target)"
        } + ["DROP FUNCTION IF EXISTS \(prefix)\(SQLName.alwaysQuoted(function))()"]
    }

    private var body: String {
        let lines = groups.map(Self.lines)
        // A column can belong to several groups, and passes a value from one to the other.
        let all = groups.flatMap(\.columns)
        let rounds = all.count == Set(all).count ? 1 : groups.count
        let filled = fills.map { fill -> String in
            let equal = groups.filter { $0.columns.contains(fill.column) }.flatMap(\.columns)
            let assignments = ([fill.column] + equal.filter { $0 != fill.column }).map {
                "NEW.\(SQLName.alwaysQuoted($0)) := \(fill.value);"
            }
            let test = "NEW.\(SQLName.alwaysQuoted(fill.column)) IS NULL\(Self.test(fill.entities))"
            return "IF \(test) THEN \(assignments.joined(separator: " ")) END IF;"
        }
        // The default value is for a row that has no value in any of the columns.
        let steps = Array(repeating: lines, count: rounds).flatMap(\.self) + filled
        return (["", "BEGIN"] + steps.map { "  " + $0 } + ["  RETURN NEW;", "END", ""]).joined(separator: "\n")
    }

    private static func test(_ entities: [Int]?) -> String {
        guard let entities else { return "" }
        return " AND NEW.\(SystemColumns.postgres.entity) IN (\(entities.map(String.init).joined(separator: ", ")))"
    }

    private static func lines(for group: Group) -> String {
        let columns = group.columns.map(SQLName.alwaysQuoted)
        guard let first = columns.first else { return "" }
        let rest = columns.dropFirst()
        let values = columns.map { "NEW.\($0)" }.joined(separator: ", ")
        // A new row has a value in the column that the program knows, and no value in the rest.
        let insertion =
            "NEW.\(first) := COALESCE(\(values)); " + rest.map { "NEW.\($0) := NEW.\(first);" }.joined(separator: " ")
        let updates = columns.map { column in
            let assignments = columns.filter { $0 != column }.map { "NEW.\($0) := NEW.\(column);" }
            return "NEW.\(column) IS DISTINCT FROM OLD.\(column) THEN \(assignments.joined(separator: " "))"
        }
        let branches = ["TG_OP = 'INSERT' THEN \(insertion)"] + updates
        let text = "IF " + branches.joined(separator: " ELSIF ") + " END IF;"
        guard let entities = group.entities else { return text }
        let numbers = entities.map(String.init).joined(separator: ", ")
        return "IF NEW.\(SystemColumns.postgres.entity) IN (\(numbers)) THEN \(text) END IF;"
    }
}
#endif
