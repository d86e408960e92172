/// The step of a key path that continues with an object only if the object belongs to an entity: `as_Book`. For any other object,
/// the value of the step is nil.
///
/// A property of this name has precedence.
package enum EntityCast {
    private static let prefix = "as_"

    /// Returns the step for an entity.
    package static func key(_ entity: String) -> String { prefix + entity }

    /// Returns the entity of a step; nil for any other key.
    package static func entity(_ key: String) -> String? {
        key.hasPrefix(prefix) ? String(key.dropFirst(prefix.count)) : nil
    }
}

extension QueryError {
    /// Returns the error for a cast to an entity that is not in the same hierarchy.
    package static func unrelatedCast(to entity: String, from other: String) -> QueryError {
        QueryError(.unknownKey, "\(entity) is neither a sub-entity nor a super-entity of \(other)")
    }
}
