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
        let tree = Result<ExpressionTree, any Error> { try constantTree(value) }
        // An expression that is a constant is held like a part.
        let content = (value as? NSExpression).map { held in
            ExpressionContent.holding([held.content.size], tree: tree, form: .constant(value))
        }
        self = NSExpression.make(content ?? ExpressionContent(tree, form: .constant(value)))
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
        self = NSExpression.checking { _ in try parseExpression("%K", arguments: [.value(.string(keyPath))]) }
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
        self = NSExpression.checking { parts in
            let operands = try arguments.map { try parts.add($0) }
            return try PredicateTree.call(name, with: operands).get()
        }
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
        self = NSExpression.checking { parts in
            let operands = try ([target as Any] + (arguments ?? [])).map { try parts.add($0) }
            return try PredicateTree.call(name, with: operands).get()
        }
    }

    /// Creates an expression for a collection of values.
    ///
    /// - Parameter subexpressions: Expressions, or constant values.
    public init(forAggregate subexpressions: [Any]) {
        self = NSExpression.checking { parts in .list(try subexpressions.map { try parts.add($0) }) }
    }

    /// Creates an expression for the elements of two collections.
    public init(forUnionSet left: NSExpression, with right: NSExpression) {
        self = NSExpression.checking { parts in .set(.union, try parts.add(left), try parts.add(right)) }
    }

    /// Creates an expression for the elements that two collections have in common.
    public init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self = NSExpression.checking { parts in .set(.intersect, try parts.add(left), try parts.add(right)) }
    }

    /// Creates an expression for the elements of one collection that another one does not have.
    public init(forMinusSet left: NSExpression, with right: NSExpression) {
        self = NSExpression.checking { parts in .set(.minus, try parts.add(left), try parts.add(right)) }
    }

    /// Creates an expression for the elements of a collection that satisfy a predicate.
    ///
    /// - Parameters:
    ///   - expression: The collection.
    ///   - variable: The name of the variable for the element in the predicate.
    ///   - predicate: The predicate.
    public init(forSubquery expression: NSExpression, usingIteratorVariable variable: String, predicate: NSPredicate) {
        self = NSExpression.checking { parts in
            .subquery(try parts.add(expression), variable, try parts.add(condition: predicate))
        }
    }

    /// Creates an expression whose value depends on a predicate.
    public init(forConditional predicate: NSPredicate, trueExpression: NSExpression, falseExpression: NSExpression) {
        self = NSExpression.checking { parts in
            .conditional(
                try parts.add(condition: predicate), try parts.add(trueExpression), try parts.add(falseExpression))
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
        let contents = (arguments ?? []).map(\.content)
        self = NSExpression.make(
            ExpressionContent.holding(
                contents.map(\.size), tree: .failure(error), form: .block(block, arguments: contents)))
    }
}

extension NSCopying where Self == NSExpression {
    /// Returns an expression for a tree, or for the error of making it. A tree that is too deep or too large is an
    /// error.
    ///
    /// - Parameter make: Returns the tree. It adds each part of it.
    fileprivate static func checking(_ make: (inout ExpressionParts) throws -> ExpressionTree) -> NSExpression {
        var size: TreeSize?
        let result = Result<ExpressionTree, any Error> {
            var parts = ExpressionParts()
            let tree = try make(&parts)
            let whole = parts.size(of: tree)
            try whole.check()
            size = whole
            return tree
        }
        return NSExpression.make(ExpressionContent(result, size: size))
    }

    /// Returns an expression for a format.
    fileprivate static func parsing(_ format: String, _ arguments: [Any]) -> NSExpression {
        checking { _ in try parseExpression(format, arguments: predicateArguments(arguments), allowsFetches: true) }
    }
}

extension ExpressionContent {
    /// Returns the content of an expression that holds other ones; that of an error if they are nested too deeply.
    ///
    /// - Parameter parts: The sizes of the other ones.
    fileprivate static func holding(
        _ parts: [TreeSize], tree: Result<ExpressionTree, any Error>, form: Form
    ) -> ExpressionContent {
        let size = TreeSize(joining: parts)
        do {
            try size.check()
            return ExpressionContent(tree, form: form, size: size)
        } catch {
            return ExpressionContent(.failure(error), size: size)
        }
    }
}

/// The parts of an expression that is being created. Their sizes are known, so that a part with parts of its own is not
/// walked again for each expression that it becomes a part of.
private struct ExpressionParts {
    private var sizes: [TreeSize] = []
    /// The number of keys at the end of the first part.
    private var keyCount = 0

    /// Adds an expression, or a constant.
    ///
    /// - Returns: Its tree.
    mutating func add(_ argument: Any) throws -> ExpressionTree {
        let expression = argument as? NSExpression
        let tree = try expression?.tree() ?? constantTree(argument)
        if sizes.isEmpty { keyCount = tree.keyCount }
        sizes.append(expression?.content.size ?? TreeSize(tree))
        return tree
    }

    /// Adds a predicate.
    ///
    /// - Returns: Its tree.
    mutating func add(condition: NSPredicate) throws -> PredicateTree {
        let tree = try condition.tree()
        sizes.append(TreeSize(tree))
        return tree
    }

    /// Returns the size of an expression that was made of the parts.
    func size(of tree: ExpressionTree) -> TreeSize {
        guard !sizes.isEmpty else { return TreeSize(tree) }
        // Each step of a key path is a level. Any other expression is one above its parts.
        let levels = if case .key = tree { tree.keyCount - keyCount } else { 1 }
        return TreeSize(joining: sizes, levels: levels)
    }
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
