/// The sources of the links of the destination's relationships.
///
/// Both sides of a relationship share one location in the file: the column of a to-one relationship, a column with the
/// owner's key, or a join table. A feed belongs to the side that has the column, or after which the table is named.
struct LinkSources {
    enum Feed: Equatable {
        /// There are no links.
        case none
        /// The links remain where they are, although the column or table may be renamed.
        case direct
        /// The links are first gathered in a separate table, and written after the rows are in their tables.
        case gathered(Int)
        /// The links are written by the other side of a one-to-one relationship, which is gathered.
        case partner
    }

    /// Links that are gathered.
    struct Gathering {
        var number: Int
        /// The side that the links are written from.
        var place: PropertyLocation
        /// The side whose sources provide the links: the same side, or its inverse.
        var teller: PropertyLocation
        var isSwapped: Bool { place != teller }
    }

    /// A relationship of the source, independent of the number of entities that inherit it.
    struct Origin: Hashable {
        var owner: Int
        var name: String
    }

    let map: MigrationMap
    let old: StoreLayout
    let new: StoreLayout
    let offsets: KeyOffsets
    private(set) var gatherings: [Gathering] = []
    private var feeds: [PropertyLocation: Feed] = [:]

    init(map: MigrationMap, old: StoreLayout, new: StoreLayout, offsets: KeyOffsets) {
        self.map = map
        self.old = old
        self.new = new
        self.offsets = offsets
        var joins: Set<String> = []
        for entity in map.destination.entities {
            for slot in map.destination.ownRelationships(of: entity) {
                let place = PropertyLocation(entity: entity.number, slot: slot)
                if new.toOne(slot, in: entity.number) != nil {
                    decideToOne(place)
                } else {
                    switch new.toMany(slot, in: entity.number) {
                    case .oneWay?: decide(place, isDirect: directOwner(place) != nil)
                    case .join(let join)? where join.isOwner:
                        let direct = directJoin(place)
                        decide(place, isDirect: direct.map { joins.insert($0.table).inserted } ?? false)
                    default: continue
                    }
                }
            }
        }
    }

    subscript(place: PropertyLocation) -> Feed { feeds[place] ?? .none }

    // MARK: Sources

    func relationship(_ place: PropertyLocation) -> CompiledRelationship {
        map.destination[place.entity].relationships[place.slot]
    }

    /// Returns the inverse, in the entity that declares it.
    func inverse(of place: PropertyLocation) -> PropertyLocation? {
        let relationship = relationship(place)
        guard let slot = relationship.inverse, let inverse = map.destination.inverse(of: relationship) else {
            return nil
        }
        return PropertyLocation(entity: inverse.owner, slot: slot)
    }

    /// Returns the pairs whose rows can have links of a relationship, and had a relationship that becomes it.
    func sources(of place: PropertyLocation) -> [(pair: MigrationMap.Pair, slot: Int)] {
        map.pairs(intoFamily: map.destination[place.entity]).compactMap { pair in
            pair.relationships[place.slot].map { (pair, $0) }
        }
    }

    private func origins(of place: PropertyLocation) -> Set<Origin> {
        Set(sources(of: place).map { origin($0.slot, of: $0.pair.source) })
    }

    private func origin(_ slot: Int, of entity: CompiledEntity) -> Origin {
        Origin(owner: entity.relationships[slot].owner, name: entity.relationships[slot].name)
    }

    // MARK: Decisions

    private mutating func decide(_ place: PropertyLocation, isDirect: Bool) {
        if isDirect {
            feeds[place] = .direct
        } else if !sources(of: place).isEmpty {
            gather(place, from: place)
        } else if let inverse = inverse(of: place), !sources(of: inverse).isEmpty {
            gather(place, from: inverse)
        }
    }

    private mutating func gather(_ place: PropertyLocation, from teller: PropertyLocation) {
        feeds[place] = .gathered(gatherings.count + 1)
        gatherings.append(Gathering(number: gatherings.count + 1, place: place, teller: teller))
    }

    private mutating func decideToOne(_ place: PropertyLocation) {
        guard feeds[place] == nil else { return }
        guard let inverse = inverse(of: place), new.toOne(inverse.slot, in: inverse.entity) != nil else {
            return decide(place, isDirect: hasToOnes(place))
        }
        if hasToOnes(place), hasToOnes(inverse), isInverse(place, of: inverse) {
            feeds[place] = .direct
            feeds[inverse] = .direct
        } else {
            decide(place, isDirect: false)
            if inverse != place, feeds[place] != nil { feeds[inverse] = .partner }
        }
    }

    /// Returns whether all sources of a relationship are to-one, so that one column can become the other.
    private func hasToOnes(_ place: PropertyLocation) -> Bool {
        let sources = sources(of: place)
        return !sources.isEmpty && sources.allSatisfy { old.toOne($0.slot, in: $0.pair.source.number) != nil }
    }

    /// Returns whether the sources of two relationships are inverses of each other.
    private func isInverse(_ one: PropertyLocation, of other: PropertyLocation) -> Bool {
        let backs = Set(
            sources(of: one).map { pair, slot in
                map.source.inverse(of: pair.source.relationships[slot]).map { Origin(owner: $0.owner, name: $0.name) }
            })
        return backs == Set(origins(of: other).map { Optional($0) })
    }

    /// Returns the only relationship of the source that feeds another from all its rows; nil if there are several.
    private func onlySource(of place: PropertyLocation) -> (
        entity: CompiledEntity, relationship: CompiledRelationship, slot: Int
    )? {
        let sources = sources(of: place)
        guard let first = sources.first, origins(of: place).count == 1 else { return nil }
        let relationship = first.pair.source.relationships[first.slot]
        let owner = map.source[relationship.owner]
        // Other rows that have links through this relationship would otherwise retain them.
        let asked = Set(sources.map(\.pair.source.number))
        let destination = map.destination[place.entity]
        let family = map.pairs(intoFamily: destination).filter { owner.family.contains($0.source.number) }
        guard family.allSatisfy({ asked.contains($0.source.number) }) else { return nil }
        return (owner, relationship, first.slot)
    }

    /// Returns the columns of the source for a relationship without inverse that is stored as before.
    func directOwner(
        _ place: PropertyLocation
    ) -> (owner: CompiledEntity, relationship: CompiledRelationship, column: String, order: String?)? {
        guard let (owner, relationship, slot) = onlySource(of: place),
            case .oneWay(let column, let order)? = old.toMany(slot, in: owner.number),
            offsets.offset(from: owner.root, into: map.destination[place.entity].root) != nil
        else { return nil }
        return (owner, relationship, column, order)
    }

    /// Returns the table of the source, seen from the same side, for a join table that can be retained.
    func directJoin(_ place: PropertyLocation) -> StoreLayout.Join? {
        guard case .join(let join)? = new.toMany(place.slot, in: place.entity),
            let (owner, relationship, slot) = onlySource(of: place),
            case .join(let present)? = old.toMany(slot, in: owner.number),
            // The primary key starts with the side after which the table is named.
            present.isOwner, join.isReflexive == present.isReflexive,
            (join.orderColumn == nil) == (present.orderColumn == nil),
            (join.inverseOrderColumn == nil) == (present.inverseOrderColumn == nil),
            offsets.offset(from: owner.root, into: map.destination[place.entity].root) == 0,
            offsets.offset(
                from: map.source[relationship.destination].root,
                into: map.destination[self.relationship(place).destination].root) == 0
        else { return nil }
        return present
    }

    /// Returns whether a direct feed can have links to objects that no longer exist, or whose entity the relationship
    /// does not allow.
    func mayDangle(_ place: PropertyLocation) -> Bool {
        let target = map.destination[relationship(place).destination]
        return sources(of: place).contains { pair, slot in
            let destination = map.source[pair.source.relationships[slot].destination]
            return !map.moves(destination.family, into: target.family)
        }
    }

    /// Returns whether the objects that a direct feed points to get other entity numbers.
    func changesNumbers(_ place: PropertyLocation) -> Bool {
        sources(of: place).contains { pair, slot in
            map.source[pair.source.relationships[slot].destination].family.contains { number in
                map.destination(of: number).map { $0 != number } ?? false
            }
        }
    }

    /// Returns whether the rows that own links of a direct feed may have been deleted.
    func mayLackOwner(_ place: PropertyLocation) -> Bool {
        guard let source = onlySource(of: place) else { return false }
        return !map.moves(source.entity.family, into: map.destination[place.entity].family)
    }
}
