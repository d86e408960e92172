import SwormPredicates

extension ListChanges {
    /// Creates the differences between two lists.
    ///
    /// - Parameters:
    ///   - old: The length of the old list.
    ///   - oldID: The identity at an offset of the old list, each of which occurs once.
    ///   - new: The length of the new list.
    ///   - newID: The identity at an offset of the new list, each of which occurs once.
    ///   - isSame: A closure that returns whether the object at an offset of the old list has the same values as the one
    ///     at an offset of the new list. It is called for objects that are in both lists.
    ///   - staysInSection: A closure that returns whether an object at these offsets is in the same section; nil if there
    ///     are no sections. An object that changes its section is moved, even if its offset is the same.
    /// - Complexity: O(*n*) if the lists differ in a short part, else O(*n* log *n*).
    init<ID: Hashable>(
        from old: Int, _ oldID: (Int) -> ID, to new: Int, _ newID: (Int) -> ID,
        isSame: (_ old: Int, _ new: Int) -> Bool, staysInSection: ((_ old: Int, _ new: Int) -> Bool)? = nil
    ) {
        let difference = ListDifference(
            from: old, oldID, to: new, newID, canStay: { staysInSection?($0, $1) ?? true }, isSame: isSame)
        removed = difference.removed
        inserted = difference.inserted
        moved = difference.moved.map { Move(from: $0.old, to: $0.new) }
        updated = difference.updated.map(\.new)
    }
}
