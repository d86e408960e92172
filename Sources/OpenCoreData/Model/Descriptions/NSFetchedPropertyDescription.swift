/// A property whose value is the answer to a request. It is kept with its model; no object answers it here.
open class NSFetchedPropertyDescription: NSPropertyDescription {
    /// The name of the entity that the request asks for.
    package var requestedEntityName: String?

    /// The text of the request's predicate.
    package var requestPredicateText: String?

    override func makeEmptyCopy() -> NSPropertyDescription { NSFetchedPropertyDescription() }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSFetchedPropertyDescription else { return }
        copy.requestedEntityName = requestedEntityName
        copy.requestPredicateText = requestPredicateText
    }
}
