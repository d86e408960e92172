package import Foundation
import SwormPredicates
import SwormStore

/// A predicate that stores a tree, or the error in its format.
///
/// It is evaluated with plain values; ``ObjectPredicate`` is also evaluated with managed objects.
// Not internal: the compiler then finds an infinite recursion in the initializers that it synthesizes.
package class FormatPredicate: NSPredicate {
    let content: Result<PredicateTree, any Error>

    init(_ content: Result<PredicateTree, any Error>) {
        self.content = content
        super.init(value: true)
    }

    /// Creates a predicate from a tree.
    convenience init(tree: PredicateTree) { self.init(.success(tree)) }

    /// Not supported, because a predicate is created from its format.
    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

    /// The format of the predicate, including its values, or the error in the format that it was created from.
    package override var description: String {
        switch content {
        case .success(let tree): tree.format
        case .failure(let error): "\(error)"
        }
    }

    /// Returns whether a plain value, which the format calls `SELF`, matches the predicate.
    ///
    /// - Returns: False for an object of an unsupported type, and if the format is invalid.
    package override func evaluate(with object: Any?) -> Bool { evaluate(with: object, substitutionVariables: nil) }

    package override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        (try? satisfies(content.get(), object: object, bindings: bindings ?? [:])) ?? false
    }

    /// Returns whether an object matches the tree of the predicate.
    func satisfies(_ tree: PredicateTree, object: Any?, bindings: [String: Any]) throws -> Bool {
        let variables = try PredicateArgument.make(from: bindings) { _ in nil }
        return try matches(variables.isEmpty ? tree : tree.substituting(variables), object: object)
    }

    final func matches(_ tree: PredicateTree, object: Any?) throws -> Bool {
        guard let value = AttributeValue(any: object) else { return false }
        return try PreparedPredicate(tree).evaluate(value: .value(value)) ?? false
    }

    /// Returns the predicate itself, because it is immutable.
    package override func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A protocol for the property that Foundation marks as deprecated, because its own predicates print nothing useful.
/// Constant predicates can still be distinguished by it.
private protocol PredicateText {
    var predicateFormat: String { get }
}

extension NSPredicate: PredicateText {}

extension NSPredicate {
    /// Returns the predicate as a tree.
    ///
    /// - Throws: The error in the format, or an error for a kind of predicate that no store supports.
    func tree() throws -> PredicateTree {
        if let format = self as? FormatPredicate { return try format.content.get() }
        if let comparison = self as? any ComparisonHolding { return try comparison.predicate.content.get() }
        if let compound = self as? NSCompoundPredicate {
            let parts = try compound.subpredicates.map { try $0.tree() }
            switch compound.compoundPredicateType {
            case .and: return .and(parts)
            case .or: return .or(parts)
            case .not:
                guard let only = parts.first else { throw unsupported() }
                return .not(only)
            @unknown default: throw unsupported()
            }
        }
        switch (self as any PredicateText).predicateFormat {
        case "TRUEPREDICATE": return .constant(true)
        case "FALSEPREDICATE": return .constant(false)
        default: throw unsupported()
        }
    }

    private func unsupported() -> CoreDataError {
        CoreDataError(
            NSPersistentStoreUnsupportedRequestTypeError,
            "A fetch cannot use a \(type(of: self)) made from a closure. Use `NSPredicate(format:)` or a compound of such predicates."
        )
    }
}
