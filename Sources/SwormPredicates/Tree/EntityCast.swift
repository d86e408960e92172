/// The step of a key path that continues with an object only if the object belongs to an entity: `as_Book`, or
/// `only_Book` for objects of the entity without its sub-entities. For any other object, the value of the step is nil.
///
/// A property of this name has precedence.
package struct EntityCast: Hashable {
    package let entity: String
    /// Whether objects of sub-entities are left out.
    package let isExact: Bool

    private static let (prefix, exactPrefix) = ("as_", "only_")

    /// Creates the step for an entity.
    package init(to entity: String, isExact: Bool) { (self.entity, self.isExact) = (entity, isExact) }

    /// Creates the step of a key path; nil for any other key.
    package init?(_ key: String) {
        if key.hasPrefix(Self.prefix) {
            self.init(to: String(key.dropFirst(Self.prefix.count)), isExact: false)
        } else if key.hasPrefix(Self.exactPrefix) {
            self.init(to: String(key.dropFirst(Self.exactPrefix.count)), isExact: true)
        } else {
            return nil
        }
    }

    /// The key of the step.
    package var key: String { (isExact ? Self.exactPrefix : Self.prefix) + entity }
}

extension QueryError {
    /// Returns the error for a cast to an entity that is not in the same hierarchy.
    package static func unrelatedCast(to entity: String, from other: String) -> QueryError {
        QueryError(.unknownKey, "\(entity) is neither a sub-entity nor a super-entity of \(other)")
    }
}
