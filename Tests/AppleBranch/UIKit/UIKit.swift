// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in for the few names of UIKit that SwormUI uses, with Apple's signatures. The views check the rules of batch
// updates as Apple's document them; the stand-in says nothing about Apple's framework.
public import Foundation

/// The items of a view as its data source has them. Not part of UIKit.
public struct ViewItems: Equatable, Sendable {
    public var sections: [[String]]

    public init(_ sections: [[String]]) { self.sections = sections }
}

@MainActor
open class UIView {
    public init() {}
}

/// The batch of a view, which is applied and compared with the data source at its end.
struct ViewBatch {
    var deletedSections = IndexSet(), insertedSections = IndexSet()
    var deleted: [IndexPath] = [], inserted: [IndexPath] = []
    var moved: [(from: IndexPath, to: IndexPath)] = []

    /// Returns the items after the batch, by the rules of the framework.
    ///
    /// Sections and items are deleted by their old paths, and inserted by their new ones.
    func applied(to shown: [[String]], newItem: (IndexPath) -> String) -> [[String]]? {
        let leaving = deleted + moved.map(\.from)
        guard Set(leaving).count == leaving.count, leaving.allSatisfy({ !deletedSections.contains($0[0]) }),
            leaving.allSatisfy({ $0[0] < shown.count && $0[1] < shown[$0[0]].count }),
            deletedSections.allSatisfy({ $0 < shown.count })
        else { return nil }
        var sections: [[String]] = []
        for (number, items) in shown.enumerated() where !deletedSections.contains(number) {
            let gone = Set(leaving.filter { $0[0] == number }.map { $0[1] })
            sections.append(items.enumerated().filter { !gone.contains($0.offset) }.map(\.element))
        }
        // The items of an inserted section come from the data source.
        for number in insertedSections {
            guard number <= sections.count else { return nil }
            sections.insert([], at: number)
        }
        let entering = inserted.map { ($0, newItem($0)) } + moved.map { ($0.to, shown[$0.from[0]][$0.from[1]]) }
        for (path, item) in entering.sorted(by: { $0.0 < $1.0 }) {
            guard path[0] < sections.count, path[1] <= sections[path[0]].count, !insertedSections.contains(path[0])
            else { return nil }
            sections[path[0]].insert(item, at: path[1])
        }
        return sections
    }
}

open class UICollectionView: UIView {
    /// The items of the data source, what is shown of them, and whether an update has broken a rule. Not part of UIKit.
    public var items = ViewItems([])
    public private(set) var shown = ViewItems([])
    public private(set) var isConsistent = true
    private var batch: ViewBatch?

    open func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
        batch = ViewBatch()
        updates?()
        if var sections = batch?.applied(to: shown.sections, newItem: { items.sections[$0[0]][$0[1]] }) {
            for number in batch?.insertedSections ?? [] { sections[number] = items.sections[number] }
            shown = ViewItems(sections)
        } else {
            isConsistent = false
        }
        batch = nil
        isConsistent = isConsistent && shown.sections.map(\.count) == items.sections.map(\.count)
        completion?(true)
    }

    open func deleteSections(_ sections: IndexSet) { batch?.deletedSections.formUnion(sections) }
    open func insertSections(_ sections: IndexSet) { batch?.insertedSections.formUnion(sections) }
    open func deleteItems(at indexPaths: [IndexPath]) { batch?.deleted += indexPaths }
    open func insertItems(at indexPaths: [IndexPath]) { batch?.inserted += indexPaths }
    open func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {
        batch?.moved.append((indexPath, newIndexPath))
    }

    open func reconfigureItems(at indexPaths: [IndexPath]) {
        isConsistent = isConsistent && batch == nil
        for path in indexPaths { shown.sections[path[0]][path[1]] = items.sections[path[0]][path[1]] }
    }
}

open class UITableView: UIView {
    public enum RowAnimation: Int, Sendable { case fade, automatic }

    /// The view whose rules are the same. Not part of UIKit.
    public let rows = UICollectionView()

    open func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
        rows.performBatchUpdates(updates, completion: completion)
    }

    open func deleteSections(_ sections: IndexSet, with animation: RowAnimation) { rows.deleteSections(sections) }
    open func insertSections(_ sections: IndexSet, with animation: RowAnimation) { rows.insertSections(sections) }
    open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) { rows.deleteItems(at: indexPaths) }
    open func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) { rows.insertItems(at: indexPaths) }
    open func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {
        rows.moveItem(at: indexPath, to: newIndexPath)
    }

    open func reconfigureRows(at indexPaths: [IndexPath]) { rows.reconfigureItems(at: indexPaths) }
}

public struct NSDiffableDataSourceSnapshot<
    SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: Sendable {
    public private(set) var sectionIdentifiers: [SectionIdentifierType] = []
    public private(set) var reconfiguredItemIdentifiers: [ItemIdentifierType] = []
    private var items: [SectionIdentifierType: [ItemIdentifierType]] = [:]

    public init() {}

    public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {
        precondition(Set(sectionIdentifiers).isDisjoint(with: identifiers), "a section is there twice")
        sectionIdentifiers += identifiers
    }

    public mutating func appendItems(
        _ identifiers: [ItemIdentifierType], toSection sectionIdentifier: SectionIdentifierType? = nil
    ) {
        guard let section = sectionIdentifier ?? sectionIdentifiers.last else { return }
        precondition(sectionIdentifiers.contains(section), "the section is missing")
        items[section, default: []] += identifiers
    }

    public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {
        precondition(identifiers.allSatisfy { id in items.values.contains { $0.contains(id) } }, "an item is missing")
        reconfiguredItemIdentifiers += identifiers
    }

    public func itemIdentifiers(inSection identifier: SectionIdentifierType) -> [ItemIdentifierType] {
        items[identifier] ?? []
    }
}
