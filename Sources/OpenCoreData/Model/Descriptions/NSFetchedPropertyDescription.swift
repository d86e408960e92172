/// A property whose value is the result of a request. It is stored with its model, but objects do not evaluate it.
open class NSFetchedPropertyDescription: NSPropertyDescription {
    /// The settings of the request.
    package var request = RequestTemplate()

    /// The name of the entity that the request fetches.
    package var requestedEntityName: String? {
        get { request.entityName }
        set { request.entityName = newValue }
    }

    /// The format of the request's predicate.
    package var requestPredicateText: String? {
        get { request.predicateText }
        set { request.predicateText = newValue }
    }

    override func makeEmptyCopy() -> NSPropertyDescription { NSFetchedPropertyDescription() }

    override func copyValues(to copy: NSPropertyDescription) {
        super.copyValues(to: copy)
        guard let copy = copy as? NSFetchedPropertyDescription else { return }
        copy.request = request
    }
}
