import SwormPredicates

/// Returns the key path of a property of a subclass of `NSManagedObject` as a string, as `#keyPath` does on Apple platforms
/// for properties that are declared with `@NSManaged`.
///
/// ```swift
/// request.sortDescriptors = [NSSortDescriptor(key: keyPath(\Book.author?.name), ascending: true)]
/// request.predicate = NSPredicate(format: "%K > %@", argumentArray: [keyPath(\Book.year), 1900])
/// ```
/// - Parameter path: A property that is declared with ``Managed``, which may follow relationships to one object.
/// - Returns: The names of the properties in the model, joined by dots; an empty string for a path of other properties.
public func keyPath<Root: NSManagedObject, Value>(_ path: KeyPath<Root, Value>) -> String {
    if let known = knownKeyPaths.withLock({ $0[path] }) { return known }
    let recorder = KeyRecorder()
    KeyRecorder.$current.withValue(recorder) {
        if let object = recorder.object(of: Root.self) { _ = object[keyPath: path] }
    }
    let text = recorder.names.joined(separator: ".")
    knownKeyPaths.withLock { $0[path] = text }
    return text
}

/// The key paths that were asked for, with their strings.
private let knownKeyPaths = Locked<[AnyKeyPath: String]>([:])
