// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in for the few names of AppKit that SwormUI uses, with Apple's signatures. It shows that the code type-checks
// against them; it says nothing about Apple's framework.
public import Foundation

@MainActor
open class NSView {
    public init() {}
}

open class NSCollectionView: NSView {
    /// The calls that were made, in their order. Not part of AppKit.
    public private(set) var calls: [String] = []

    open func performBatchUpdates(_ updates: (() -> Void)?, completionHandler: ((Bool) -> Void)? = nil) {
        calls.append("begin")
        updates?()
        calls.append("end")
        completionHandler?(true)
    }

    open func deleteSections(_ sections: IndexSet) { calls.append("delete sections \(Array(sections))") }
    open func insertSections(_ sections: IndexSet) { calls.append("insert sections \(Array(sections))") }
    open func deleteItems(at indexPaths: Set<IndexPath>) { note("delete", indexPaths) }
    open func insertItems(at indexPaths: Set<IndexPath>) { note("insert", indexPaths) }
    open func reloadItems(at indexPaths: Set<IndexPath>) { note("reload", indexPaths) }
    open func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) {
        calls.append("move \(Array(indexPath)) to \(Array(newIndexPath))")
    }

    private func note(_ name: String, _ paths: Set<IndexPath>) {
        calls.append("\(name) \(paths.sorted().map { Array($0) })")
    }
}

open class NSTableView: NSView {
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let effectFade = AnimationOptions(rawValue: 1)
    }

    /// The rows of the data source, and what is shown of them. Not part of AppKit.
    public var items: [String] = []
    public private(set) var shown: [String] = []

    open var numberOfColumns: Int { 1 }
    open func beginUpdates() {}
    open func endUpdates() {}

    open func removeRows(at indexes: IndexSet, withAnimation animationOptions: AnimationOptions = []) {
        for index in indexes.reversed() { shown.remove(at: index) }
    }

    open func insertRows(at indexes: IndexSet, withAnimation animationOptions: AnimationOptions = []) {
        for index in indexes { shown.insert(items[index], at: index) }
    }

    open func reloadData(forRowIndexes rowIndexes: IndexSet, columnIndexes: IndexSet) {
        for index in rowIndexes { shown[index] = items[index] }
    }
}

public struct NSDiffableDataSourceSnapshot<
    SectionIdentifierType: Hashable & Sendable, ItemIdentifierType: Hashable & Sendable
>: Sendable {
    public private(set) var sectionIdentifiers: [SectionIdentifierType] = []
    public private(set) var itemIdentifiers: [ItemIdentifierType] = []
    public private(set) var reloadedItemIdentifiers: [ItemIdentifierType] = []

    public init() {}

    public mutating func appendSections(_ identifiers: [SectionIdentifierType]) { sectionIdentifiers += identifiers }

    public mutating func appendItems(
        _ identifiers: [ItemIdentifierType], toSection sectionIdentifier: SectionIdentifierType? = nil
    ) {
        itemIdentifiers += identifiers
    }

    public mutating func reloadItems(_ identifiers: [ItemIdentifierType]) { reloadedItemIdentifiers += identifiers }
}
