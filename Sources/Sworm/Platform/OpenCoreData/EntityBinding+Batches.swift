#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormStore

extension EntityBinding {
    /// Returns values as rows. The values of an enum of structs become rows of several entities, in the order of the values.
    func batch(of values: some Sequence<T>) -> RowBatch {
        guard cases != nil else { return RowBatch(values, plan: writePlan) }
        var layouts: [WriteLayout] = []
        let run = run(&layouts)
        return RowBatch(of: layouts, in: entity.number) { take in
            try withoutActuallyEscaping(take) { take in
                let pending = PendingRun(take)
                for value in values { try run.add(value, to: pending) }
                try pending.end()
            }
        }
    }

    /// Returns the rules of an upsert, one for each layout of a batch.
    func rules(on constraint: [String], updates: UpsertUpdates?) -> [UpsertRule] {
        if let cases { return cases.all.flatMap { $0.rules(on: constraint, updates: updates) } }
        let indices = updates?.indices(in: mapping, besides: constraint)
        return [UpsertRule(constraint: constraint, updates: indices.map { $0.map { attributes[$0] } })]
    }

    /// Whether a type, also that of a case, represents a composite attribute as a whole.
    var hasWholes: Bool { !composites.isEmpty || cases?.all.contains { $0.hasWholes } ?? false }

    /// Returns the collection of adjacent values, and adds the layouts of their rows.
    fileprivate func run(_ layouts: inout [WriteLayout]) -> any ValueRun<T> {
        if let cases {
            let runs = cases.all.map { $0.run(&layouts) }
            return CaseRuns(runs: runs, mapping: mapping)
        }
        layouts.append(writePlan.layout)
        return StructRun(layout: layouts.count - 1)
    }
}

extension SubentityBinding {
    fileprivate var hasWholes: Bool { binding.hasWholes }

    fileprivate func rules(on constraint: [String], updates: UpsertUpdates?) -> [UpsertRule] {
        binding.rules(on: constraint, updates: updates)
    }

    fileprivate func run(_ layouts: inout [WriteLayout]) -> any CaseRun<Superentity> {
        LinkedRun(link: link, run: binding.run(&layouts))
    }
}

/// The values that are passed on next: adjacent values of one type.
private final class PendingRun {
    private let take: RowBatch.Taker
    private var current: (any AnyStructRun)?

    init(_ take: @escaping RowBatch.Taker) { self.take = take }

    /// Passes the values of another type on, so that the order of the values is preserved.
    func enter(_ run: any AnyStructRun) throws {
        if current === run { return }
        try end()
        current = run
    }

    func end() throws { try current?.pass(take) }
}

private protocol AnyStructRun: AnyObject {
    func pass(_ take: RowBatch.Taker) throws
}

/// A collection of values of a type.
private protocol ValueRun<Value>: AnyObject {
    associatedtype Value
    func add(_ value: Value, to pending: PendingRun) throws
}

/// Structs that are adjacent in memory.
private final class StructRun<Value>: ValueRun, AnyStructRun {
    private let layout: Int
    private var values: [Value] = []

    init(layout: Int) {
        self.layout = layout
        values.reserveCapacity(RowBatch.partSize)
    }

    func add(_ value: Value, to pending: PendingRun) throws {
        try pending.enter(self)
        values.append(value)
        if values.count == RowBatch.partSize { try pending.end() }
    }

    func pass(_ take: RowBatch.Taker) throws {
        defer { values.removeAll(keepingCapacity: true) }
        try values.withUnsafeBufferPointer { buffer in
            if let start = buffer.baseAddress, !buffer.isEmpty { try take(layout, start, buffer.count) }
        }
    }
}

/// The values of a case of an enum.
private protocol CaseRun<Value> {
    associatedtype Value
    /// Adds the struct of a value. Returns false for another case.
    func add(_ value: Value, to pending: PendingRun) throws -> Bool
}

private struct LinkedRun<Link: SubentityLink>: CaseRun {
    let link: Link
    let run: any ValueRun<Link.Object>

    func add(_ value: Link.Superentity, to pending: PendingRun) throws -> Bool {
        guard let object = link.object(of: value) else { return false }
        try run.add(object, to: pending)
        return true
    }
}

/// The values of an enum of structs.
private final class CaseRuns<T: ManagedObjectConvertible>: ValueRun {
    private let runs: [any CaseRun<T>]
    private let mapping: EntityMapping<T>

    init(runs: [any CaseRun<T>], mapping: EntityMapping<T>) {
        self.runs = runs
        self.mapping = mapping
    }

    func add(_ value: T, to pending: PendingRun) throws {
        for run in runs {
            if try run.add(value, to: pending) { return }
        }
        throw mapping.missingCase(of: value)
    }
}
#endif
