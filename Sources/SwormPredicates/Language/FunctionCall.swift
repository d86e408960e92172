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
    case "valueForKey", "valueForKeyPath":
        guard arguments.count == 2 else { return wrongCount("an operand and a key") }
        guard case .value(.string(let path)) = arguments[1], let keys = keys(of: path, isPath: name.hasSuffix("Path"))
        else {
            return .failure(QueryError(.syntax, "'\(written)' takes a key in quotes"))
        }
        return .success(keys.reduce(arguments[0]) { .key($0, $1) })
    default: break
    }
    if let message = MigrationMessage(rawValue: name) {
        guard arguments.count == message.count else { return wrongCount("\(message.count - 1) arguments") }
        return .success(.function(name, arguments))
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

/// A method of the migration manager that an expression of a mapping calls. The first argument is the manager.
package enum MigrationMessage: String {
    case successorsOfRelationship = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
    case successorsByMapping = "destinationInstancesForEntityMappingNamed:sourceInstances:"
    case request = "fetchRequestForSourceEntityNamed:predicateString:"

    fileprivate var count: Int { 3 }
}

/// The function of an expression that fetches. Only the mappings of a migration have such expressions.
package let fetchFunction = "FETCH"

private func keys(of path: String, isPath: Bool) -> [String]? {
    let keys = isPath ? path.split(separator: ".", omittingEmptySubsequences: false).map(String.init) : [path]
    return keys.contains("") || keys.count >= PredicateLimits.parsedDepth ? nil : keys
}

extension BinaryOperator {
    /// The name of the function by which Apple implements the operator.
    package var functionName: String {
        switch self {
        case .add: "add:to:"
        case .subtract: "from:subtract:"
        case .multiply: "multiply:by:"
        case .divide: "divide:by:"
        case .power: "raise:toPower:"
        case .bitAnd: "bitwiseAnd:with:"
        case .bitOr: "bitwiseOr:with:"
        case .bitXor: "bitwiseXor:with:"
        }
    }
}

private let operatorFunctions = Dictionary(
    uniqueKeysWithValues: BinaryOperator.allCases.map { ($0.functionName, $0) })

extension PredicateTree {
    /// Returns the tree of a call of a function by its name in archives, such as `count:`.
    package static func call(_ name: String, with arguments: [ExpressionTree]) -> Result<ExpressionTree, QueryError> {
        makeCall(name, with: arguments)
    }
}
