import Foundation
import SwormPredicates

/// A comparison with the predicate that it evaluates.
protocol ComparisonHolding: AnyObject {
    var predicate: FormatPredicate { get }
}

/// A comparison of two expressions. Foundation's own comparisons cannot be created on this platform.
///
/// Deprecated like its superclass, which can only be named in a declaration that is deprecated too.
@available(*, deprecated)
final class ContentComparison: Foundation.NSComparisonPredicate, ComparisonHolding {
    /// The predicate that the comparison evaluates; nil only while the object is being created.
    private var storage: FormatPredicate?

    /// Returns a comparison.
    static func make(_ predicate: FormatPredicate) -> ContentComparison {
        // A constant predicate refers to no object.
        let comparison = ClassMemory.makeObject(of: ContentComparison.self, like: NSPredicate(value: true))
        comparison.storage = predicate
        return comparison
    }

    var predicate: FormatPredicate { storage ?? FormatPredicate(tree: .constant(false)) }

    /// The comparison in the language of formats.
    override var description: String { predicate.description }

    override func evaluate(with object: Any?) -> Bool { predicate.evaluate(with: object) }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        predicate.evaluate(with: object, substitutionVariables: bindings)
    }

    /// Returns the comparison itself, because it is immutable.
    override func copy(with zone: NSZone? = nil) -> Any { self }
}

extension NSCopying where Self == NSComparisonPredicate {
    /// Returns a comparison that evaluates a predicate.
    static func make(_ predicate: FormatPredicate) -> NSComparisonPredicate {
        foundationSubclasses.comparison(predicate)
    }
}
