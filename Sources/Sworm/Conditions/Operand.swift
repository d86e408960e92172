import SwormPredicates

/// One side of a comparison while it is being built.
@usableFromInline
struct Operand: Sendable {
    var expression: ExpressionTree
    /// The collections that the expression ranges over, the outermost first. Each one declares a variable that the
    /// expression (or the next collection) is based on.
    var scopes: [Scope] = []
    @Boxed var failure: StoreError?

    struct Scope: Sendable {
        enum Quantifier: Sendable { case any, all, none }

        let quantifier: Quantifier
        let collection: ExpressionTree
        let variable: String
    }

    /// The row that the condition is about.
    @usableFromInline static let evaluatedObject = Operand(.evaluatedObject)

    init(_ expression: ExpressionTree, scopes: [Scope] = [], failure: StoreError? = nil) {
        self.expression = expression
        self.scopes = scopes
        self.failure = failure
    }

    /// Creates an operand for an attribute of the row that the condition is about.
    init<T: ManagedObjectConvertible>(_ keyPath: PartialKeyPath<T>) {
        self = Operand(.evaluatedObject).attribute(keyPath)
    }

    @usableFromInline
    init(value: some SupportedAttributeType) {
        do {
            self.init(.value(try value.encoded().attributeValue))
        } catch {
            self.init(.value(.null), failure: .unencodable(value, cause: error))
        }
    }

    init(value: (some SupportedAttributeType)?) {
        if let value { self.init(value: value) } else { self.init(.value(.null)) }
    }

    init<V: SupportedAttributeType>(values: some Sequence<V?>) {
        let operands = values.map { Operand(value: $0) }
        self.init(.list(operands.map(\.expression)), failure: operands.lazy.compactMap(\.failure).first)
    }

    init<V: SupportedAttributeType>(values: some Sequence<V>) {
        self.init(values: values.lazy.map(Optional.some))
    }

    init<T>(ids: some Sequence<ManagedObjectID<T>>) {
        self.init(.list(ids.map { .value(.object($0.reference)) }))
    }

    init<T>(id: ManagedObjectID<T>?) {
        self.init(.value(id.map { .object($0.reference) } ?? .null))
    }

    /// Returns the attribute that a key path refers to, in the row that this operand represents.
    @usableFromInline
    func attribute<T: ManagedObjectConvertible>(_ keyPath: PartialKeyPath<T>) -> Operand {
        do {
            let attribute = try T.mapping.expression(of: keyPath)
            if case .evaluatedObject = expression { return Operand(attribute, scopes: scopes, failure: failure) }
            guard case .key(_, let name) = attribute else { return self }
            return key(name)
        } catch {
            var result = key(error.attribute.flatMap { $0.isEmpty ? nil : $0 } ?? "unknown")
            result.failure = failure ?? error
            return result
        }
    }

    func key(_ name: String) -> Operand {
        var result = self
        result.expression = .key(expression, name)
        return result
    }

    /// Returns an expression over this operand.
    func wrapped(_ make: (ExpressionTree) -> ExpressionTree) -> Operand {
        var result = self
        result.expression = make(expression)
        return result
    }

    /// Returns the result of a function of the predicate language for this operand.
    func calling(_ function: PredicateFunction) -> Operand {
        wrapped { .function(function.rawValue, [$0]) }
    }

    /// Returns an expression over two operands.
    func combined(with other: Operand, _ make: (ExpressionTree, ExpressionTree) -> ExpressionTree) -> Operand {
        Operand(
            make(expression, other.expression), scopes: joinedScopes(other), failure: failure ?? other.failure)
    }

    /// Returns the collections of both operands. A collection that occurs in both refers to the same row in both.
    func joinedScopes(_ other: Operand) -> [Scope] {
        if other.scopes.isEmpty { return scopes }
        return scopes + other.scopes.filter { scope in !scopes.contains { $0.variable == scope.variable } }
    }
}

extension StoreError {
    fileprivate static func unencodable(_ value: some Any, cause error: any Error) -> StoreError {
        StoreError(
            .invalidCondition, "A condition compares with '\(excerpt(value))', which cannot be stored.", cause: error)
    }
}
