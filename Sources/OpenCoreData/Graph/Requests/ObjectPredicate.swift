public import Foundation
import SwormPredicates

/// A protocol of the predicate class, for initializers that Foundation's own predicates lack on this platform.
public protocol PredicateFormatting {}

extension NSPredicate: PredicateFormatting {}

extension PredicateFormatting where Self == NSPredicate {
    /// Creates a predicate from a format string and its arguments.
    ///
    /// An error in the format is reported by the request that uses the predicate.
    ///
    /// - Parameters:
    ///   - format: The format, in the language of Apple's predicate format strings.
    ///   - argumentArray: The arguments for `%@`, `%K` and the `printf` specifiers.
    public init(format: String, argumentArray: [Any]?) {
        self = ObjectPredicate(format: format, arguments: argumentArray ?? [])
    }

    /// Creates a predicate from a format string and its arguments.
    ///
    /// An error in the format is reported by the request that uses the predicate.
    ///
    /// - Parameters:
    ///   - format: The format, in the language of Apple's predicate format strings.
    ///   - args: The arguments for `%@`, `%K` and the `printf` specifiers.
    public init(format: String, _ args: Any...) {
        self = ObjectPredicate(format: format, arguments: args)
    }
}

/// A predicate that was created from a format, for requests and for managed objects.
final class ObjectPredicate: FormatPredicate {
    convenience init(format: String, arguments: [Any]) {
        self.init(Result { try parsePredicate(format, arguments: predicateArguments(arguments)) })
    }

    /// Returns whether a managed object, or a plain value that the format calls `SELF`, matches the predicate.
    override func satisfies(_ tree: PredicateTree, object: Any?, bindings: [String: Any]) throws -> Bool {
        let tree = bindings.isEmpty ? tree : try tree.substituting(predicateVariables(bindings))
        guard let managed = object as? NSManagedObject else { return try matches(tree, object: object) }
        return try PreparedPredicate(tree).matches(managed)
    }
}
