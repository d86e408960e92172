import SwormPredicates

/// The merge of three versions of a value, attribute by attribute: the version that was read, and two versions that were
/// changed independently. Values are compared as they are stored.
struct DraftMerge<T: ManagedObjectConvertible> {
    private let mapping = T.mapping
    private let base: [AttributeValue]
    private let mine: [AttributeValue]
    private let theirs: [AttributeValue]

    /// - Throws: The error of a value that cannot be encoded.
    init(base: T, mine: T, theirs: T) throws {
        (self.base, self.mine) = (try mapping.values(of: base), try mapping.values(of: mine))
        self.theirs = try mapping.values(of: theirs)
    }

    private var indexes: Range<Int> { mapping.attributes.indices }

    private func isMine(_ index: Int) -> Bool { !mine[index].isStoredSame(as: base[index]) }
    private func isTheirs(_ index: Int) -> Bool { !theirs[index].isStoredSame(as: base[index]) }
    private func isConflict(_ index: Int) -> Bool {
        isMine(index) && isTheirs(index) && !mine[index].isStoredSame(as: theirs[index])
    }

    /// The attributes that both sides have changed, to different values, sorted by name.
    var conflicts: [DraftConflict.Attribute] {
        indexes.filter(isConflict).map { index in
            DraftConflict.Attribute(
                name: mapping.attributes[index].name, base: base[index], mine: mine[index], theirs: theirs[index])
        }.sorted { $0.name < $1.name }
    }

    /// The attributes to write into the store, and their values: those that only this side has changed, and those of
    /// conflicts for which it has precedence.
    func written(_ resolution: DraftResolution) -> [(index: Int, value: AttributeValue)] {
        indexes.filter { isMine($0) && !(isConflict($0) && resolution == .theirs) && differsFromStore($0) }
            .map { ($0, mine[$0]) }
    }

    private func differsFromStore(_ index: Int) -> Bool { !mine[index].isStoredSame(as: theirs[index]) }

    /// Returns the merged value.
    ///
    /// - Throws: The error of a stored value that the type cannot hold.
    func merged(_ resolution: DraftResolution, into value: T) throws -> T {
        var value = value
        for index in indexes where isTheirs(index) && (!isMine(index) || isConflict(index) && resolution == .theirs) {
            try mapping.write(theirs[index], at: index, into: &value)
        }
        return value
    }

    /// Returns the version to compare with after what only the other side has changed was taken over.
    func rebased(from value: T) throws -> T {
        var value = value
        for index in indexes where isTheirs(index) && !isConflict(index) {
            try mapping.write(theirs[index], at: index, into: &value)
        }
        return value
    }
}
