/// A property whose value is the result of a request. It is stored with its model, but objects do not evaluate it.
open class NSFetchedPropertyDescription: NSPropertyDescription {
    /// The name of the entity that the request fetches.
    package var requestedEntityName: String?

    /// The format of the request's predicate.
    package var requestPredicateText: String?

    override func makeEmptyCopy() -> NSPropertyDescription { NSFetchedPropertyDescription() }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSFetchedPropertyDescription else { return }
        copy.requestedEntityName = requestedEntityName
        copy.requestPredicateText = requestPredicateText
    }
}
