#if canImport(CoreData)
import CoreData
import SwormPredicates

// Core Data has no rows without objects, so trees are always read through objects. These types have no rows, and no code calls
// them, because there is never a session.

/// One state of a store, from which the levels of trees are read.
struct TreeSession {
    var storeIdentifier: String { "" }

    func rows<T, Value>(
        of request: RequestContent, in binding: EntityBinding<T>, plan: PlannedRows<Value>,
        columns: [ComputedColumn<Value>], links: [String], source: TreeSource = .request
    ) throws -> TreeRows<Value> {
        TreeRows()
    }

    func forEach<T>(
        of request: RequestContent, in binding: EntityBinding<T>, plan: PlannedRows<T>, columns: [ComputedColumn<T>],
        links: [String], size: Int, _ body: (TreeRows<T>) throws -> Void
    ) throws {}
}

/// A plan for decoding values from rows.
struct PlannedRows<Value> {}

/// The rows of one level of trees in memory, with their keys.
struct TreeRows<Value> {
    var count: Int { 0 }
    var keys: [Int64] { [] }
    var references: [ObjectReference] { [] }
    var saved: [TreeRow] { [] }

    var addresses: ValueAddresses { ValueAddresses() }
    func links(_ relation: String) -> [Int64] { [] }
    func copy(_ row: Int) -> Value? { nil }
    func update(at row: Int, _ body: (UnsafeMutablePointer<Value>) throws -> Void) rethrows {}
    func takeValues() -> [Value] { [] }
    func forEachValue(_ body: (UnsafeMutablePointer<Value>) throws -> Void) throws {}
    func groups(of owners: KeyList) -> RowGroups { RowGroups(of: owners) }
    func takeLists(of owners: KeyList) -> [[Value]] { owners.keys.map { _ in [] } }
}

/// The addresses of the values of one level.
struct ValueAddresses {
    subscript(row: Int) -> UnsafeRawPointer? { nil }
}

/// The changes that a save of trees writes past objects.
struct TreeChanges {
    init(in session: TreeSession) {}

    var isEmpty: Bool { true }
    var insertions: Int { 0 }

    func root(of row: TreeRow) -> TreeRow { row }
    func insert<T>(_ values: [AttributeValue?], as binding: EntityBinding<T>) throws -> TreeRow { throw NeedsObjects() }
    func update<T>(
        _ row: TreeRow, as binding: EntityBinding<T>, from old: [AttributeValue], to new: [AttributeValue?]
    ) throws -> Bool {
        throw NeedsObjects()
    }
    func delete(_ row: TreeRow) {}
    func setDestination(_ destination: TreeRow?, of row: TreeRow, at slot: Int) {}
    func setLink(_ isLinked: Bool, from owner: TreeRow, along link: TreeLink, to destination: TreeRow) {}
    func setOrder(_ members: [TreeRow], of owner: TreeRow, at slot: Int) {}
    func touch(_ rows: Set<TreeRow>) {}
    func checkRequiredRelations() throws {}
    func write(to context: NSManagedObjectContext, of entity: ModelEntity) throws -> Bool { false }
}

extension TreeLink {
    init<T>(_ relation: String, of binding: EntityBinding<T>, in session: TreeSession) throws { throw NeedsObjects() }
}

extension EntityBinding {
    /// Does nothing, because Core Data compares versions when it saves.
    func beginWriting(in context: NSManagedObjectContext) throws {}

    /// Nil, because values are decoded from objects.
    var treeRows: PlannedRows<T>? { nil }

    /// Returns nil, because values are decoded from objects.
    func rows<Value: SupportedAttributeType>(
        ofAttribute index: Int, as type: Value.Type, initial: @escaping @Sendable () -> Value
    ) -> PlannedRows<Value>? {
        nil
    }
}

extension NSManagedObjectContext {
    /// Returns nil, because trees are read through objects.
    func withTreeSession<R>(
        reading entities: TreeEntities, for request: RequestContent, of entity: ModelEntity,
        _ body: (TreeSession) throws -> R
    ) throws -> R? {
        nil
    }
}
#endif
