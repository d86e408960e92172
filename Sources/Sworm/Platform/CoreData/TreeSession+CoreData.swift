#if canImport(CoreData)
import CoreData
import SwormPredicates

// Core Data has no rows without objects, so trees are always read through objects. These types have no values.

/// One state of a store, from which the levels of trees are read.
enum TreeSession {
    func rows<T, Value>(
        of request: RequestContent, in binding: EntityBinding<T>, plan: PlannedRows<Value>,
        columns: [ComputedColumn<Value>], links: [String], source: TreeSource = .request
    ) throws -> TreeRows<Value> {
        switch self {}
    }

    func forEach<T>(
        of request: RequestContent, in binding: EntityBinding<T>, plan: PlannedRows<T>, columns: [ComputedColumn<T>],
        links: [String], size: Int, _ body: (TreeRows<T>) throws -> Void
    ) throws {
        switch self {}
    }
}

/// A plan for decoding values from rows.
enum PlannedRows<Value> {}

/// The rows of one level of trees in memory, with their keys.
enum TreeRows<Value> {
    var count: Int { switch self {} }
    var keys: [Int64] { switch self {} }
    var references: [ObjectReference] { switch self {} }

    func links(_ relation: String) -> [Int64] { switch self {} }
    func value(_ row: Int) -> UnsafeMutablePointer<Value> { switch self {} }
    func takeValues() -> [Value] { switch self {} }
    func forEachValue(_ body: (UnsafeMutablePointer<Value>) throws -> Void) throws { switch self {} }
    func groups(of owners: KeyList) -> RowGroups { switch self {} }
    func takeLists(of owners: KeyList) -> [[Value]] { switch self {} }
}

extension EntityBinding {
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
