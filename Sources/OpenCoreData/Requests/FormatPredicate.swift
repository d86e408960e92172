public import Foundation
package import SwormPredicates

/// The form of a predicate's class to which initializers can be added that Foundation's own predicates lack here.
public protocol PredicateFormatting {}

extension NSPredicate: PredicateFormatting {}

extension PredicateFormatting where Self == NSPredicate {
    /// Makes a predicate from a format string and its arguments.
    ///
    /// A mistake in the format is reported by the request that uses the predicate.
    ///
    /// - Parameters:
    ///   - format: The format, in the language of Apple's predicate format strings.
    ///   - argumentArray: The arguments for `%@`, `%K` and the forms of `printf`.
    public init(format: String, argumentArray: [Any]?) {
        self = FormatPredicate(format: format, arguments: argumentArray ?? [])
    }

    /// Makes a predicate from a format string and its arguments.
    ///
    /// A mistake in the format is reported by the request that uses the predicate.
    ///
    /// - Parameters:
    ///   - format: The format, in the language of Apple's predicate format strings.
    ///   - args: The arguments for `%@`, `%K` and the forms of `printf`.
    public init(format: String, _ args: Any...) {
        self = FormatPredicate(format: format, arguments: args)
    }
}

/// A predicate that holds a tree, or what was wrong with its format.
public final class FormatPredicate: NSPredicate {
    package let content: Result<PredicateTree, any Error>

    convenience init(format: String, arguments: [Any]) {
        self.init(Result { try parsePredicate(format, arguments: predicateArguments(arguments)) })
    }

    /// Wraps a tree.
    package convenience init(tree: PredicateTree) { self.init(.success(tree)) }

    private init(_ content: Result<PredicateTree, any Error>) {
        self.content = content
        super.init(value: true)
    }

    /// Not supported: a predicate is made from its format.
    @available(*, unavailable)
    public required init?(coder: NSCoder) { nil }

    /// The predicate as a format, with its values written out; or what was wrong with the format that it was made from.
    public override var description: String {
        switch content {
        case .success(let tree): tree.format
        case .failure(let error): "\(error)"
        }
    }

    /// Whether a managed object satisfies the predicate.
    ///
    /// - Parameter object: A managed object, or a plain value that the format calls `SELF`.
    /// - Returns: False for an object that it cannot be asked about, and when the format was wrong.
    public override func evaluate(with object: Any?) -> Bool { evaluate(with: object, substitutionVariables: nil) }

    /// Whether a managed object satisfies the predicate, with values for its variables.
    ///
    /// - Parameters:
    ///   - object: A managed object, or a plain value that the format calls `SELF`.
    ///   - bindings: Values by variable name.
    public override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        do {
            var tree = try content.get()
            if let bindings { tree = try tree.substituting(predicateVariables(bindings)) }
            let prepared = try PreparedPredicate(tree)
            if let managed = object as? NSManagedObject { return try prepared.matches(managed) }
            guard let value = AttributeValue(any: object) else { return false }
            return try prepared.evaluate(value: .value(value)) ?? false
        } catch {
            return false
        }
    }

    /// Returns the predicate itself: it never changes.
    public override func copy(with zone: NSZone? = nil) -> Any { self }
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
