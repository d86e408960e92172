/// A mapping of the entities and properties of an old model to those of a new one.
///
/// It covers only stored properties: transient and fetched properties are not part of it.
package struct ModelMapping: Sendable, Equatable {
    /// A mapping of one entity. An entity without a source is new; one without a destination is deleted, with its
    /// objects.
    package struct Entity: Sendable, Equatable {
        package let source: String?
        package let destination: String?
        /// The attributes, including inherited ones. A composite attribute is represented by its leaves, named
        /// `composite.leaf`.
        package let attributes: [Property]
        /// The relationships, including inherited ones.
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

    /// A mapping of one property of the destination, or, without a destination, of one of the source that is deleted.
    ///
    /// A property without a source gets its default value. A derived attribute has a source only if it was already
    /// derived in the same type; its expression may still have changed.
    package struct Property: Sendable, Equatable {
        package let source: String?
        package let destination: String?

        package init(source: String?, destination: String?) {
            self.source = source
            self.destination = destination
        }
    }

    /// The entities of the new model in the order of their numbers, then those that are deleted.
    package let entities: [Entity]

    package init(entities: [Entity]) { self.entities = entities }
}
