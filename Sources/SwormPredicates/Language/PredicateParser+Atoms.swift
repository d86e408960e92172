extension PredicateParser {
    /// Creates a result from the current token alone, and moves to the next token.
    mutating func leaf(_ content: Parsed.Content) throws -> Parsed {
        let start = token.start
        try advance()
        return try node(content, depth: 0, from: start)
    }

    mutating func parseAtom() throws -> Parsed {
        switch token.kind {
        case .integer(let magnitude):
            return try leaf(.expression(.value(try integer(magnitude, isNegative: false, at: token.start))))
        case .real(let value): return try leaf(.expression(.value(.double(value))))
        case .string(let text): return try leaf(.expression(.value(.string(text))))
        case .variable(let name):
            let parsed = try leaf(.expression(.variable(name)))
            if isNext(.assign) {
                throw QueryError(.unsupported, "assignments to variables are not supported", column: column)
            }
            return parsed
        case .escaped(let name), .collectionOperator(let name):
            return try leaf(.expression(.key(.evaluatedObject, name)))
        case .argument(let mark): return try parseArgument(mark)
        case .selector(let name): return try parseCall(name)
        case .word(let name, let keyword): return try parseWord(name, keyword: keyword)
        case .symbol(.openCurly): return try parseList()
        case .end: throw lexer.issue("expected a value, but the format string ends", at: token.start)
        case .symbol: throw lexer.issue("expected a value, found \(shown)", at: token.start)
        }
    }

    /// Returns the value of an integer. An integer beyond 64 bits becomes a floating-point number if that number is
    /// equal.
    func integer(_ magnitude: UInt64, isNegative: Bool, at start: Int) throws -> AttributeValue {
        let (number, overflow) =
            isNegative
            ? (Int64(truncatingIfNeeded: 0 &- magnitude), magnitude > UInt64(Int64.max) + 1)
            : (Int64(truncatingIfNeeded: magnitude), magnitude > Int64.max)
        guard overflow else { return .int(number) }
        guard let real = Double(exactly: magnitude) else {
            throw lexer.tooLarge("\(isNegative ? "-" : "")\(magnitude)", at: start)
        }
        return .double(isNegative ? -real : real)
    }

    private mutating func parseArgument(_ mark: PredicateToken.ArgumentMark) throws -> Parsed {
        let start = token.start
        if mark == .key {
            let keys = try parseKeyArgument()
            var parsed = try node(.expression(.path(keys)), depth: keys.count, from: start)
            // The operators in the path are checked like those of a literal path.
            try checkOperators(keys, at: start, followed: isNext(.dot))
            parsed.start = start
            return parsed
        }
        let argument = try takeArgument()
        // Computed only for an error, because columns are counted from the start of the text.
        func refuse(_ reason: String) -> QueryError {
            QueryError(.argument, "argument \(argumentNumber) \(reason)", column: lexer.column(of: start))
        }
        guard let tree = argument.expressionTree else {
            throw refuse("is a predicate, but an argument must be a value")
        }
        switch (mark, argument) {
        case (.value, _), (_, .expression): break
        case (.number, .value(let value)), (.character, .value(let value)):
            if case .string = value, mark == .character { break }
            if case .date = value { throw refuse("must be a number (\(shown)), but is a date") }
            guard value.numericDouble != nil else { throw refuse("must be a number (\(shown))") }
        case (.text, .value(.string)): break
        case (.text, _): throw refuse("must be a string (\(shown))")
        default: throw refuse("must be a single value (\(shown)), but is a list")
        }
        guard let depth = tree.depth(limit: PredicateLimits.parsedDepth) else {
            throw QueryError(
                .limit, "argument \(argumentNumber) is nested more than \(PredicateLimits.parsedDepth) levels deep",
                column: lexer.column(of: start))
        }
        try advance()
        return try node(.expression(tree), depth: depth - 1, from: start)
    }

    private func checkOperators(_ keys: [String], at position: Int, followed: Bool) throws {
        for (index, key) in keys.enumerated() where key.hasPrefix("@") {
            let isLast = index == keys.count - 1
            switch key {
            case "@count":
                if !isLast || followed {
                    throw QueryError(.syntax, "nothing can follow @count", column: lexer.column(of: position))
                }
            case "@sum", "@avg", "@min", "@max":
                if isLast, !followed {
                    throw QueryError(.syntax, "'\(key)' needs a key after it", column: lexer.column(of: position))
                }
            default:
                throw QueryError(
                    .unsupported, "the collection operator '\(key)' is not supported",
                    column: lexer.column(of: position))
            }
        }
    }

    private mutating func parseList() throws -> Parsed {
        let start = token.start
        try advance()
        if isNext(.closeCurly) {
            try advance()
            return try node(.expression(.list([])), depth: 0, from: start)
        }
        let (trees, depth) = try nested { try $0.parseElements() }
        try expect(.closeCurly, "to close the list", openedAt: start)
        return try node(.expression(.list(trees)), depth: depth, from: start)
    }

    private mutating func parseElements() throws -> (trees: [ExpressionTree], depth: Int) {
        var trees: [ExpressionTree] = []
        var depth = 0
        repeat {
            if !trees.isEmpty { try advance() }
            let element = try parse(.set)
            trees.append(try requireExpression(element))
            depth = max(depth, element.depth)
        } while isNext(.comma)
        return (trees, depth)
    }

    private mutating func parseWord(_ name: String, keyword: PredicateKeyword?) throws -> Parsed {
        let start = token.start
        guard let keyword else {
            let parsed = try leaf(.expression(.key(.evaluatedObject, name)))
            return isNext(.openRound) ? try parseCall(name, from: start) : parsed
        }
        switch keyword {
        case .null, .nil: return try leaf(.expression(.value(.null)))
        case .true, .yes: return try leaf(.expression(.value(.bool(true))))
        case .false, .no: return try leaf(.expression(.value(.bool(false))))
        case .self: return try leaf(.expression(.evaluatedObject))
        default: break
        }
        try advance()
        if isNext(.openRound) {
            switch keyword {
            case .subquery: return try parseBracket { try $0.parseSubquery(from: start) }
            case .ternary: return try parseBracket { try $0.parseConditional(from: start) }
            case .cast, .function:
                return try parseCall(name, from: start)
            case .fetch where allowsFetches: return try parseCall(name, from: start)
            case .fetch: throw QueryError(.unsupported, "FETCH is not supported", column: lexer.column(of: start))
            default: break
            }
        }
        guard keyword.mayBeginKeyPath else {
            throw lexer.issue("'\(name)' is a reserved word; as a key, write `#\(name)` or `%K`", at: start)
        }
        return try node(.expression(.key(.evaluatedObject, name)), depth: 0, from: start)
    }

    // MARK: Calls

    private mutating func parseBracket(_ body: (inout PredicateParser) throws -> Parsed) throws -> Parsed {
        try advance()
        var parsed = try nested(body)
        try expect(.closeRound, "after the last argument")
        parsed.end = previousEnd
        return parsed
    }

    private mutating func parseSubquery(from start: Int) throws -> Parsed {
        let collection = try parse(.or)
        let collectionTree = try requireExpression(collection)
        try expect(.comma, "after the collection of SUBQUERY")
        guard case .variable(let name) = token.kind else {
            throw lexer.issue("expected the variable of SUBQUERY, such as $x, found \(shown)", at: token.start)
        }
        try advance()
        try expect(.comma, "after the variable of SUBQUERY")
        let condition = try parse(.or)
        let tree = ExpressionTree.subquery(collectionTree, name, try requirePredicate(condition))
        return try node(.expression(tree), depth: max(collection.depth, condition.depth), from: start)
    }

    private mutating func parseConditional(from start: Int) throws -> Parsed {
        let condition = try parse(.or)
        let conditionTree = try requirePredicate(condition)
        try expect(.comma, "after the condition of TERNARY")
        let yes = try parse(.or)
        let yesTree = try requireExpression(yes)
        try expect(.comma, "after the second argument of TERNARY")
        let no = try parse(.or)
        let tree = ExpressionTree.conditional(conditionTree, yesTree, try requireExpression(no))
        return try node(.expression(tree), depth: max(condition.depth, yes.depth, no.depth), from: start)
    }

    /// Reads `modulus:by:(…)`, whose name is the current token.
    private mutating func parseCall(_ selector: String) throws -> Parsed {
        let start = token.start
        try advance()
        return try parseCall(selector, from: start)
    }

    /// Reads the arguments of a call whose name has been read.
    private mutating func parseCall(_ name: String, from start: Int) throws -> Parsed {
        try advance()
        var elements: (trees: [ExpressionTree], depth: Int) = ([], 0)
        if !isNext(.closeRound) { elements = try nested { try $0.parseElements() } }
        try expect(.closeRound, "after the last argument of '\(name)'")
        switch resolveCall(name, with: elements.trees) {
        case .success(let tree):
            // A call for the value of a key path adds a level for each key. All other calls add one level.
            let keys = tree.keyCount - (elements.trees.first?.keyCount ?? 0)
            return try node(.expression(tree), depth: elements.depth + max(1, keys) - 1, from: start)
        case .failure(let error):
            throw QueryError(error.code, error.message, column: lexer.column(of: start))
        }
    }

    private func resolveCall(_ name: String, with trees: [ExpressionTree]) -> Result<ExpressionTree, QueryError> {
        switch PredicateKeyword.named(name) {
        case .cast:
            guard trees.count == 2, case .value(.string(let type)) = trees[1] else {
                return .failure(QueryError(.syntax, "CAST takes a value and the name of a type in quotes"))
            }
            return makeCast(of: trees[0], to: type)
        case .function:
            guard trees.count >= 2, case .value(.string(let selector)) = trees[1] else {
                return .failure(
                    QueryError(
                        .syntax, "FUNCTION takes an operand, the name of a function in quotes, and arguments"))
            }
            return makeCall(selector, with: [trees[0]] + trees.dropFirst(2))
        case .fetch:
            guard trees.count == 3 else {
                return .failure(
                    QueryError(.syntax, "FETCH takes a request, a context, and whether only to count the objects"))
            }
            return .success(.function(fetchFunction, trees))
        default: return makeCall(name, with: trees)
        }
    }
}
