import Foundation
import SwormStore

/// An attribute whose value the store works out from others.
open class NSDerivedAttributeDescription: NSAttributeDescription {
    /// The text of the derivation expression, as the model file has it: `author.name`, `count:(pages)`, `now()`.
    ///
    /// Foundation cannot parse an expression on every platform, so the text is what is kept.
    package var derivation: String? { didSet { changed() } }

    override func makeEmptyCopy() -> NSPropertyDescription { NSDerivedAttributeDescription() }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        (copy as? NSDerivedAttributeDescription)?.derivation = derivation
    }
}
