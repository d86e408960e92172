import Foundation
import SwormStore

/// The set that `mutableSetValue(forKey:)` returns: every call is forwarded to the object's relationship.
final class RelationshipSet: NSMutableSet {
    private let object: NSManagedObject
    private let key: String
    private let slot: Int?

    init(object: NSManagedObject, key: String) {
        self.object = object
        self.key = key
        slot = object.toManySlot(named: key)
        super.init(capacity: 0)
    }

    @available(*, unavailable)
    required init?(coder aDecoder: NSCoder) { nil }

    @available(*, unavailable)
    required init(capacity numItems: Int) {
        object = NSManagedObject(entity: NSEntityDescription(), insertInto: nil)
        key = ""
        slot = nil
        super.init(capacity: numItems)
    }

    override var count: Int { slot.map { object.memberCount($0) } ?? 0 }

    override func member(_ object: Any) -> Any? {
        guard let slot, let candidate = object as? NSManagedObject else { return nil }
        return self.object.hasMember(slot, object: candidate) ? candidate : nil
    }

    override func objectEnumerator() -> NSEnumerator {
        NSArray(array: slot.map { object.memberObjects($0) } ?? []).objectEnumerator()
    }

    override func add(_ object: Any) { change(object) { try self.object.addMember($0, object: $1) } }

    override func remove(_ object: Any) { change(object) { try self.object.removeMember($0, object: $1) } }

    override func removeAllObjects() {
        for member in slot.map({ object.memberObjects($0) }) ?? [] { remove(member) }
    }

    private func change(_ member: Any, _ body: (Int, NSManagedObject) throws -> Void) {
        object.changeMembers(key: key, slot: slot, member: member, body)
    }
}

extension NSManagedObject {
    func toManySlot(named key: String) -> Int? {
        guard case .relationship(let slot) = compiledEntity.slot(named: key),
            compiledEntity.relationships[slot].isToMany
        else {
            return nil
        }
        return slot
    }

    /// Changes a to-many relationship for an accessor that cannot throw.
    func changeMembers(key: String, slot: Int?, member: Any, _ body: (Int, NSManagedObject) throws -> Void) {
        do {
            guard let slot else { throw unknownKey(key) }
            guard let managed = member as? NSManagedObject else {
                throw CoreDataError(
                    NSManagedObjectValidationError,
                    "Cannot change '\(key)' of \(compiledEntity.name): the relationship takes managed objects only.",
                    entity: compiledEntity.name,
                    key: key)
            }
            willChangeValue(forKey: key)
            defer { didChangeValue(forKey: key) }
            try body(slot, managed)
        } catch {
            refuse(error, key: key)
        }
    }
}
