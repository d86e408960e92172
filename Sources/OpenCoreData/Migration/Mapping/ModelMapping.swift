/// What of an old model becomes what of a new one.
///
/// It speaks of what stores keep: transient and fetched properties have no part in it.
struct ModelMapping: Sendable, Equatable {
    /// One entity. No source: it is new. No destination: it goes, with its objects.
    struct Entity: Sendable, Equatable {
        let source: String?
        let destination: String?
        /// Inherited ones included; a composite attribute stands here as its leaves, named `composite.leaf`.
        let attributes: [Property]
        /// Inherited ones included.
        let relationships: [Property]
    }

    /// One property of the destination (or, without one, one of the source that goes).
    ///
    /// A property without a source has no value yet: it takes its default value. A derived attribute has a source only
    /// when it was derived before in the same type; its expression may have changed all the same.
    struct Property: Sendable, Equatable {
        let source: String?
        let destination: String?
    }

    /// Those of the new model in the order of their numbers there, then those that go.
    let entities: [Entity]
}
