import Foundation
import SwormStore

/// An attribute whose value the store computes from other values.
open class NSDerivedAttributeDescription: NSAttributeDescription {
    /// The derivation expression as in the model file: `author.name`, `count:(pages)`, `now()`.
    ///
    /// It is stored as a string, because Foundation cannot parse expressions on every platform.
    package var derivation: String? { didSet { changed() } }

    override func makeEmptyCopy() -> NSPropertyDescription { NSDerivedAttributeDescription() }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        (copy as? NSDerivedAttributeDescription)?.derivation = derivation
    }
}
