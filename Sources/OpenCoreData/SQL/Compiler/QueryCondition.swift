/// A condition in SQL.
enum QueryCondition {
    /// How tightly the text binds.
    enum Level { case or, and, not, atom, exists }

    case constant(Bool)
    case text(String, Level)

    static func atom(_ text: String) -> QueryCondition { .text(text, .atom) }

    /// SQLite limits the depth of an expression, and a chain of operators is as deep as it is long.
    private static let longestChain = 100

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
        return .text(strings.joined(separator: word), level)
    }

    var negated: QueryCondition {
        switch self {
        case .constant(let value): .constant(!value)
        case .text(let text, .exists): .text("NOT " + text, .not)
        case .text(let text, _): .text("NOT (\(text))", .not)
        }
    }

    /// The text as a part of a longer condition.
    private func enclosed(in outer: Level) -> String {
        switch (self, outer) {
        case (.text(let text, .or), .and): "(\(text))"
        case (.text(let text, .and), .or): "(\(text))"
        default: text
        }
    }

    var text: String {
        switch self {
        case .constant(let value): value ? "1" : "0"
        case .text(let text, _): text
        }
    }
}
