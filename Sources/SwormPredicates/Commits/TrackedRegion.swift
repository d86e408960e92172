/// The part of a store that a request reads: the properties of entities, and the entities whose insertions and
/// deletions change its result.
package struct TrackedRegion: Sendable, Hashable {
    /// The names of the properties that the request reads, by the name of the entity.
    package private(set) var properties: [String: Set<String>] = [:]
    /// The names of the root entities whose insertions and deletions change the result.
    package private(set) var roots: Set<String> = []
    /// The names of the properties of the request's own entity, by the name of the entity, that decide which objects it
    /// finds and in which order.
    package private(set) var deciding: [String: Set<String>] = [:]
    /// Whether the request reads rows of its own entity only.
    package private(set) var readsOneEntity = true

    package init() {}

    /// The names of all entities whose changes matter.
    package var entities: Set<String> { roots.union(properties.keys) }

    package mutating func read(_ property: String, of entity: String) {
        properties[entity, default: []].insert(property)
    }

    package mutating func decide(by property: String, of entity: String) {
        read(property, of: entity)
        deciding[entity, default: []].insert(property)
    }

    package mutating func countRows(of root: String) { roots.insert(root) }

    /// Notes that the request also reads rows of other entities.
    package mutating func followRelationship() { readsOneEntity = false }

    /// Returns whether the changes may change the result of the request.
    package func isTouched(by changes: CommittedChanges) -> Bool {
        if changes.isUnknown { return true }
        for root in roots {
            if changes.unknownRows.contains(root) { return true }
            guard let rows = changes.rows[root] else { continue }
            if !rows.inserted.isEmpty || !rows.deleted.isEmpty { return true }
        }
        return Self.meet(properties, changes.properties)
    }

    /// Returns whether the changes may change which objects the request finds, or their order, without an insertion or
    /// a deletion.
    package func isDecided(by changes: CommittedChanges) -> Bool { Self.meet(deciding, changes.properties) }

    /// Adds the region of another request, whose result is part of the same value.
    package mutating func merge(_ other: TrackedRegion) {
        for (entity, names) in other.properties { properties[entity, default: []].formUnion(names) }
        for (entity, names) in other.deciding { deciding[entity, default: []].formUnion(names) }
        roots.formUnion(other.roots)
        readsOneEntity = false
    }

    /// Returns whether another region contains this one.
    package func isSubset(of other: TrackedRegion) -> Bool {
        roots.isSubset(of: other.roots)
            && properties.allSatisfy { entity, names in
                other.properties[entity].map { names.isSubset(of: $0) } ?? names.isEmpty
            }
    }

    private static func meet(_ one: [String: Set<String>], _ other: [String: Set<String>]) -> Bool {
        let (few, many) = one.count < other.count ? (one, other) : (other, one)
        return few.contains { entity, names in many[entity].map { !$0.isDisjoint(with: names) } ?? false }
    }
}
