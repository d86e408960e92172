import Foundation

enum ToOneAccess<Destination: NSManagedObject>: ManagedAccess {
    static func value(of object: NSManagedObject, _ property: Managed<Destination?>) -> Destination? {
        guard let destination = object.destination(named: property.name) else {
            return KeyRecorder.destination(of: object, by: property.name, as: Destination.self)
        }
        if let destination = destination as? Destination { return destination }
        object.noteWrongClass(of: destination, in: property.name, expected: Destination.self)
        return nil
    }

    static func set(_ value: Destination?, of object: NSManagedObject, for property: Managed<Destination?>) {
        object.setDestination(named: property.name, to: value)
    }
}

enum ToManyAccess<Destination: NSManagedObject>: ManagedAccess {
    static func value(of object: NSManagedObject, _ property: Managed<Set<Destination>>) -> Set<Destination> {
        Set(object.members(named: property.name, as: Destination.self))
    }

    static func set(_ value: Set<Destination>, of object: NSManagedObject, for property: Managed<Set<Destination>>) {
        object.setMembers(named: property.name, to: value as Set<NSManagedObject>, shownAs: Destination.self)
    }
}

enum OrderedAccess<Destination: NSManagedObject>: ManagedAccess {
    static func value(of object: NSManagedObject, _ property: Managed<[Destination]>) -> [Destination] {
        object.members(named: property.name, as: Destination.self)
    }

    static func set(_ value: [Destination], of object: NSManagedObject, for property: Managed<[Destination]>) {
        object.setMembers(named: property.name, to: NSOrderedSet(array: value), shownAs: Destination.self)
    }
}

enum OrderedSetAccess: ManagedAccess {
    static func value(of object: NSManagedObject, _ property: Managed<NSOrderedSet>) -> NSOrderedSet {
        NSOrderedSet(array: object.members(named: property.name, as: NSManagedObject.self))
    }

    static func set(_ value: NSOrderedSet, of object: NSManagedObject, for property: Managed<NSOrderedSet>) {
        object.setMembers(named: property.name, to: value)
    }
}

extension NSManagedObject {
    /// Returns the members of a relationship that have a class.
    fileprivate func members<Destination: NSManagedObject>(
        named name: String, as type: Destination.Type
    ) -> [Destination] {
        let members = members(named: name)
        if members.isEmpty { KeyRecorder.note(name, of: self) }
        let typed = members.compactMap { $0 as? Destination }
        if typed.count < members.count, let other = members.first(where: { !($0 is Destination) }) {
            noteWrongClass(of: other, in: name, expected: type)
        }
        return typed
    }

    /// Sets a relationship to members of a class.
    ///
    /// A property of a class does not show members of another class, and whoever sets it does not mean to remove them.
    /// The write is rejected while there are any. One that is deleted is removed by the deletion, whatever is written.
    fileprivate func setMembers<Destination: NSManagedObject>(
        named name: String, to value: Any, shownAs type: Destination.Type
    ) {
        if let hidden = members(named: name).first(where: { !($0 is Destination) && !$0.isDeleted }) {
            return noteUnwritable(name, error: HiddenMember(hidden, expected: type))
        }
        setMembers(named: name, to: value)
    }
}

/// The reason why a relationship that has members of another class is not set.
private struct HiddenMember: Error, CustomStringConvertible {
    let description: String

    init(_ object: NSManagedObject, expected: NSManagedObject.Type) {
        description =
            "the relationship also has \(object.objectID) of the class \(type(of: object)), which a property of \(expected) does not show and the write would remove. Use a class that all members have."
    }
}
