import SwormPredicates

/// Three versions of a struct. Values are compared as they are stored.
struct StructVersions<T: ManagedTreeConvertible>: MergedVersions {
    private let mapping = T.mapping
    private let base: [AttributeValue]
    private let mine: [AttributeValue]
    private let theirs: [AttributeValue]

    /// Whether each side has changed an attribute, and whether both have, to different values. If one side has given a
    /// value to an optional composite attribute, or has removed it, its elements are changed together.
    private var changedByMe: [Bool]
    private var changedByThem: [Bool]
    private var isConflicting: [Bool]
    /// The optional composite attributes whose elements are changed together.
    private var units: [CompositePart<T>] = []

    /// - Throws: The error of a value that cannot be encoded.
    init(base: T, mine: T, theirs: T) throws {
        let (base, mine) = (try mapping.values(of: base), try mapping.values(of: mine))
        let theirs = try mapping.values(of: theirs)
        (self.base, self.mine, self.theirs) = (base, mine, theirs)
        changedByMe = zip(mine, base).map { !$0.isStoredSame(as: $1) }
        changedByThem = zip(theirs, base).map { !$0.isStoredSame(as: $1) }
        isConflicting = base.indices.map { [changedByMe, changedByThem] index in
            changedByMe[index] && changedByThem[index] && !mine[index].isStoredSame(as: theirs[index])
        }
        for part in mapping.parts where part.clear != nil {
            let isMissing = [base, mine, theirs].map { values in part.indices.allSatisfy { values[$0] == .null } }
            guard Set(isMissing).count > 1 else { continue }
            units.append(part)
            let (isMine, isTheirs) = (
                part.indices.contains { changedByMe[$0] }, part.indices.contains { changedByThem[$0] }
            )
            let isSame = part.indices.allSatisfy { mine[$0].isStoredSame(as: theirs[$0]) }
            for index in part.indices {
                (changedByMe[index], changedByThem[index]) = (isMine, isTheirs)
                isConflicting[index] = isMine && isTheirs && !isSame
            }
        }
    }

    private var indexes: Range<Int> { mapping.attributes.indices }

    private func isMine(_ index: Int) -> Bool { changedByMe[index] }
    private func isTheirs(_ index: Int) -> Bool { changedByThem[index] }
    private func isConflict(_ index: Int) -> Bool { isConflicting[index] }

    /// Writes the other side's values of attributes.
    private func write(_ indexes: [Int], into value: inout T) throws {
        let taken = Set(indexes)
        // Otherwise a composite that the other side has removed would have to hold elements without values.
        for unit in units where unit.indices.contains(where: taken.contains) { unit.clear?(&value) }
        for index in indexes { try mapping.write(theirs[index], at: index, into: &value) }
    }

    /// The attributes that both sides have changed, to different values, sorted by name.
    var conflicts: [DraftConflict.Attribute] {
        indexes.filter { isConflict($0) && !mine[$0].isStoredSame(as: theirs[$0]) }.map { index in
            DraftConflict.Attribute(
                name: mapping.attributes[index].name, base: base[index], mine: mine[index], theirs: theirs[index])
        }.sorted { $0.name < $1.name }
    }

    /// The attributes to write into the store, and their values: those that only this side has changed, and those of
    /// conflicts for which it has precedence.
    func written(_ resolution: DraftResolution) -> [(name: String, value: AttributeValue)] {
        indexes.filter { isMine($0) && !(isConflict($0) && resolution == .theirs) && differsFromStore($0) }
            .map { (mapping.attributes[$0].name, mine[$0]) }
    }

    private func differsFromStore(_ index: Int) -> Bool { !mine[index].isStoredSame(as: theirs[index]) }

    /// Returns the merged value.
    ///
    /// - Throws: The error of a stored value that the type cannot hold.
    func merged(_ resolution: DraftResolution, into value: T) throws -> T {
        var value = value
        try write(
            indexes.filter { isTheirs($0) && (!isMine($0) || isConflict($0) && resolution == .theirs) }, into: &value)
        return value
    }

    /// Returns the version to compare with after what only the other side has changed was taken over.
    func rebased(from value: T) throws -> T {
        var value = value
        try write(indexes.filter { isTheirs($0) && !isConflict($0) }, into: &value)
        return value
    }
}
