import SwormPredicates

/// Returns the key path of a property of a subclass of `NSManagedObject` as a string, as `#keyPath` does on Apple platforms
/// for properties that are declared with `@NSManaged`.
///
/// ```swift
/// request.sortDescriptors = [NSSortDescriptor(key: keyPath(\Book.author?.name), ascending: true)]
/// request.predicate = NSPredicate(format: "%K > %@", argumentArray: [keyPath(\Book.year), 1900])
/// ```
/// Core Data knows the classes of a model once a coordinator uses it. Call the function after that.
///
/// - Parameter path: A property that is declared with ``Managed``, which may follow relationships to one object.
/// - Returns: The names of the properties in the model, joined by dots; an empty string for a path of other properties.
public func keyPath<Root: NSManagedObject, Value>(_ path: KeyPath<Root, Value>) -> String {
    if let known = knownKeyPaths.withLock({ $0[path] }) { return known }
    let recorder = KeyRecorder()
    KeyRecorder.$current.withValue(recorder) {
        if let object = recorder.object(of: Root.self) { _ = object[keyPath: path] }
    }
    let text = recorder.names.joined(separator: ".")
    // The next call has the names if the model has come into use by then.
    if !recorder.isIncomplete { knownKeyPaths.withLock { $0[path] = text } }
    return text
}

/// The key paths that were asked for, with their strings.
private let knownKeyPaths = Locked<[AnyKeyPath: String]>([:])
