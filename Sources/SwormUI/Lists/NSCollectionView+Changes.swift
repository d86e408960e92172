#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit
import Foundation
public import Sworm

extension ListChanges {
    /// Applies the differences to a section of a collection view.
    ///
    /// The view is updated in one batch. Items with other values are reloaded behind it. The differences must lead from
    /// the list that the view shows, so iterate over `store.lists(of:)`.
    ///
    /// - Parameters:
    ///   - collectionView: The collection view.
    ///   - section: The section that the list fills.
    ///   - update: A closure that sets the list that the data source shows. It is called inside the batch.
    @MainActor
    public func apply(to collectionView: NSCollectionView, section: Int = 0, updating update: () -> Void) {
        collectionView.apply(ItemChanges(self, section: section), update)
    }

    /// Applies the differences to a table view.
    ///
    /// Moved rows are removed and inserted. Rows with other values are reloaded.
    ///
    /// - Parameters:
    ///   - tableView: The table view, whose rows are the list.
    ///   - animation: The animation of removed and inserted rows.
    ///   - update: A closure that sets the list that the data source shows.
    @MainActor
    public func apply(
        to tableView: NSTableView, with animation: NSTableView.AnimationOptions = .effectFade,
        updating update: () -> Void
    ) {
        update()
        tableView.beginUpdates()
        // The rows are removed at their offsets in the old list, and inserted at those in the new one.
        tableView.removeRows(at: IndexSet(removed + moved.map(\.from)), withAnimation: animation)
        tableView.insertRows(at: IndexSet(inserted + moved.map(\.to)), withAnimation: animation)
        tableView.endUpdates()
        if !updated.isEmpty {
            tableView.reloadData(
                forRowIndexes: IndexSet(updated), columnIndexes: IndexSet(integersIn: 0..<tableView.numberOfColumns))
        }
    }
}

extension SectionedLiveList {
    /// Applies the differences from the list before to a collection view, also of its sections.
    ///
    /// The view is updated in one batch. Items with other values are reloaded behind it.
    ///
    /// - Parameters:
    ///   - collectionView: The collection view.
    ///   - update: A closure that sets the list that the data source shows. It is called inside the batch.
    @MainActor
    public func applyChanges(to collectionView: NSCollectionView, updating update: () -> Void) {
        collectionView.apply(ItemChanges(self), update)
    }
}

extension NSCollectionView {
    fileprivate func apply(_ changes: ItemChanges, _ update: () -> Void) {
        withoutActuallyEscaping(update) { update in
            performBatchUpdates {
                update()
                self.deleteSections(changes.removedSections)
                self.insertSections(changes.insertedSections)
                self.deleteItems(at: Set(changes.removed))
                self.insertItems(at: Set(changes.inserted))
                for move in changes.moved { self.moveItem(at: move.from, to: move.to) }
            }
        }
        if !changes.updated.isEmpty { reloadItems(at: Set(changes.updated)) }
    }
}
#endif
