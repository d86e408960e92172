public import Foundation
import SwormStore

/// An attribute whose value the store computes from other values.
///
/// ```swift
/// let count = NSDerivedAttributeDescription()
/// count.name = "bookCount"
/// count.type = .integer64
/// count.derivationExpression = NSExpression(format: "books.@count")
/// ```
/// The expression is a key path through to-one relationships, a count or another aggregate of a to-many relationship
/// (`count:(books)`, `books.@sum.price`), `canonical:`, `uppercase:` or `lowercase:` of a string, or `now()`: the time of the
/// last save. Any other expression leaves the value unchanged.
open class NSDerivedAttributeDescription: NSAttributeDescription {
    /// The expression from which the value is computed. An error in its format makes the model invalid.
    open var derivationExpression: NSExpression? {
        get { givenExpression ?? derivation.map { NSExpression.make(text: $0) } }
        set {
            let text = newValue.map { expression in
                Result { try expression.tree() }.map { _ in expression.content.text }
            }
            derivation = try? text?.get()
            givenExpression = newValue
            if case .failure(let error)? = text { derivationIssue = error }
        }
    }

    private var givenExpression: NSExpression?

    /// The error in the format of the expression.
    private(set) var derivationIssue: (any Error)?

    /// The derivation expression as in the model file: `author.name`, `count:(pages)`, `now()`.
    package var derivation: String? {
        didSet {
            givenExpression = nil
            derivationIssue = nil
            changed()
        }
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSDerivedAttributeDescription() }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSDerivedAttributeDescription else { return }
        copy.derivation = derivation
        copy.derivationIssue = derivationIssue
    }
}
