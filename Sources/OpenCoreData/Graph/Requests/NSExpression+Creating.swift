public import Foundation
import SwormPredicates
import SwormStore

// Foundation's own initializers of expressions are unavailable on this platform. An extension of a protocol of the class can
// assign a subclass to `self`, and it needs no name of its own.
extension NSCopying where Self == NSExpression {
    /// Creates an expression from a format string and its arguments.
    ///
    /// An error in the format is reported where the expression is used.
    ///
    /// - Parameters:
    ///   - format: The format, in the language of Apple's predicate format strings: `price * 2`, `count:(pages)`.
    ///   - argumentArray: The arguments for `%@`, `%K` and the `printf` specifiers.
    public init(format: String, argumentArray: [Any]) {
        self = NSExpression.parsing(format, argumentArray)
    }

    /// Creates an expression from a format string and its arguments.
    ///
    /// An error in the format is reported where the expression is used.
    ///
    /// - Parameters:
    ///   - format: The format, in the language of Apple's predicate format strings: `price * 2`, `count:(pages)`.
    ///   - args: The arguments for `%@`, `%K` and the `printf` specifiers.
    public init(format: String, _ args: Any...) { self = NSExpression.parsing(format, args) }

    /// Creates an expression for a value that is always the same.
    ///
    /// - Parameter value: The value. Requests accept the values of attributes, managed objects, and collections of them.
    public init(forConstantValue value: Any?) {
        self = NSExpression.make(
            ExpressionContent(Result { try constantTree(value) }, form: .constant(value)))
    }

    /// Returns the expression for the object that is evaluated.
    public static func expressionForEvaluatedObject() -> NSExpression { NSExpression.make(.evaluatedObject) }

    /// Creates an expression for a variable: `$name`.
    public init(forVariable string: String) { self = NSExpression.make(.variable(string)) }

    /// Creates an expression for the value of a key path.
    ///
    /// - Parameter keyPath: Names of properties, joined by dots. Behind a to-many relationship, it may contain an operator:
    ///   `reviews.@count`. In the dictionaries of a fetch, it may begin with one, which is then applied to all rows.
    public init(forKeyPath keyPath: String) {
        self = NSExpression.checking { try parseExpression("%K", arguments: [.value(.string(keyPath))]) }
    }

    /// Creates an expression for the result of a function.
    ///
    /// The functions are `sum:`, `count:`, `min:`, `max:`, `average:`, `median:`, `stddev:`, `add:to:`, `from:subtract:`,
    /// `multiply:by:`, `divide:by:`, `modulus:by:`, `raise:toPower:`, `sqrt:`, `log:`, `ln:`, `exp:`, `floor:`, `ceiling:`,
    /// `abs:`, `trunc:`, `bitwiseAnd:with:`, `bitwiseOr:with:`, `bitwiseXor:with:`, `leftshift:by:`, `rightshift:by:`,
    /// `onesComplement:`, `uppercase:`, `lowercase:`, `canonical:`, `length:`, `now`, `noindex:`, `objectFrom:withIndex:` and
    /// `castObject:toType:`. Any other function is an error where the expression is used.
    ///
    /// - Parameters:
    ///   - name: The name of the function.
    ///   - arguments: Expressions, or constant values.
    public init(forFunction name: String, arguments: [Any]) {
        self = NSExpression.checking { try PredicateTree.call(name, with: arguments.map(argumentTree)).get() }
    }

    /// Creates an expression for the result of a method of an object.
    ///
    /// Only the methods that the mappings of a migration call are supported: `valueForKey:` and `valueForKeyPath:` of any
    /// object, and those of the migration manager that find objects.
    ///
    /// - Parameters:
    ///   - target: The object.
    ///   - name: The name of the method.
    ///   - arguments: Expressions, or constant values.
    public init(forFunction target: NSExpression, selectorName name: String, arguments: [Any]?) {
        self = NSExpression.checking {
            let operands = [try target.tree()] + (try (arguments ?? []).map(argumentTree))
            return try PredicateTree.call(name, with: operands).get()
        }
    }

    /// Creates an expression for a collection of values.
    ///
    /// - Parameter subexpressions: Expressions, or constant values.
    public init(forAggregate subexpressions: [Any]) {
        self = NSExpression.checking { .list(try subexpressions.map(argumentTree)) }
    }

    /// Creates an expression for the elements of two collections.
    public init(forUnionSet left: NSExpression, with right: NSExpression) {
        self = NSExpression.checking { .set(.union, try left.tree(), try right.tree()) }
    }

    /// Creates an expression for the elements that two collections have in common.
    public init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self = NSExpression.checking { .set(.intersect, try left.tree(), try right.tree()) }
    }

    /// Creates an expression for the elements of one collection that another one does not have.
    public init(forMinusSet left: NSExpression, with right: NSExpression) {
        self = NSExpression.checking { .set(.minus, try left.tree(), try right.tree()) }
    }

    /// Creates an expression for the elements of a collection that satisfy a predicate.
    ///
    /// - Parameters:
    ///   - expression: The collection.
    ///   - variable: The name of the variable for the element in the predicate.
    ///   - predicate: The predicate.
    public init(forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate) {
        self = NSExpression.checking { .subquery(try expression.tree(), variable, try predicate.tree()) }
    }

    /// Creates an expression whose value depends on a predicate.
    public init(forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression) {
        self = NSExpression.checking {
            .conditional(try predicate.tree(), try trueExpression.tree(), try falseExpression.tree())
        }
    }

    /// Creates an expression for the result of a block.
    ///
    /// The mappings of a migration can contain such an expression: its block receives the source object, and the values of the
    /// arguments. Requests and models cannot.
    ///
    /// - Parameters:
    ///   - block: A closure that receives the evaluated object, the values of the arguments, and the variables.
    ///   - arguments: The arguments.
    public init(
        block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any, arguments: [NSExpression]?
    ) {
        let error = CoreDataError(
            NSPersistentStoreUnsupportedRequestTypeError,
            "A request or a model cannot use an expression made from a block. Use a key path, a constant or a function."
        )
        self = NSExpression.make(
            ExpressionContent(
                .failure(error), form: .block(block, arguments: (arguments ?? []).map(\.content))))
    }
}

extension NSCopying where Self == NSExpression {
    /// Returns an expression for a tree, or for the error of making it.
    ///
    /// A tree that is too deep is an error: whoever walks or releases it would exhaust the stack.
    fileprivate static func checking(_ make: () throws -> ExpressionTree) -> NSExpression {
        let result = Result<ExpressionTree, any Error> {
            let tree = try make()
            guard !tree.isTooDeep else {
                throw QueryError(.limit, "the expression is nested more than \(PredicateLimits.treeDepth) levels deep")
            }
            return tree
        }
        return NSExpression.make(ExpressionContent(result))
    }

    /// Returns an expression for a format.
    fileprivate static func parsing(_ format: String, _ arguments: [Any]) -> NSExpression {
        checking { try parseExpression(format, arguments: predicateArguments(arguments), allowsFetches: true) }
    }
}

/// Returns the tree of an argument: of an expression, or of a constant.
private func argumentTree(_ argument: Any) throws -> ExpressionTree {
    if let expression = argument as? NSExpression { return try expression.tree() }
    return try constantTree(argument)
}

/// Returns the tree of a constant.
///
/// - Throws: An error for a value that no request accepts.
private func constantTree(_ value: Any?) throws -> ExpressionTree {
    guard let value else { return .value(.null) }
    guard let tree = try predicateArguments([value]).first?.expressionTree else {
        throw QueryError(.argument, "the constant is a predicate, but must be a value")
    }
    return tree
}
