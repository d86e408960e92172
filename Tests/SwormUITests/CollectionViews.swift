#if STAND_INS
import Foundation
import Sworm
import SwormUI
import UIKit

// Apart from the tests, because a file that imports Swift Testing and UIKit also imports an overlay of both.

/// A collection view and a table view that show the same books.
@MainActor
final class BookViews {
    private let collection = UICollectionView()
    private let table = UITableView()

    /// - Parameter sections: The number of empty sections that the views have at first.
    init(sections: Int) {
        let empty = ViewItems(Array(repeating: [], count: sections))
        (collection.items, table.rows.items) = (empty, empty)
        collection.performBatchUpdates { self.collection.insertSections(IndexSet(integersIn: 0..<sections)) }
        table.performBatchUpdates { self.table.insertSections(IndexSet(integersIn: 0..<sections), with: .automatic) }
    }

    /// Applies a list, and returns the lines that both views show; nil if a view has broken a rule.
    func apply(_ list: LiveList<Book>, _ lines: [String]) -> [[String]]? {
        list.changes.apply(to: collection) { collection.items = ViewItems([lines]) }
        list.changes.apply(to: table) { table.rows.items = ViewItems([lines]) }
        return shown
    }

    /// Applies a list with sections, and returns the lines that both views show; nil if a view has broken a rule.
    func apply(_ list: SectionedLiveList<Book, Int>, _ lines: [[String]]) -> [[String]]? {
        list.applyChanges(to: collection) { collection.items = ViewItems(lines) }
        list.applyChanges(to: table) { table.rows.items = ViewItems(lines) }
        return shown
    }

    private var shown: [[String]]? {
        guard collection.isConsistent, table.rows.isConsistent, collection.shown == table.rows.shown else { return nil }
        return collection.shown.sections
    }
}

/// The content of a snapshot for a diffable data source.
struct BookSnapshot {
    let sections: [Int]
    let items: [[ManagedObjectID<Book>]]
    let reconfigured: [ManagedObjectID<Book>]

    init(_ list: SectionedLiveList<Book, Int>) { self.init(NSDiffableDataSourceSnapshot(list)) }

    init(_ list: LiveList<Book>) { self.init(NSDiffableDataSourceSnapshot(list)) }

    init(_ list: LiveList<Book>, section: Int) { self.init(NSDiffableDataSourceSnapshot(list, section: section)) }

    private init(_ snapshot: NSDiffableDataSourceSnapshot<Int, ManagedObjectID<Book>>) {
        sections = snapshot.sectionIdentifiers
        items = sections.map { snapshot.itemIdentifiers(inSection: $0) }
        reconfigured = snapshot.reconfiguredItemIdentifiers
    }
}
#endif
