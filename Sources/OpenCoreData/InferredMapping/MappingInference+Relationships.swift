import SwormStore

extension MappingInference {
    /// The corresponding relationships of the other model, by the description of a relationship. A relationship has the
    /// same description in all entities that inherit it.
    private typealias Links = [ObjectIdentifier: [ObjectIdentifier: NSRelationshipDescription]]

    /// Checks that every matched relationship can refer to the objects of the old one, and that its inverse is the
    /// same.
    mutating func settleRelationships() {
        for number in pairs.keys.sorted() { checkDestinations(of: number) }
        let links = self.links()
        for number in pairs.keys.sorted() { completeInverses(of: number, links) }
        let complete = self.links()
        for number in pairs.keys.sorted() { checkInverses(of: number, complete) }
    }

    private func relationships(of pair: Pair) -> (
        old: [String: NSRelationshipDescription], new: [String: NSRelationshipDescription]
    ) {
        (
            old.descriptions[pair.source - 1].relationshipsByName,
            new.descriptions[pair.destination - 1].relationshipsByName
        )
    }

    private func compiled(_ entity: NSEntityDescription?, in side: Side) -> CompiledEntity? {
        entity.flatMap { side.numbers[ObjectIdentifier($0)] }.map { side.model[$0] }
    }

    private mutating func checkDestinations(of number: Int) {
        guard let pair = pairs[number] else { return }
        let (before, after) = relationships(of: pair)
        for (name, formerName) in pair.relationships.sorted(by: { VersionHash.precedes($0.key, $1.key) }) {
            guard let relationship = after[name], let former = before[formerName],
                let destination = compiled(relationship.destinationEntity, in: new),
                let formerDestination = compiled(former.destinationEntity, in: old)
            else { continue }
            let reached = formerDestination.family.filter { !old.model[$0].isAbstract }
            let still = reached.compactMap { images[$0] }
            if still.isEmpty, !reached.isEmpty, images[formerDestination.number] != destination.number {
                // All old destinations are removed, and the new destination is a new entity, so no link remains.
                pairs[number]?.relationships[name] = nil
            } else if let lost = still.first(where: { !destination.family.contains($0) }) {
                refuse(
                    "Relationship '\(Self.path(of: relationship))' now has the destination '\(destination.name)', but may relate to "
                        + "objects of '\(new.model[lost].name)' through '\(Self.path(of: former))'. Give it another name, which "
                        + "deletes the links, or set it in a custom stage.",
                    entity: relationship.declaringEntity?.name ?? new.model[number].name, key: name)
            }
        }
    }

    /// Returns the old relationships that each new relationship gets its links from, and the reverse. There are several
    /// old relationships only if the relationship was moved up the hierarchy.
    private func links() -> (sources: Links, destinations: Links) {
        var sources: Links = [:]
        var destinations: Links = [:]
        for pair in pairs.values {
            let (before, after) = relationships(of: pair)
            for (name, formerName) in pair.relationships {
                guard let relationship = after[name], let former = before[formerName] else { continue }
                sources[ObjectIdentifier(relationship), default: [:]][ObjectIdentifier(former)] = former
                destinations[ObjectIdentifier(former), default: [:]][ObjectIdentifier(relationship)] = relationship
            }
        }
        return (sources, destinations)
    }

    /// Matches relationships whose inverse is already matched. Both sides of a pair have the same links, so one matched
    /// side determines the other one.
    private mutating func completeInverses(of number: Int, _ links: (sources: Links, destinations: Links)) {
        guard let pair = pairs[number] else { return }
        let (before, after) = relationships(of: pair)
        let taken = Set(pair.relationships.values)
        for (name, relationship) in after where pair.relationships[name] == nil && !relationship.isTransient {
            guard let inverse = relationship.inverseRelationship else { continue }
            let candidates = (links.sources[ObjectIdentifier(inverse)] ?? [:]).values.compactMap { source in
                source.inverseRelationship.flatMap { before[$0.name] === $0 && !taken.contains($0.name) ? $0 : nil }
            }
            if candidates.count == 1 { pairs[number]?.relationships[name] = candidates[0].name }
        }
    }

    private mutating func checkInverses(of number: Int, _ links: (sources: Links, destinations: Links)) {
        guard let pair = pairs[number] else { return }
        let (before, after) = relationships(of: pair)
        for (name, formerName) in pair.relationships.sorted(by: { VersionHash.precedes($0.key, $1.key) }) {
            guard let relationship = after[name], let former = before[formerName],
                let inverse = relationship.inverseRelationship
            else { continue }
            let sources = links.sources[ObjectIdentifier(inverse)] ?? [:]
            let consistent: Bool
            if let formerInverse = former.inverseRelationship {
                let elsewhere = links.destinations[ObjectIdentifier(formerInverse)] ?? [:]
                consistent = sources.isEmpty ? elsewhere.isEmpty : sources[ObjectIdentifier(formerInverse)] != nil
            } else {
                consistent = sources.isEmpty || (inverse === relationship)
            }
            guard !consistent else { continue }
            let formerInverse = former.inverseRelationship.map { "'\(Self.path(of: $0))'" } ?? "none"
            refuse(
                "The inverse of relationship '\(Self.path(of: relationship))' is now '\(Self.path(of: inverse))', and was "
                    + "\(formerInverse) for '\(Self.path(of: former))' before, so the links of both sides would not agree. "
                    + "Keep the pair together with renaming identifiers, give one side another name, which deletes its links, "
                    + "or set both in a custom stage.",
                entity: relationship.declaringEntity?.name ?? new.model[number].name, key: name)
        }
    }

    /// Checks for links that are required in the new model and that objects of the old model do not have.
    mutating func checkMissingLinks(of pair: Pair) {
        for relationship in new.model[pair.destination].relationships
        where !relationship.isToMany && !relationship.isOptional && !relationship.isTransient
            && pair.relationships[relationship.name] == nil
        {
            let entity = new.model[relationship.owner].name
            refuse(
                "Relationship '\(entity).\(relationship.name)' is new and required, but the existing objects have no value "
                    + "for it. Make it optional, or set it in a custom stage; if it was renamed, give it its old name as "
                    + "renaming identifier.", entity: entity, key: relationship.name)
        }
    }
}
