#if STAND_INS
import AppKit
import Sworm
import SwormUI

// Apart from the tests, because a file that imports Swift Testing and AppKit also imports an overlay of both.

/// A table view that shows books.
@MainActor
final class BookTable {
    private let view = NSTableView()

    /// Applies a list, and returns the lines that the table shows.
    func apply(_ list: LiveList<Book>, _ lines: [String]) -> [String] {
        list.changes.apply(to: view) { view.items = lines }
        return view.shown
    }
}

/// A collection view that shows books by their years.
@MainActor
final class BookCollection {
    private let view = NSCollectionView()

    /// Applies a list, and returns the calls that the view has received.
    func apply(_ list: SectionedLiveList<Book, Int>) -> [String] {
        list.applyChanges(to: view) {}
        return view.calls
    }

    /// Returns the items of a snapshot of a list.
    func snapshotItems(_ list: SectionedLiveList<Book, Int>) -> [ManagedObjectID<Book>] {
        NSDiffableDataSourceSnapshot(list).itemIdentifiers
    }
}
#endif
