/// The names of the properties that a key path reads, in order. The key path is applied to an object that exists only for
/// it, and that belongs to no context.
///
/// @unchecked: only the call that makes it uses it.
final class KeyRecorder: @unchecked Sendable {
    @TaskLocal static var current: KeyRecorder?

    private(set) var names: [String] = []
    /// Whether an object could not be made, so that the key path was not read to its end.
    private(set) var isIncomplete = false

    /// Records a property that is read, if its object was made for a recorder, and returns whether it was.
    @discardableResult
    static func note(_ name: String, of object: NSManagedObject) -> Bool {
        // Objects of contexts are not recorded, and need no look at the task.
        guard object.managedObjectContext == nil, let current else { return false }
        current.names.append(name)
        return true
    }

    /// Records a relationship that is read, and returns an object for the rest of the key path; nil without a recorder.
    static func destination<Destination: NSManagedObject>(
        of object: NSManagedObject, by name: String, as type: Destination.Type
    ) -> Destination? {
        guard object.managedObjectContext == nil, let current else { return nil }
        current.names.append(name)
        return current.object(of: type)
    }

    /// Returns a new object without a context; nil if Core Data has no model with an entity of the class yet.
    func object<Object: NSManagedObject>(of type: Object.Type) -> Object? {
        guard let entity = type.entityForKeys else {
            isIncomplete = true
            SystemLog.write(
                "keyPath(_:) cannot read the properties of \(type): no model that is in use has an entity of the class.",
                once: "\(type)")
            return nil
        }
        return Object(entity: entity, insertInto: nil)
    }
}
