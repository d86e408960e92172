extension PredicateParser {
    /// Reads a prefix of an operator: a sign, a quantifier, or an operand.
    mutating func parsePrefix() throws -> Parsed {
        let start = token.start
        switch token.kind {
        case .symbol(.not), .word(_, .not):
            try advance()
            let operand = try nested { try $0.parse(.not) }
            return try node(.predicate(.not(try requirePredicate(operand))), depth: operand.depth, from: start)
        case .symbol(.minus):
            try advance()
            return try parseNegation(from: start)
        case .word(_, .any), .word(_, .someOf): return try parseQuantified(.any)
        case .word(_, .all): return try parseQuantified(.all)
        case .word(_, .noneOf):
            let parsed = try parseQuantified(.any)
            return try node(.predicate(.not(try requirePredicate(parsed))), depth: parsed.depth, from: start)
        case .word(_, .truePredicate): return try leaf(.predicate(.constant(true)))
        case .word(_, .falsePredicate): return try leaf(.predicate(.constant(false)))
        case .symbol(.openRound): return try parseGroup()
        default: return try parsePostfix(try parseAtom())
        }
    }

    /// Reads a minus sign. Directly before a number, it belongs to the number.
    private mutating func parseNegation(from start: Int) throws -> Parsed {
        switch token.kind {
        case .integer(let magnitude):
            try advance()
            let value = try integer(magnitude, isNegative: true, at: start)
            return try parsePostfix(try node(.expression(.value(value)), depth: 0, from: start))
        case .real(let value):
            try advance()
            return try parsePostfix(try node(.expression(.value(.double(-value))), depth: 0, from: start))
        default:
            let operand = try nested { try $0.parse(.unary) }
            return try node(.expression(.negate(try requireExpression(operand))), depth: operand.depth, from: start)
        }
    }

    private mutating func parseQuantified(_ quantifier: Quantifier) throws -> Parsed {
        let word = lexer.text(from: token.start, to: token.end)
        let start = token.start
        try advance()
        if isNext(.dot) || endsKeyword {
            throw lexer.issue("'\(word)' is a reserved word; as a key, write `#\(word)` or `%K`", at: start)
        }
        let left = try nested { try $0.parse(.set) }
        guard case .comparison(let comparator) = Infix(token.kind) else {
            throw lexer.issue(
                "expected an operator after `\(word) \(source(left))`, found \(shown)", at: token.start)
        }
        var parsed = try parseComparison(left, by: comparator, quantifier: quantifier)
        parsed.start = start
        return parsed
    }

    /// Whether an operator follows that cannot start an operand, so that the preceding word is a key.
    private var endsKeyword: Bool {
        switch Infix(token.kind) {
        case .comparison, .compound: true
        default: false
        }
    }

    private mutating func parseGroup() throws -> Parsed {
        let start = token.start
        try advance()
        var inner = try nested { try $0.parse(.or) }
        if isNext(.comma) {
            throw lexer.issue("unexpected `,`; write a list in curly brackets: `{a, b}`", at: token.start)
        }
        try expect(.closeRound, "to close the bracket", openedAt: start)
        inner.start = start
        inner.end = previousEnd
        guard case .expression = inner.content else { return inner }
        return try parsePostfix(inner)
    }

    /// Reads the keys and indexes after an operand.
    private mutating func parsePostfix(_ first: Parsed) throws -> Parsed {
        guard isNext(.dot) || isNext(.openSquare) || isCollectionOperator(first) else { return first }
        var tree = try requireExpression(first)
        var depth = first.depth
        var chain = KeyPathChain()
        if case .key(_, let key) = tree { try take(key, into: &chain, at: first.start) }
        while true {
            if isNext(.dot) {
                try advance()
                let position = token.start
                for key in try parseKeys() {
                    let isRedundant = key == "self" && !chain.wantsKey
                    try take(key, into: &chain, at: position)
                    guard !isRedundant else { continue }
                    tree = .key(tree, key)
                    depth = try node(.expression(tree), depth: depth, from: first.start).depth
                }
            } else if isNext(.openSquare) {
                try requireComplete(chain)
                tree = .index(tree, try parseSubscript(&depth))
                depth = try node(.expression(tree), depth: depth, from: first.start).depth
                chain = KeyPathChain()
            } else {
                break
            }
        }
        try requireComplete(chain)
        return Parsed(content: .expression(tree), depth: depth, start: first.start, end: previousEnd)
    }

    private func isCollectionOperator(_ parsed: Parsed) -> Bool {
        guard case .expression(.key(_, let key)) = parsed.content else { return false }
        return key.hasPrefix("@")
    }

    /// The keys that the collection operators of a key path still require.
    private struct KeyPathChain {
        var wantsKey = false
        var count = false
        var last = ""
        var position = 0
    }

    private func take(_ key: String, into chain: inout KeyPathChain, at position: Int) throws {
        if chain.count {
            throw QueryError(.syntax, "nothing can follow @count", column: lexer.column(of: position))
        }
        guard key.hasPrefix("@") else {
            chain.wantsKey = false
            return
        }
        switch key {
        case "@count": chain = KeyPathChain(count: true)
        case "@sum", "@avg", "@min", "@max":
            chain = KeyPathChain(wantsKey: true, last: key, position: position)
        default:
            throw QueryError(
                .unsupported,
                "the collection operator '\(key)' is not supported; the supported operators are @count, @sum, @avg, @min, @max",
                column: lexer.column(of: position))
        }
    }

    private func requireComplete(_ chain: KeyPathChain) throws {
        guard chain.wantsKey else { return }
        throw QueryError(
            .syntax, "'\(chain.last)' needs a key after it, as in `items.\(chain.last).price`",
            column: lexer.column(of: chain.position))
    }

    /// Reads the keys after a dot, where reserved words are ordinary keys.
    private mutating func parseKeys() throws -> [String] {
        switch token.kind {
        case .word(let name, _):
            try advance()
            if isNext(.openRound) {
                throw QueryError(
                    .unsupported, "methods cannot be called: '\(name)(…)'", column: lexer.column(of: previousEnd))
            }
            return [name.lowercased() == "self" ? "self" : name]
        case .escaped(let name), .collectionOperator(let name):
            try advance()
            return [name]
        case .argument(.key): return try parseKeyArgument()
        default: throw lexer.issue("expected a key after the dot, found \(shown)", at: token.start)
        }
    }

    /// Reads a `%K`, whose argument is split at the dots.
    mutating func parseKeyArgument() throws -> [String] {
        let start = token.start
        guard case .value(.string(let path)) = try takeArgument() else {
            throw QueryError(
                .argument, "argument \(argumentNumber) is a key (%K) and must be a string",
                column: lexer.column(of: start))
        }
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !keys.contains(where: { $0.isEmpty || $0 == "@" }) else {
            throw QueryError(
                .argument, "argument \(argumentNumber), '\(path.prefix(80))', is not a key path",
                column: lexer.column(of: start))
        }
        guard keys.count < PredicateLimits.parsedDepth else {
            throw QueryError(
                .limit, "argument \(argumentNumber) is a key path of too many keys (\(keys.count))",
                column: lexer.column(of: start))
        }
        try advance()
        return keys
    }

    private mutating func parseSubscript(_ depth: inout Int) throws -> Subscript {
        let start = token.start
        try advance()
        if case .word(_, let keyword?) = token.kind, let word = Self.subscriptWords[keyword] {
            // A single word is one of `subscriptWords`; otherwise it starts a key path of that name.
            let back = self
            try advance()
            if isNext(.closeSquare) {
                try advance()
                return word
            }
            self = back
        }
        let inner = try nested { try $0.parse(.set) }
        depth = max(depth, inner.depth)
        let tree = try requireExpression(inner)
        try expect(.closeSquare, "to close the bracket", openedAt: start)
        return .expression(tree)
    }

    private static let subscriptWords: [PredicateKeyword: Subscript] = [.first: .first, .last: .last, .size: .size]
}
