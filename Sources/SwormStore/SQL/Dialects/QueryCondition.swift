/// A condition in SQL.
enum QueryCondition {
    /// The precedence of a condition's text.
    enum Level { case or, guarded, and, not, atom, exists }

    case constant(Bool)
    /// SQL text of the given precedence.
    ///
    /// - needs: The aliases of rows that may be missing in general, but exist whenever the condition is true.
    case text(String, Level, needs: Set<String> = [])

    static func atom(_ text: String, needs: Set<String> = []) -> QueryCondition { .text(text, .atom, needs: needs) }

    /// The maximum length of a chain. SQLite limits the depth of an expression, and a chain of operators is as deep as
    /// it is long.
    private static let longestChain = 100

    /// Returns a condition preceded by a test that it implies.
    ///
    /// The two keep their own brackets, because in a chain of ANDs SQLite draws conclusions from IS NOT NULL only if
    /// it is on the left.
    static func guarded(by test: String, _ condition: QueryCondition) -> QueryCondition {
        guard case .text(_, _, let needs) = condition else { return condition }
        return .text("\(test) AND \(condition.enclosed(in: .and))", .guarded, needs: needs)
    }

    static func and(_ parts: [QueryCondition]) -> QueryCondition { combined(parts, isAnd: true) }
    static func or(_ parts: [QueryCondition]) -> QueryCondition { combined(parts, isAnd: false) }

    private static func combined(_ parts: [QueryCondition], isAnd: Bool) -> QueryCondition {
        var texts: [QueryCondition] = []
        for part in parts {
            if case .constant(let value) = part {
                if value != isAnd { return .constant(value) }
            } else {
                texts.append(part)
            }
        }
        guard texts.count > 1 else { return texts.first ?? .constant(isAnd) }
        let level: Level = isAnd ? .and : .or
        var strings = texts.map { $0.enclosed(in: level) }
        let word = isAnd ? " AND " : " OR "
        while strings.count > longestChain {
            strings = stride(from: 0, to: strings.count, by: longestChain).map { start in
                "(" + strings[start..<min(start + longestChain, strings.count)].joined(separator: word) + ")"
            }
        }
        let needs = texts.map(\.needs)
        let common = needs.dropFirst().reduce(needs[0]) { isAnd ? $0.union($1) : $0.intersection($1) }
        return .text(strings.joined(separator: word), level, needs: common)
    }

    /// The aliases of the rows that exist whenever the condition is true.
    private var needs: Set<String> {
        if case .text(_, _, let needs) = self { needs } else { [] }
    }

    /// The condition with an explicit test for the rows that all alternatives of an OR need.
    ///
    /// SQLite infers that a row exists from comparisons that are joined by AND, but not from those in an OR. Without
    /// the test it would look up the row for each row of the entity, instead of using the indexes of its columns to
    /// find the rows that refer to it. With the test, unknown can become false, so it must not be used under NOT.
    ///
    /// - Parameter key: The column of the primary key.
    func sayingNeeds(key: String) -> QueryCondition {
        guard case .text(_, .or, let needs) = self, !needs.isEmpty else { return self }
        return needs.sorted(by: >).reduce(self) { .guarded(by: "\($1).\(key) IS NOT NULL", $0) }
    }

    var negated: QueryCondition {
        switch self {
        case .constant(let value): .constant(!value)
        case .text(let text, .exists, _): .text("NOT " + text, .not)
        case .text(let text, _, _): .text("NOT (\(text))", .not)
        }
    }

    /// Returns the text as a part of a longer condition.
    private func enclosed(in outer: Level) -> String {
        switch (self, outer) {
        case (.text(let text, .or, _), .and): "(\(text))"
        case (.text(let text, .and, _), .or), (.text(let text, .guarded, _), _): "(\(text))"
        case (.text(let text, _, _), _): text
        // Conditions are joined after their constants were folded.
        case (.constant(let value), _): value ? "TRUE" : "FALSE"
        }
    }

    /// Returns the SQL of the condition.
    func text(in dialect: SQLDialect) -> String {
        switch self {
        case .constant(let value): dialect.constant(value)
        case .text(let text, _, _): text
        }
    }
}
