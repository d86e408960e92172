package import Foundation
package import Sworm

/// The differences between two lists as index paths, in the form in which collection and table views take a batch.
///
/// The paths of removed items and the sources of moves belong to the old list, all other paths to the new one. Items of
/// removed and inserted sections are left out, because they go and come with their sections.
package struct ItemChanges: Equatable, Sendable {
    /// The move of an item.
    package struct Move: Equatable, Sendable {
        package var from: IndexPath
        package var to: IndexPath
    }

    package var removedSections = IndexSet()
    package var insertedSections = IndexSet()
    package var removed: [IndexPath] = []
    package var inserted: [IndexPath] = []
    package var moved: [Move] = []
    /// The items with other values.
    package var updated: [IndexPath] = []

    /// Creates the differences of a list that fills one section.
    package init(_ changes: ListChanges, section: Int) {
        removed = changes.removed.map { [section, $0] }
        inserted = changes.inserted.map { [section, $0] }
        moved = changes.moved.map { Move(from: [section, $0.from], to: [section, $0.to]) }
        updated = changes.updated.map { [section, $0] }
    }

    /// Creates the differences of a list with sections.
    package init<PlainObject: ManagedObjectConvertible, Key>(_ list: SectionedLiveList<PlainObject, Key>) {
        self.init(list.changes, from: list.previousRanges, to: list.sections.map(\.range))
    }

    /// Creates the differences of a list with sections.
    ///
    /// - Parameters:
    ///   - changes: The differences between the lists.
    ///   - old: The ranges of the old sections.
    ///   - new: The ranges of the new sections.
    package init(_ changes: ListChanges, from old: [Range<Int>], to new: [Range<Int>]) {
        removedSections = IndexSet(changes.sections.removed)
        insertedSections = IndexSet(changes.sections.inserted)
        removed = changes.removed.compactMap { Self.path($0, old, without: removedSections) }
        inserted = changes.inserted.compactMap { Self.path($0, new, without: insertedSections) }
        for move in changes.moved {
            // A view cannot move an item out of a section that goes, or into one that comes.
            switch (
                Self.path(move.from, old, without: removedSections), Self.path(move.to, new, without: insertedSections)
            ) {
            case (let from?, let to?): moved.append(Move(from: from, to: to))
            case (let from?, nil): removed.append(from)
            case (nil, let to?): inserted.append(to)
            case (nil, nil): break
            }
        }
        updated = changes.updated.compactMap { Self.path($0, new, without: insertedSections) }
    }

    /// Returns the path of an item; nil if its section is left out.
    private static func path(_ offset: Int, _ sections: [Range<Int>], without others: IndexSet) -> IndexPath? {
        var (low, high) = (0, sections.count)
        while low < high {
            let middle = (low + high) / 2
            if sections[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
        }
        guard low < sections.count, !others.contains(low) else { return nil }
        return [low, offset - sections[low].lowerBound]
    }
}
