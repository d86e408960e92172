import Foundation
import SwormPredicates
import SwormStore

/// An expression with content.
protocol ExpressionHolding: AnyObject {
    var content: ExpressionContent { get }
}

/// An expression with content. Foundation's own expressions cannot be created on this platform.
///
/// Deprecated like its superclass, which can only be named in a declaration that is deprecated too.
@available(*, deprecated)
final class ContentExpression: Foundation.NSExpression, ExpressionHolding {
    /// The content; nil only while the object is being created.
    private var storage: ExpressionContent?

    /// Returns an expression.
    static func make(_ content: ExpressionContent) -> ContentExpression {
        let expression = ClassMemory.makeObject(of: ContentExpression.self)
        expression.storage = content
        return expression
    }

    var content: ExpressionContent { storage ?? .missing }

    /// The expression as text, in the form in which models contain it.
    override var description: String { content.text }

    /// Returns whether another expression has the same tree.
    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? any ExpressionHolding else { return false }
        if other === self { return true }
        guard let tree = try? content.tree.get(), let otherTree = try? other.content.tree.get() else { return false }
        return tree == otherTree
    }

    override var hash: Int { (try? content.tree.get())?.hashValue ?? ObjectIdentifier(self).hashValue }

    /// Returns the expression itself, because it is immutable.
    override func copy(with zone: NSZone? = nil) -> Any { self }
}

extension NSCopying where Self == NSExpression {
    /// Returns an expression with content.
    static func make(_ content: ExpressionContent) -> NSExpression { foundationSubclasses.expression(content) }

    /// Returns an expression for a tree.
    static func make(_ tree: ExpressionTree) -> NSExpression { make(ExpressionContent(.success(tree))) }

    /// Returns the expression of a text as models contain it.
    static func make(text: String) -> NSExpression {
        make(ExpressionContent(Result { try parseExpression(text) }, text: text))
    }

    /// The content of the expression.
    var content: ExpressionContent { (self as? any ExpressionHolding)?.content ?? .missing }

    /// Returns the expression as a tree.
    ///
    /// - Throws: The error in the format, or an error for an expression that has no tree.
    func tree() throws -> ExpressionTree { try content.tree.get() }
}

extension ExpressionContent {
    /// The content of an expression that was not created by an initializer of this module.
    fileprivate static var missing: ExpressionContent {
        ExpressionContent(
            .failure(CoreDataError(NSCoreDataError, "The expression has no content. Create it with an initializer.")))
    }
}
