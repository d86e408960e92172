package import Foundation
import SwormPredicates
package import SwormRows

/// A view of a store for several owners, which use it one at a time. It ends when its last owner has let go of it.
///
/// @unchecked: the view is used only while the lock is held.
package final class SharedView: @unchecked Sendable {
    fileprivate let base: any StoreSession
    // Recursive, because a closure that receives rows may read further ones.
    fileprivate let lock = NSRecursiveLock()

    /// - Parameter base: The view. Nobody else uses it any more.
    package init(_ base: any StoreSession) { self.base = base }

    deinit { base.end() }
}

/// The use of a shared view by one of its owners.
package final class SharedSession: StoreSession {
    package private(set) var view: SharedView?
    /// The number of reads that this owner is running.
    private let reads = Locked(0)

    package init(_ view: SharedView) { self.view = view }

    /// Interrupts the running read, if it is one of this owner.
    package var interrupt: @Sendable () -> Void {
        let interrupt = view?.base.interrupt
        return { [reads] in
            if reads.withLock({ $0 > 0 }) { interrupt?() }
        }
    }

    package func end() { view = nil }

    /// Starts a read. The caller must end it with ``leave(_:)``.
    private func enter() throws -> SharedView {
        guard let view else { throw CoreDataError.viewHasEnded }
        view.lock.lock()
        reads.withLock { $0 += 1 }
        return view
    }

    private func leave(_ view: SharedView) {
        reads.withLock { $0 -= 1 }
        view.lock.unlock()
    }

    private func read<Result>(_ body: (any StoreSession) throws -> Result) throws -> Result {
        let view = try enter()
        defer { leave(view) }
        return try body(view.base)
    }

    // MARK: Reads

    package func check(_ specification: FetchSpecification) throws { try read { try $0.check(specification) } }

    package func check(_ projection: ProjectionSpecification) throws { try read { try $0.check(projection) } }

    package func rows(_ specification: FetchSpecification, shape: RowShape) throws -> RowBuffer {
        try read { try $0.rows(specification, shape: shape) }
    }

    package func rows(withKeys keys: [Int64], shape: RowShape) throws -> RowBuffer {
        try read { try $0.rows(withKeys: keys, shape: shape) }
    }

    package func identities(_ specification: FetchSpecification) throws -> [RowID] {
        try read { try $0.identities(specification) }
    }

    package func count(_ specification: FetchSpecification) throws -> Int { try read { try $0.count(specification) } }

    package func members(ofRelationship slot: Int, entity: Int, owners: [Int64]) throws -> [StoreMember] {
        try read { try $0.members(ofRelationship: slot, entity: entity, owners: owners) }
    }

    package func strayMembers(ofRelationship slot: Int, entity: Int) throws -> [(owner: Int64, key: Int64)] {
        try read { try $0.strayMembers(ofRelationship: slot, entity: entity) }
    }

    package func memberRows(
        ofRelationship slot: Int, entity: Int, owners: [Int64], shape: RowShape, limit: Int
    ) throws -> RowBuffer {
        try read {
            try $0.memberRows(ofRelationship: slot, entity: entity, owners: owners, shape: shape, limit: limit)
        }
    }

    package func memberRows(
        ofRelationship slot: Int, entity: Int, ownersBetween owners: ClosedRange<Int64>, shape: RowShape,
        expecting count: Int
    ) throws -> RowBuffer? {
        try read {
            try $0.memberRows(
                ofRelationship: slot, entity: entity, ownersBetween: owners, shape: shape, expecting: count)
        }
    }

    // A borrowed plan cannot be captured by a closure.
    package func decode<T>(
        _ specification: FetchSpecification, attributes: [Int], plan: borrowing RowPlan<T>
    ) throws -> [T] {
        let view = try enter()
        defer { leave(view) }
        return try view.base.decode(specification, attributes: attributes, plan: plan)
    }

    package func forEach<T>(
        _ specification: FetchSpecification, attributes: [Int], plan: borrowing RowPlan<T>,
        at first: UnsafeMutablePointer<T>?, body: (UnsafeMutablePointer<T>) throws -> Void
    ) throws {
        let view = try enter()
        defer { leave(view) }
        try view.base.forEach(specification, attributes: attributes, plan: plan, at: first, body: body)
    }

    package func rows(of level: TreeLevel, layout: RowLayout) throws -> RowMemory {
        try read { try $0.rows(of: level, layout: layout) }
    }

    package func forEach(
        of level: TreeLevel, layout: RowLayout, size: Int, body: (RowMemory) throws -> Void
    ) throws {
        try read { try $0.forEach(of: level, layout: layout, size: size, body: body) }
    }

    package func project<T>(
        _ projection: ProjectionSpecification, plan: ([ProjectedColumn]) throws -> RowPlan<T>
    ) throws -> [T] {
        try read { try $0.project(projection, plan: plan) }
    }

    package func storedRows(
        _ projection: ProjectionSpecification
    ) throws -> (columns: [ProjectedColumn], rows: [[StoredValue]]) {
        try read { try $0.storedRows(projection) }
    }

    /// Not supported, because a cursor reads outside of this call, when another owner may be reading.
    package func cursor(_ projection: ProjectionSpecification) throws -> any ProjectionCursor {
        throw CoreDataError(
            NSPersistentStoreUnsupportedRequestTypeError,
            "Rows cannot be read one at a time from a generation that several contexts share. Read them in a context of their own."
        )
    }

    package func explain(_ specification: FetchSpecification, as form: ExplainedForm) throws -> StatementExplanation {
        try read { try $0.explain(specification, as: form) }
    }

    package func explain(_ projection: ProjectionSpecification) throws -> StatementExplanation {
        try read { try $0.explain(projection) }
    }

    package func externalData(_ column: UnsafeRawBufferPointer) throws -> Data {
        try read { try $0.externalData(column) }
    }

    package func externalData(ofRow row: RowID, version: Int64, slot: Int) throws -> Data {
        try read { try $0.externalData(ofRow: row, version: version, slot: slot) }
    }

    package func fixState() throws { try read { try $0.fixState() } }

    package func history(
        after bound: HistoryBound?, includingChanges: Bool, limit: Int?
    ) throws -> [StoredTransaction]? {
        try read { try $0.history(after: bound, includingChanges: includingChanges, limit: limit) }
    }

    package func historyExtent() throws -> HistoryExtent? { try read { try $0.historyExtent() } }

    package func hasForeignTriggers() throws -> Bool { try read { try $0.hasForeignTriggers() } }

    package func metadataValue(forKey key: String) throws -> Any? { try read { try $0.metadataValue(forKey: key) } }
}
