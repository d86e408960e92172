import SwormStore

/// The identity of a relationship in a model. The slot alone is not unique: sibling entities may have different
/// relationships there.
struct RelationshipLocation: Hashable {
    /// The number of the entity that declares the relationship.
    let owner: Int
    let slot: Int
}

extension CompiledEntity {
    func place(ofRelationship slot: Int) -> RelationshipLocation {
        RelationshipLocation(owner: relationships[slot].owner, slot: slot)
    }

    /// Returns whether the entity has the same relationship in a slot as another entity. Sibling entities may have
    /// different relationships there, even with the same name.
    func declares(_ relationship: CompiledRelationship, at slot: Int) -> Bool {
        relationships.indices.contains(slot) && relationships[slot].owner == relationship.owner
            && relationships[slot].name == relationship.name
    }
}
