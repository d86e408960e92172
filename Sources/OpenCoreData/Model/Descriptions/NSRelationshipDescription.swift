import Foundation
import SwormStore

/// A relationship of an entity to another one or to itself.
open class NSRelationshipDescription: NSPropertyDescription {
    /// The entity that the relationship leads to. It is not kept alive by the relationship; its model does that.
    open weak var destinationEntity: NSEntityDescription? { didSet { changed() } }

    /// The relationship of the destination that leads back; nil for none, the relationship itself for its own inverse.
    ///
    /// Set it on both sides. It is not kept alive by this relationship.
    open weak var inverseRelationship: NSRelationshipDescription? { didSet { changed() } }

    /// The largest number of objects: 1 makes a to-one relationship, 0 is no limit.
    open var maxCount: Int = 0 { didSet { changed() } }

    /// The smallest number of objects; an optional relationship may be empty all the same.
    open var minCount: Int = 0 { didSet { changed() } }

    /// What happens to the objects at the other end when an object is deleted. To nullify unless set.
    open var deleteRule: NSDeleteRule = .nullifyDeleteRule { didSet { changed() } }

    /// Whether a to-many relationship keeps its objects in order. On a to-one relationship it changes the version hash alone.
    open var isOrdered: Bool = false { didSet { changed() } }

    /// Whether the relationship may lead to more than one object.
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
