#if canImport(UIKit) && !os(watchOS)
public import Sworm
public import UIKit

extension ListChanges {
    /// Applies the differences to a section of a table view.
    ///
    /// The view is updated in one batch. Rows with other values are configured again behind it.
    ///
    /// - Parameters:
    ///   - tableView: The table view.
    ///   - section: The section that the list fills.
    ///   - animation: The animation of removed and inserted rows.
    ///   - update: A closure that sets the list that the data source shows. It is called inside the batch.
    @MainActor
    public func apply(
        to tableView: UITableView, section: Int = 0, with animation: UITableView.RowAnimation = .automatic,
        updating update: () -> Void
    ) {
        tableView.apply(ItemChanges(self, section: section), with: animation, update)
    }
}

extension SectionedLiveList {
    /// Applies the differences from the list before to a table view, also of its sections.
    ///
    /// The view is updated in one batch. Rows with other values are configured again behind it.
    ///
    /// - Parameters:
    ///   - tableView: The table view.
    ///   - animation: The animation of removed and inserted rows and sections.
    ///   - update: A closure that sets the list that the data source shows. It is called inside the batch.
    @MainActor
    public func applyChanges(
        to tableView: UITableView, with animation: UITableView.RowAnimation = .automatic, updating update: () -> Void
    ) {
        tableView.apply(ItemChanges(self), with: animation, update)
    }
}

extension UITableView {
    fileprivate func apply(_ changes: ItemChanges, with animation: RowAnimation, _ update: () -> Void) {
        withoutActuallyEscaping(update) { update in
            performBatchUpdates {
                update()
                self.deleteSections(changes.removedSections, with: animation)
                self.insertSections(changes.insertedSections, with: animation)
                self.deleteRows(at: changes.removed, with: animation)
                self.insertRows(at: changes.inserted, with: animation)
                for move in changes.moved { self.moveRow(at: move.from, to: move.to) }
            }
        }
        if !changes.updated.isEmpty { reconfigureRows(at: changes.updated) }
    }
}
#endif
