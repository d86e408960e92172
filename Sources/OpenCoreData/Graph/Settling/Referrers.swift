import SwormStore

/// The changed objects with references through relationships without an inverse, by the object that they refer to.
///
/// They are gathered once for all objects that a settlement unites, because there may be as many of them. An entry may
/// be out of date, so the state of the relationship decides.
struct Referrers {
    typealias Entry = (object: NSManagedObject, slot: Int)

    private var entries: [ObjectIdentifier: [Entry]] = [:]

    init(_ objects: [NSManagedObject]) {
        for object in objects {
            for (slot, relationship) in object.compiledEntity.relationships.enumerated()
            where relationship.inverse == nil {
                switch object.relationshipState(slot) {
                case .toOne(let destination?): note(object, slot, to: destination)
                case .toMany(let members): for member in members.noted.added { note(object, slot, to: member) }
                case .toOne, .untouched: continue
                }
            }
        }
    }

    mutating func note(_ object: NSManagedObject, _ slot: Int, to destination: NSManagedObject) {
        entries[ObjectIdentifier(destination), default: []].append((object, slot))
    }

    /// Returns the relationships that refer to an object, and forgets them.
    mutating func take(of destination: NSManagedObject) -> [Entry] {
        entries.removeValue(forKey: ObjectIdentifier(destination)) ?? []
    }
}
