/// Parses a format string into a predicate.
///
/// - Parameters:
///   - format: A string in Apple's predicate language.
///   - arguments: The values for `%@`, `%K` and the printf forms, in order. Surplus arguments are ignored.
/// - Throws: A ``QueryError`` with the column of the error.
package func parsePredicate(_ format: String, arguments: [PredicateArgument] = []) throws -> PredicateTree {
    var parser = try PredicateParser(format, arguments: arguments)
    return try parser.predicate()
}

/// Parses a format string into an expression: a key path, a constant, a sum, ...
///
/// - Parameters:
///   - format: A string in Apple's predicate language.
///   - arguments: The values for `%@`, `%K` and the printf forms, in order.
///   - allowsFetches: Whether the expression may fetch. Only the mappings of a migration have such expressions.
package func parseExpression(
    _ format: String, arguments: [PredicateArgument] = [], allowsFetches: Bool = false
) throws -> ExpressionTree {
    var parser = try PredicateParser(format, arguments: arguments)
    parser.allowsFetches = allowsFetches
    return try parser.expression()
}

/// An operator-precedence parser.
///
/// A bracket may start a predicate or an expression. The same function reads both and reports which one it found, so
/// that nothing is read twice and nested brackets take linear time.
struct PredicateParser {
    /// The result of parsing a part of the string.
    struct Parsed {
        enum Content {
            case predicate(PredicateTree)
            case expression(ExpressionTree)
        }

        var content: Content
        /// The depth of the tree.
        var depth: Int
        /// Byte offsets in the format string.
        var start: Int
        var end: Int
    }

    /// The precedence of an operator.
    enum Power: Int, Comparable {
        case or = 1
        case and, not, comparison, set, bitOr, bitXor, bitAnd, add, multiply, power, unary

        static func < (left: Power, right: Power) -> Bool { left.rawValue < right.rawValue }

        var tighter: Power { Power(rawValue: rawValue + 1) ?? .unary }
    }

    /// The maximum number of incomplete operands at a time. It limits the use of the stack where the limit on brackets
    /// does not.
    private static let openOperands = 300

    var allowsFetches = false
    var lexer: PredicateLexer
    var token: PredicateToken
    /// The end of the token before the current one.
    var previousEnd = 0
    private let arguments: [PredicateArgument]
    private var nextArgument = 0
    private var nesting = 0
    private var open = 0

    init(_ format: String, arguments: [PredicateArgument] = []) throws {
        lexer = try PredicateLexer(format)
        token = try lexer.next()
        self.arguments = arguments
    }

    mutating func predicate() throws -> PredicateTree {
        let parsed = try parse(.or)
        let tree = try requirePredicate(parsed)
        try requireEnd(after: parsed)
        return tree
    }

    mutating func expression() throws -> ExpressionTree {
        let parsed = try parse(.or)
        let tree = try requireExpression(parsed)
        try requireEnd(after: parsed)
        return tree
    }

    // MARK: Operators

    mutating func parse(_ minimum: Power) throws -> Parsed {
        open += 1
        defer { open -= 1 }
        guard open <= Self.openOperands else { throw tooDeep() }
        var left = try parsePrefix()
        while let infix = Infix(token.kind), infix.power >= minimum {
            switch infix {
            case .compound(let power): left = try parseCompound(left, power: power)
            case .comparison(let comparator): left = try parseComparison(left, by: comparator, quantifier: .direct)
            case .binary(let operation, let power):
                left = try parseOperands(left, power: power) { .binary(operation, $0, $1) }
            case .set(let operation):
                left = try parseOperands(left, power: .set) { .set(operation, $0, $1) }
            }
        }
        return left
    }

    /// Reads `a AND b AND c` as one node.
    private mutating func parseCompound(_ first: Parsed, power: Power) throws -> Parsed {
        var trees = [try requirePredicate(first)]
        var last = first
        var depth = first.depth
        while case .compound(let next) = Infix(token.kind), next == power {
            try advance()
            last = try parse(power.tighter)
            trees.append(try requirePredicate(last))
            depth = max(depth, last.depth)
        }
        return try node(.predicate(power == .and ? .and(trees) : .or(trees)), depth: depth, from: first.start)
    }

    private mutating func parseOperands(
        _ left: Parsed, power: Power, _ make: (ExpressionTree, ExpressionTree) -> ExpressionTree
    ) throws -> Parsed {
        let leftTree = try requireExpression(left)
        try advance()
        let right = try parse(power.tighter)
        let tree = make(leftTree, try requireExpression(right))
        return try node(.expression(tree), depth: max(left.depth, right.depth), from: left.start)
    }

    mutating func parseComparison(
        _ left: Parsed, by comparator: Comparator?, quantifier: Quantifier
    ) throws -> Parsed {
        let leftTree = try requireExpression(left)
        guard let comparator else { throw try unsupportedOperator() }
        try advance()
        let options = try parseOptions(comparator)
        let right = try parse(.set)
        let comparison = Comparison(
            leftTree, by: comparator, with: try requireExpression(right), options: options, quantifier: quantifier)
        if let problem = comparison.problem {
            throw QueryError(problem.code, problem.message, column: lexer.column(of: right.start))
        }
        return try node(.predicate(.comparison(comparison)), depth: max(left.depth, right.depth), from: left.start)
    }

    private func unsupportedOperator() throws -> QueryError {
        QueryError(
            .unsupported, "the operator `\(lexer.text(from: token.start, to: token.end))` is not supported",
            column: column)
    }

    private mutating func parseOptions(_ comparator: Comparator) throws -> ComparisonOptions {
        guard case .symbol(.openSquare) = token.kind else { return [] }
        let start = token.start
        try advance()
        guard case .word(let letters, _) = token.kind else {
            throw lexer.issue("expected options such as [cd] after the operator", at: start)
        }
        var options: ComparisonOptions = []
        for letter in letters {
            switch letter {
            case "c", "C": options.insert(.caseInsensitive)
            case "d", "D": options.insert(.diacriticInsensitive)
            case "n", "N": options.insert(.normalized)
            case "l", "L": options.insert(.localeSensitive)
            default:
                throw lexer.issue("'\(letter)' is not an option; the options are c, d, n and l", at: token.start)
            }
        }
        try advance()
        try expect(.closeSquare, "after the options")
        if comparator == .between { throw lexer.issue("BETWEEN takes no options", at: start) }
        return options
    }

    // MARK: Tokens

    var column: Int { lexer.column(of: token.start) }

    mutating func advance() throws {
        previousEnd = token.end
        token = try lexer.next()
    }

    func isNext(_ symbol: PredicateSymbol) -> Bool { token.kind == .symbol(symbol) }

    /// Reads a symbol.
    ///
    /// - Parameters:
    ///   - place: The position of the expected symbol, for the message.
    ///   - start: The byte offset of the symbol's counterpart. Its column is counted from the start of the text, and
    ///     so only for an error.
    mutating func expect(_ symbol: PredicateSymbol, _ place: String, openedAt start: Int? = nil) throws {
        guard isNext(symbol) else {
            let place = start.map { "\(place) at column \(lexer.column(of: $0))" } ?? place
            throw lexer.issue("expected `\(symbol.rawValue)` \(place), found \(shown)", at: token.start)
        }
        try advance()
    }

    /// The current token, for messages.
    var shown: String {
        if case .end = token.kind { return "the end of the format string" }
        return "`\(lexer.text(from: token.start, to: token.end).prefix(40))`"
    }

    func source(_ parsed: Parsed) -> String {
        let text = lexer.text(from: parsed.start, to: parsed.end)
        return text.count > 60 ? "…" + text.suffix(60) : text
    }

    /// Reads a part in brackets, one level deeper.
    mutating func nested<Result>(_ body: (inout PredicateParser) throws -> Result) throws -> Result {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= PredicateLimits.parsedDepth else { throw tooDeep() }
        return try body(&self)
    }

    private func tooDeep() -> QueryError {
        QueryError(
            .limit, "the predicate is nested more than \(PredicateLimits.parsedDepth) levels deep", column: column)
    }

    /// Creates a result one level above its deepest part.
    func node(_ content: Parsed.Content, depth: Int, from start: Int) throws -> Parsed {
        guard depth < PredicateLimits.parsedDepth else { throw tooDeep() }
        return Parsed(content: content, depth: depth + 1, start: start, end: previousEnd)
    }

    // MARK: Arguments

    mutating func takeArgument() throws -> PredicateArgument {
        guard nextArgument < arguments.count else {
            throw QueryError(
                .argument,
                "there is no argument for \(shown): the format string needs more than the \(arguments.count) given arguments",
                column: column)
        }
        nextArgument += 1
        return arguments[nextArgument - 1]
    }

    /// The number of the last used argument, for messages.
    var argumentNumber: Int { nextArgument }

    // MARK: Results

    func requirePredicate(_ parsed: Parsed) throws -> PredicateTree {
        switch parsed.content {
        case .predicate(let tree): return tree
        case .expression:
            if case .word(_, .not) = token.kind {
                throw lexer.issue(
                    "NOT is not allowed here; write `NOT (… IN …)` around the comparison", at: token.start)
            }
            throw lexer.issue("expected an operator after `\(source(parsed))`, found \(shown)", at: parsed.end)
        }
    }

    func requireExpression(_ parsed: Parsed) throws -> ExpressionTree {
        switch parsed.content {
        case .expression(let tree): return tree
        case .predicate:
            throw lexer.issue("expected a value, but `\(source(parsed))` is a predicate", at: parsed.start)
        }
    }

    private func requireEnd(after parsed: Parsed) throws {
        guard case .end = token.kind else {
            throw lexer.issue("unexpected \(shown) after `\(source(parsed))`", at: token.start)
        }
    }
}
