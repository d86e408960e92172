/// The objects that setters of primitive values have changed without marking them as changed.
///
/// A primitive value bypasses change tracking. However, the value of a relationship also changes the objects at the other
/// end, and these are written by the next save once `didChangeValue(forKey:)` announces the change.
struct UnmarkedObjects {
    private(set) var isCollecting = false
    private var objects: [NSManagedObject] = []

    mutating func begin() { isCollecting = true }

    mutating func end() { isCollecting = false }

    mutating func add(_ object: NSManagedObject) { objects.append(object) }

    /// Returns the objects, and forgets them.
    mutating func take() -> [NSManagedObject] {
        if objects.isEmpty { return [] }
        defer { objects = [] }
        return objects
    }
}
