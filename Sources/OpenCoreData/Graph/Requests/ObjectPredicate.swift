public import Foundation
import SwormPredicates

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
        self = ObjectPredicate(format: format, arguments: argumentArray ?? [])
    }

    /// Makes a predicate from a format string and its arguments.
    ///
    /// A mistake in the format is reported by the request that uses the predicate.
    ///
    /// - Parameters:
    ///   - format: The format, in the language of Apple's predicate format strings.
    ///   - args: The arguments for `%@`, `%K` and the forms of `printf`.
    public init(format: String, _ args: Any...) {
        self = ObjectPredicate(format: format, arguments: args)
    }
}

/// A predicate made from a format, for requests and for managed objects.
package final class ObjectPredicate: FormatPredicate {
    convenience init(format: String, arguments: [Any]) {
        self.init(Result { try parsePredicate(format, arguments: predicateArguments(arguments)) })
    }

    /// Whether a managed object, or a plain value that the format calls `SELF`, satisfies the tree.
    override func satisfies(_ tree: PredicateTree, object: Any?, bindings: [String: Any]) throws -> Bool {
        let tree = bindings.isEmpty ? tree : try tree.substituting(predicateVariables(bindings))
        guard let managed = object as? NSManagedObject else { return try matches(tree, object) }
        return try PreparedPredicate(tree).matches(managed)
    }
}
