/// What of an old model becomes what of a new one.
///
/// It speaks of what stores keep: transient and fetched properties have no part in it.
package struct ModelMapping: Sendable, Equatable {
    /// One entity. No source: it is new. No destination: it goes, with its objects.
    package struct Entity: Sendable, Equatable {
        package let source: String?
        package let destination: String?
        /// Inherited ones included; a composite attribute stands here as its leaves, named `composite.leaf`.
        package let attributes: [Property]
        /// Inherited ones included.
        package let relationships: [Property]

        package init(
            source: String?, destination: String?, attributes: [Property], relationships: [Property]
        ) {
            self.source = source
            self.destination = destination
            self.attributes = attributes
            self.relationships = relationships
        }
    }

    /// One property of the destination (or, without one, one of the source that goes).
    ///
    /// A property without a source has no value yet: it takes its default value. A derived attribute has a source only
    /// when it was derived before in the same type; its expression may have changed all the same.
    package struct Property: Sendable, Equatable {
        package let source: String?
        package let destination: String?

        package init(source: String?, destination: String?) {
            self.source = source
            self.destination = destination
        }
    }

    /// Those of the new model in the order of their numbers there, then those that go.
    package let entities: [Entity]

    package init(entities: [Entity]) { self.entities = entities }
}
