import Foundation
import SwormPredicates

/// The changes from one content of a controller to another, as a table view applies them: deletions, and the sources of
/// updates and moves, are at their old index paths, insertions and the destinations of moves at the new ones.
///
/// Each object has one change. An object that has moved is not reported as updated, because a table view cannot reload
/// a row that moves. A table view cannot move a row out of a deleted section or into an inserted one either, so that
/// such an object is deleted and inserted.
struct FetchedResultsChanges {
    struct SectionChange {
        let type: NSFetchedResultsChangeType
        let index: Int
        let isOld: Bool
    }

    struct ObjectChange {
        let type: NSFetchedResultsChangeType
        let object: NSManagedObject
        let old: IndexPath?
        let new: IndexPath?
    }

    private(set) var sections: [SectionChange] = []
    private(set) var objects: [ObjectChange] = []
    private let rows: ListDifference
    private let (old, new): (FetchedResultsContent, FetchedResultsContent)

    /// Whether no object has changed. The ids of objects may have.
    var isEmpty: Bool { sections.isEmpty && objects.isEmpty }
    /// Whether neither objects nor their ids have changed.
    var hasSameIDs: Bool { isEmpty && rows.updated.isEmpty }

    /// - Parameters:
    ///   - identity: The identity of an object in both contents.
    ///   - isUpdated: Whether an object that is in both contents has other values.
    init<ID: Hashable>(
        from old: FetchedResultsContent, to new: FetchedResultsContent, identity: (NSManagedObject) -> ID,
        isUpdated: (NSManagedObject) -> Bool
    ) {
        let (oldSections, newSections) = (old.sections, new.sections)
        let places = ListDifference(
            from: oldSections.count, { SectionID(oldSections[$0]) }, to: newSections.count,
            { SectionID(newSections[$0]) }, isSame: { _, _ in true })
        // A section that has moved is deleted and inserted.
        let removed = (places.removed + places.moved.map(\.old)).sorted()
        let inserted = (places.inserted + places.moved.map(\.new)).sorted()
        sections = removed.reversed().map { SectionChange(type: .delete, index: $0, isOld: true) }
        sections += inserted.map { SectionChange(type: .insert, index: $0, isOld: false) }
        // The sections that stay keep their order.
        let (isRemoved, isInserted) = (Set(removed), Set(inserted))
        var stays = [Int?](repeating: nil, count: oldSections.count)
        for (old, new) in zip(
            oldSections.indices.filter { !isRemoved.contains($0) },
            newSections.indices.filter { !isInserted.contains($0) })
        {
            stays[old] = new
        }
        let isOne = oldSections.count == 1 && newSections.count == 1 && stays[0] == 0
        rows = ListDifference(
            from: old.entries.count, { identity(old.entries[$0].object) }, to: new.entries.count,
            { identity(new.entries[$0].object) },
            canStay: { isOne || stays[old.section(at: $0)] == new.section(at: $1) },
            isSame: { old.entries[$0].id == new.entries[$1].id && !isUpdated(new.entries[$1].object) })
        (self.old, self.new) = (old, new)
        var deletions = rows.removed
        var insertions = rows.inserted
        var moves: [ListDifference.Pair] = []
        for move in rows.moved {
            if stays[old.section(at: move.old)] == nil || isInserted.contains(new.section(at: move.new)) {
                deletions.append(move.old)
                insertions.append(move.new)
            } else {
                moves.append(move)
            }
        }
        note(deletions: deletions.sorted(), insertions: insertions.sorted(), moves: moves, isUpdated)
    }

    private mutating func note(
        deletions: [Int], insertions: [Int], moves: [ListDifference.Pair], _ isUpdated: (NSManagedObject) -> Bool
    ) {
        // Deletions from the end and insertions from the start can also be applied one by one.
        for offset in deletions.reversed() {
            objects.append(
                ObjectChange(
                    type: .delete, object: old.entries[offset].object, old: old.indexPath(of: offset), new: nil))
        }
        for offset in insertions {
            objects.append(
                ObjectChange(
                    type: .insert, object: new.entries[offset].object, old: nil, new: new.indexPath(of: offset)))
        }
        let isMoved = Set(rows.moved.map(\.new))
        let updates = rows.updated.filter {
            !isMoved.contains($0.new) && isUpdated(new.entries[$0.new].object)
        }
        for (type, pairs) in [(NSFetchedResultsChangeType.move, moves), (.update, updates)] {
            for pair in pairs {
                objects.append(
                    ObjectChange(
                        type: type, object: new.entries[pair.new].object, old: old.indexPath(of: pair.old),
                        new: new.indexPath(of: pair.new)))
            }
        }
    }

    /// The changes of the list of ids. An object with other values is removed and inserted, and both changes are
    /// associated.
    var difference: CollectionDifference<NSManagedObjectID> {
        var changes: [CollectionDifference<NSManagedObjectID>.Change] = []
        for offset in rows.removed {
            changes.append(.remove(offset: offset, element: old.entries[offset].id, associatedWith: nil))
        }
        for offset in rows.inserted {
            changes.append(.insert(offset: offset, element: new.entries[offset].id, associatedWith: nil))
        }
        let isMoved = Set(rows.moved.map(\.new))
        for pair in rows.moved + rows.updated.filter({ !isMoved.contains($0.new) }) {
            changes.append(.remove(offset: pair.old, element: old.entries[pair.old].id, associatedWith: pair.new))
            changes.append(.insert(offset: pair.new, element: new.entries[pair.new].id, associatedWith: pair.old))
        }
        return CollectionDifference(changes) ?? [NSManagedObjectID]().difference(from: [])
    }
}

/// The identity of a section: its name, and how many sections of that name come before.
private struct SectionID: Hashable {
    let name: String
    let occurrence: Int

    init(_ section: FetchedResultsContent.Section) {
        name = section.name
        occurrence = section.occurrence
    }
}
