#if STAND_INS
import Foundation
import Sworm
import SwormUI
import Testing
import UIKit

@Suite("Collection and table views", .timeLimit(.minutes(2)))
@MainActor
struct CollectionViewTests {
    private let operations: [@Sendable (ManagedObjectContext) throws -> Void] = [
        { _ = try $0.insert(Book(title: "ba", year: 1901)) },
        { _ = try $0.update(Book.all.where { $0.title == "d" }, set: (\.year, 1900), (\.pages, 7)) },
        { _ = try $0.update(Book.all.where { $0.year == 1902 }, set: (\.year, 1800)) },
        { try $0.delete(Book.all.where { $0.year == 1901 }) },
        { _ = try $0.update(Book.all, set: (\.pages, 3)) },
        { _ = try $0.update(Book.all.where { $0.title == "a" }, set: (\.title, "z")) },
        { try $0.delete(Book.all) },
    ]

    private func line(_ row: LiveRow<Book>) -> String { "\(row.title) \(row.pages)" }

    @Test func `follow a list`() async throws {
        let store = try makeShelf()
        let (view, table) = (UICollectionView(), UITableView())
        (view.items, table.rows.items) = (ViewItems([[]]), ViewItems([[]]))
        view.performBatchUpdates { view.insertSections([0]) }
        table.performBatchUpdates { table.insertSections([0], with: .automatic) }
        var turn = 0
        for try await list in store.lists(of: Book.all.sort(\.title)) {
            let items = ViewItems([list.map { line($0) }])
            list.changes.apply(to: view) { view.items = items }
            list.changes.apply(to: table) { table.rows.items = items }
            #expect(view.isConsistent && view.shown == items)
            #expect(table.rows.isConsistent && table.rows.shown == items)
            if list.isEmpty { break }
            try store.perform { try operations[turn]($0) }
            turn += 1
        }
        #expect(turn == operations.count)
    }

    @Test func `follow sections`() async throws {
        let store = try makeShelf()
        let (view, table) = (UICollectionView(), UITableView())
        var turn = 0
        for try await list in store.lists(of: Book.all.sort(\.title).sections(by: \.year)) {
            let items = ViewItems(list.sections.map { $0.map { line($0) } })
            list.applyChanges(to: view) { view.items = items }
            list.applyChanges(to: table) { table.rows.items = items }
            #expect(view.isConsistent && view.shown == items)
            #expect(table.rows.isConsistent && table.rows.shown == items)
            if list.isEmpty { break }
            try store.perform { try operations[turn]($0) }
            turn += 1
        }
        #expect(turn == operations.count)
    }

    @Test func `are shown as snapshots`() async throws {
        let store = try makeShelf()
        var turn = 0
        for try await list in store.lists(of: Book.all.sort(\.title).sections(by: \.year)) {
            let snapshot = NSDiffableDataSourceSnapshot(list)
            #expect(snapshot.sectionIdentifiers == list.sections.map(\.key))
            for section in list.sections {
                #expect(snapshot.itemIdentifiers(inSection: section.key) == section.map(\.id))
            }
            #expect(snapshot.reconfiguredItemIdentifiers.count == turn)
            if turn == 1 { break }
            turn += 1
            try store.perform { _ = try $0.update(Book.all.where { $0.title == "c" }, set: (\.pages, 9)) }
        }
        for try await list in store.lists(of: Book.all.sort(\.title)) {
            #expect(NSDiffableDataSourceSnapshot(list).itemIdentifiers(inSection: 0) == list.ids)
            #expect(NSDiffableDataSourceSnapshot(list, section: "all").itemIdentifiers(inSection: "all") == list.ids)
            break
        }
    }
}
#endif
