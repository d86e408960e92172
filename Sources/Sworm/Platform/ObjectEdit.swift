#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif

/// The changes of one edit to one object. It holds the object, and the objects that it refers to.
struct ObjectEdit {
    /// The old and the new value of an attribute.
    struct ValueChange {
        var old: EditedValue
        var new: EditedValue
    }

    /// The old and the new destination of a relation to one.
    struct DestinationChange {
        var old: NSManagedObject?
        var new: NSManagedObject?
    }

    /// The members that an unordered relation has gained and lost.
    struct LinkChange {
        var added: [NSManagedObject]
        var removed: [NSManagedObject]
        /// The members that the relation of a deleted object has gained before the deletion, in the same edit, although it
        /// has them in the store: they were removed before, and that was not saved.
        var passing: [NSManagedObject] = []

        var isEmpty: Bool { added.isEmpty && removed.isEmpty && passing.isEmpty }
    }

    /// The old and the new members of an ordered relation.
    struct ListChange {
        var old: [NSManagedObject]
        var new: [NSManagedObject]
    }

    let object: NSManagedObject
    /// Whether the object existed before the edit.
    let wasPresent: Bool
    /// Whether the object exists after the edit.
    let isPresent: Bool
    /// The changed attributes, by name. For an object that was inserted or deleted, all of them.
    var values: [String: ValueChange] = [:]
    var destinations: [String: DestinationChange] = [:]
    /// The changed unordered relations that are not the inverse of a relation to one. The destinations of their members
    /// decide those that are.
    var links: [String: LinkChange] = [:]
    var lists: [String: ListChange] = [:]
    /// The members of all unordered relations of an object that was inserted, after the edit.
    var members: [String: [NSManagedObject]] = [:]
    /// The members that the relations of an object that was deleted had in the store at that time. The engine of Linux
    /// needs none: its deleted objects gain the members that are linked in the store later.
    var stored: [String: Set<NSManagedObject>] = [:]

    /// Whether the edit has inserted the object.
    var isInsertion: Bool { !wasPresent && isPresent }
    /// Whether the edit has deleted the object.
    var isDeletion: Bool { wasPresent && !isPresent }

    var isEmpty: Bool {
        wasPresent == isPresent
            && (!wasPresent || values.isEmpty && destinations.isEmpty && links.isEmpty && lists.isEmpty)
    }
}
