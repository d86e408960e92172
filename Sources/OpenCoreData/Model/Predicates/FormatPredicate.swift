package import Foundation
package import SwormPredicates
import SwormStore

/// A predicate that holds a tree, or the mistake in its format.
///
/// It is evaluated with plain values; ``ObjectPredicate`` is evaluated with managed objects too.
package class FormatPredicate: NSPredicate {
    package let content: Result<PredicateTree, any Error>

    init(_ content: Result<PredicateTree, any Error>) {
        self.content = content
        super.init(value: true)
    }

    /// Wraps a tree.
    package convenience init(tree: PredicateTree) { self.init(.success(tree)) }

    /// Not supported: a predicate is made from its format.
    @available(*, unavailable)
    package required init?(coder: NSCoder) { nil }

    /// The predicate as a format, with its values written out; or the mistake in the format that it was made from.
    package override var description: String {
        switch content {
        case .success(let tree): tree.format
        case .failure(let error): "\(error)"
        }
    }

    /// Whether a plain value, which the format calls `SELF`, satisfies the predicate.
    ///
    /// - Returns: False for an object that it cannot be asked about, and when the format was wrong.
    package override func evaluate(with object: Any?) -> Bool { evaluate(with: object, substitutionVariables: nil) }

    package override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        (try? satisfies(content.get(), object: object, bindings: bindings ?? [:])) ?? false
    }

    /// Whether an object satisfies the tree of the predicate.
    func satisfies(_ tree: PredicateTree, object: Any?, bindings: [String: Any]) throws -> Bool {
        let variables = try PredicateArgument.make(from: bindings) { _ in nil }
        return try matches(variables.isEmpty ? tree : tree.substituting(variables), object)
    }

    final func matches(_ tree: PredicateTree, _ object: Any?) throws -> Bool {
        guard let value = AttributeValue(any: object) else { return false }
        return try PreparedPredicate(tree).evaluate(value: .value(value)) ?? false
    }

    /// Returns the predicate itself: it never changes.
    package override func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Foundation marks this property as deprecated, since its own predicates print nothing useful. Asked through a protocol, it
/// still tells its constants apart.
private protocol PredicateText {
    var predicateFormat: String { get }
}

extension NSPredicate: PredicateText {}

extension NSPredicate {
    /// The predicate as a tree.
    ///
    /// - Throws: What was wrong with the format, or an error for a kind of predicate that no store understands.
    package func tree() throws -> PredicateTree {
        if let format = self as? FormatPredicate { return try format.content.get() }
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
            "A fetch cannot use a \(type(of: self)) made from a closure. Use NSPredicate(format:) or a compound of such."
        )
    }
}
