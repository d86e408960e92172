/// The slots of columns that are not attributes of the fetched entity, in requests for values.
package enum PseudoSlot {
    /// The version, which increases with each change of the row.
    package static var version: Int { -2 }
    /// The number of the row's entity.
    package static var entity: Int { -3 }

    /// Returns the slot of the key of a to-one relationship's destination, which is 0 if it is missing.
    package static func link(_ slot: Int, of entity: Int) -> Int { -(linkStart + (entity << slotBits | slot)) }

    private static var linkStart: Int { 16 }

    /// Returns the entity and the slot of a to-one relationship, for the slot of its key.
    static func link(_ slot: Int) -> (entity: Int, slot: Int)? {
        guard slot <= -linkStart else { return nil }
        let place = -slot - linkStart
        return (place >> slotBits, place & (1 << slotBits - 1))
    }

    private static var slotBits: Int { 20 }

    /// Returns the slot of an attribute of another entity of the same table.
    package static func attribute(_ slot: Int, of entity: Int) -> Int { entity << slotBits | slot }

    /// Returns the entity and the slot of an attribute, for a slot of the fetched entity or of another one.
    static func place(_ slot: Int, fetching entity: Int) -> (entity: Int, slot: Int) {
        let other = slot >> slotBits
        return other > 0 ? (other, slot & (1 << slotBits - 1)) : (entity, slot)
    }
}
