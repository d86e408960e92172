/// Creates the tree of a call from the name in the text, with or without its last colon.
///
/// Apple implements the operators as functions; their names result in the operator's node.
func makeCall(_ written: String, with arguments: [ExpressionTree]) -> Result<ExpressionTree, QueryError> {
    let name =
        written.hasSuffix(":") && written.dropLast().contains(":") == false ? String(written.dropLast()) : written
    func wrongCount(_ expected: String) -> Result<ExpressionTree, QueryError> {
        .failure(QueryError(.syntax, "'\(written)' takes \(expected), not \(arguments.count) arguments"))
    }
    if let operation = operatorFunctions[name] {
        guard arguments.count == 2 else { return wrongCount("two arguments") }
        return .success(.binary(operation, arguments[0], arguments[1]))
    }
    switch name {
    case "objectFrom:withIndex:":
        guard arguments.count == 2 else { return wrongCount("two arguments") }
        return .success(.index(arguments[0], .expression(arguments[1])))
    case "castObject:toType:":
        guard arguments.count == 2 else { return wrongCount("two arguments") }
        guard case .value(.string(let type)) = arguments[1] else {
            return .failure(QueryError(.syntax, "'\(written)' takes the name of a type in quotes"))
        }
        return makeCast(of: arguments[0], to: type)
    default: break
    }
    guard let function = PredicateFunction(rawValue: name) else {
        let known = PredicateFunction.allCases.map(\.rawValue).joined(separator: ", ")
        return .failure(
            QueryError(.unsupported, "the function '\(written)' is not supported; the supported functions are \(known)")
        )
    }
    guard function.arity.contains(arguments.count) else {
        return wrongCount(function.isAggregate ? "at least one argument" : "\(function.arity.lowerBound) argument(s)")
    }
    return .success(.function(name, arguments))
}

private let operatorFunctions: [String: BinaryOperator] = [
    "add:to:": .add, "from:subtract:": .subtract, "multiply:by:": .multiply, "divide:by:": .divide,
    "raise:toPower:": .power, "bitwiseAnd:with:": .bitAnd, "bitwiseOr:with:": .bitOr, "bitwiseXor:with:": .bitXor,
]

extension PredicateTree {
    /// Returns the tree of a call of a function by its name in archives, such as `count:`.
    package static func call(_ name: String, with arguments: [ExpressionTree]) -> Result<ExpressionTree, QueryError> {
        makeCall(name, with: arguments)
    }
}
