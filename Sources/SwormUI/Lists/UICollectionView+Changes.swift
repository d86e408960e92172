#if canImport(UIKit) && !os(watchOS)
public import Sworm
public import UIKit

extension ListChanges {
    /// Applies the differences to a section of a collection view.
    ///
    /// ```swift
    /// for try await list in store.lists(of: Book.all.sort(\.title)) {
    ///     list.changes.apply(to: collectionView) { books = list }
    /// }
    /// ```
    /// The view is updated in one batch. Items with other values are configured again behind it, because a view cannot
    /// move and reload the same item in one batch. The differences must lead from the list that the view shows; an
    /// observer of `LiveResults` may skip lists, so iterate over `store.lists(of:)`.
    ///
    /// - Parameters:
    ///   - collectionView: The collection view.
    ///   - section: The section that the list fills.
    ///   - update: A closure that sets the list that the data source shows. It is called inside the batch.
    @MainActor
    public func apply(to collectionView: UICollectionView, section: Int = 0, updating update: () -> Void) {
        collectionView.apply(ItemChanges(self, section: section), update)
    }
}

extension SectionedLiveList {
    /// Applies the differences from the list before to a collection view, also of its sections.
    ///
    /// The view is updated in one batch. Items with other values are configured again behind it.
    ///
    /// - Parameters:
    ///   - collectionView: The collection view.
    ///   - update: A closure that sets the list that the data source shows. It is called inside the batch.
    @MainActor
    public func applyChanges(to collectionView: UICollectionView, updating update: () -> Void) {
        collectionView.apply(ItemChanges(self), update)
    }
}

extension UICollectionView {
    fileprivate func apply(_ changes: ItemChanges, _ update: () -> Void) {
        withoutActuallyEscaping(update) { update in
            performBatchUpdates {
                update()
                self.deleteSections(changes.removedSections)
                self.insertSections(changes.insertedSections)
                self.deleteItems(at: changes.removed)
                self.insertItems(at: changes.inserted)
                for move in changes.moved { self.moveItem(at: move.from, to: move.to) }
            }
        }
        if !changes.updated.isEmpty { reconfigureItems(at: changes.updated) }
    }
}
#endif
