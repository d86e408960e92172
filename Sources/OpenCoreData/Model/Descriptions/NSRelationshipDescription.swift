import Foundation
import SwormStore

/// A relationship of an entity to another entity or to itself.
open class NSRelationshipDescription: NSPropertyDescription {
    /// The destination entity. It is retained by its model, not by the relationship.
    open weak var destinationEntity: NSEntityDescription? { didSet { changed() } }

    /// The inverse relationship of the destination; nil for none, the relationship itself if it is its own inverse.
    ///
    /// Set it on both sides. It is not retained by this relationship.
    open weak var inverseRelationship: NSRelationshipDescription? { didSet { changed() } }

    /// The maximum number of objects: 1 for a to-one relationship, 0 for no limit.
    open var maxCount: Int = 0 { didSet { changed() } }

    /// The minimum number of objects. An optional relationship may nevertheless be empty, and so may a to-many relationship
    /// that is not optional, if this is 0.
    open var minCount: Int = 0 { didSet { changed() } }

    /// The effect on the destination objects when an object is deleted. The default is to nullify.
    open var deleteRule: NSDeleteRule = .nullifyDeleteRule { didSet { changed() } }

    /// Whether a to-many relationship is ordered. For a to-one relationship, it only changes the version hash.
    open var isOrdered: Bool = false { didSet { changed() } }

    /// Whether the relationship may have more than one destination object.
    open var isToMany: Bool { maxCount != 1 }

    override func makeEmptyCopy() -> NSPropertyDescription { NSRelationshipDescription() }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSRelationshipDescription else { return }
        copy.destinationEntity = destinationEntity
        copy.inverseRelationship = inverseRelationship === self ? copy : inverseRelationship
        copy.maxCount = maxCount
        copy.minCount = minCount
        copy.deleteRule = deleteRule
        copy.isOrdered = isOrdered
    }
}
