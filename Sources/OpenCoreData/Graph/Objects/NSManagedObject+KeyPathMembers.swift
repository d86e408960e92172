public import Foundation

// Collections and validation at the end of a key path. Without a related object behind its first name, the path is used as a
// key: of an element of a composite attribute, or of a property that does not exist.
extension NSManagedObject {
    /// Returns a set that reads and changes the to-many relationship at the end of a key path.
    ///
    /// - Parameter keyPath: Names of to-one relationships, followed by the name of a to-many relationship.
    /// - Returns: A set that reads and changes the relationship. If the path has no object to which the relationship belongs,
    ///   an empty set whose changes have no effect except for the error of the next save. See ``mutableSetValue(forKey:)``.
    public final func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
        guard let (next, rest) = firstStep(of: keyPath) else { return mutableSetValue(forKey: keyPath) }
        return next.mutableSetValue(forKeyPath: rest)
    }

    /// Returns an ordered set that reads and changes the ordered to-many relationship at the end of a key path.
    ///
    /// - Parameter keyPath: Names of to-one relationships, followed by the name of an ordered to-many relationship.
    /// - Returns: An ordered set that reads and changes the relationship. If the path has no object to which the relationship
    ///   belongs, an empty ordered set whose changes have no effect except for the error of the next save. See
    ///   ``mutableOrderedSetValue(forKey:)``.
    public final func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
        guard let (next, rest) = firstStep(of: keyPath) else { return mutableOrderedSetValue(forKey: keyPath) }
        return next.mutableOrderedSetValue(forKeyPath: rest)
    }

    /// Validates one value for the property at the end of a key path, with ``validateValue(_:forKey:)`` of the object to which
    /// the property belongs.
    ///
    /// - Parameters:
    ///   - value: The value to validate. An override of that method may replace it.
    ///   - keyPath: Names of to-one relationships, followed by the name of any property, or of a composite attribute and its
    ///     element.
    /// - Throws: An error that names the entity, the property and the value, or that there is no such property.
    public final func validateValue(_ value: inout Any?, forKeyPath keyPath: String) throws {
        guard let (next, rest) = firstStep(of: keyPath) else { return try validateValue(&value, forKey: keyPath) }
        try next.validateValue(&value, forKeyPath: rest)
    }

    /// Returns the object behind the first name of a key path, with the rest of the path; nil if the path is a single name, or
    /// if its first name leads to no single object.
    private final func firstStep(of keyPath: String) -> (next: NSManagedObject, rest: String)? {
        guard let dot = keyPath.firstIndex(of: "."),
            let next = value(forKey: String(keyPath[..<dot])) as? NSManagedObject
        else {
            return nil
        }
        return (next, String(keyPath[keyPath.index(after: dot)...]))
    }
}
