import SwormPredicates

/// One side of a comparison while it is being built.
@usableFromInline
struct Operand: Sendable {
    var expression: ExpressionTree
    /// The collections that the expression ranges over, the outermost first. Each has a variable that the expression
    /// (or the next collection) is made of.
    var scopes: [Scope] = []
    @Rare var failure: StoreError?

    struct Scope: Sendable {
        enum Quantifier: Sendable { case any, all, none }

        let quantifier: Quantifier
        let collection: ExpressionTree
        let variable: String
    }

    /// The row that is asked about.
    @usableFromInline static let evaluatedObject = Operand(.evaluatedObject)

    init(_ expression: ExpressionTree, scopes: [Scope] = [], failure: StoreError? = nil) {
        self.expression = expression
        self.scopes = scopes
        self.failure = failure
    }

    /// An attribute of the row that is asked about.
    init<T: ManagedObjectConvertible>(_ keyPath: PartialKeyPath<T>) {
        self = Operand(.evaluatedObject).attribute(keyPath)
    }

    @usableFromInline
    init(value: some SupportedAttributeType) {
        do {
            self.init(.value(try value.encoded().attributeValue))
        } catch {
            self.init(.value(.null), failure: .unencodable(value, error))
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

    /// The attribute that a key path leads to, of the row that this operand stands for.
    @usableFromInline
    func attribute<T: ManagedObjectConvertible>(_ keyPath: PartialKeyPath<T>) -> Operand {
        do {
            let attribute = try T.plan.expression(of: keyPath)
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

    /// An expression over this operand.
    func wrapped(_ make: (ExpressionTree) -> ExpressionTree) -> Operand {
        var result = self
        result.expression = make(expression)
        return result
    }

    /// What a function of the language gives for this operand.
    func calling(_ function: PredicateFunction) -> Operand {
        wrapped { .function(function.rawValue, [$0]) }
    }

    /// An expression over two operands.
    func combined(_ other: Operand, _ make: (ExpressionTree, ExpressionTree) -> ExpressionTree) -> Operand {
        Operand(
            make(expression, other.expression), scopes: joinedScopes(other), failure: failure ?? other.failure)
    }

    /// The collections of both operands. One that stands in both is the same row in both.
    func joinedScopes(_ other: Operand) -> [Scope] {
        if other.scopes.isEmpty { return scopes }
        return scopes + other.scopes.filter { scope in !scopes.contains { $0.variable == scope.variable } }
    }
}

extension StoreError {
    fileprivate static func unencodable(_ value: some Any, _ error: any Error) -> StoreError {
        StoreError(
            .invalidCondition, "A condition compares with \(excerpt(value)), which cannot be stored.", cause: error)
    }
}
