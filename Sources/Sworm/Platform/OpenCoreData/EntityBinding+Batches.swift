#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormStore

extension EntityBinding {
    /// Returns values as rows. The values of an enum of structs become rows of several entities, in the order of the values.
    func batch(of values: some Sequence<T>) -> RowBatch {
        guard let cases else { return RowBatch(values, plan: writePlan) }
        var layouts: [WriteLayout] = []
        let runs = cases.all.map { $0.run(&layouts) }
        let mapping = mapping
        return RowBatch(of: layouts, in: entity.number, expecting: values.underestimatedCount) { take in
            try withoutActuallyEscaping(take) { take in
                let pending = PendingRun(take)
                for value in values {
                    let isAdded = try withUnsafeBytes(of: value) { bytes in
                        try bytes.baseAddress.map { address in
                            try runs.contains { try $0.add(address, to: pending) }
                        } ?? false
                    }
                    if !isAdded { throw mapping.missingCase(of: value) }
                }
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
}

extension SubentityBinding {
    fileprivate var hasWholes: Bool { binding.hasWholes }

    fileprivate func rules(on constraint: [String], updates: UpsertUpdates?) -> [UpsertRule] {
        binding.rules(on: constraint, updates: updates)
    }

    /// Returns the collection of the values of the case, and adds the layouts of their rows.
    fileprivate func run(_ layouts: inout [WriteLayout]) -> CaseRun {
        let memory = RowMemory(of: Link.Object.self)
        guard let cases = binding.cases else {
            layouts.append(binding.writePlan.layout)
            return CaseRun(link.extract, to: .structs(StructRun(index: layouts.count - 1, memory)))
        }
        let scratch = UnsafeMutableRawPointer.allocate(byteCount: max(1, memory.stride), alignment: memory.alignment)
        return CaseRun(link.extract, to: .cases(scratch, memory, cases.all.map { $0.run(&layouts) }))
    }
}

/// The values that are passed on next: adjacent values of one type.
private final class PendingRun {
    private let take: RowBatch.Taker
    private var current: StructRun?

    init(_ take: @escaping RowBatch.Taker) { self.take = take }

    /// Passes the values of another type on, so that the order of the values is preserved.
    func enter(_ run: StructRun) throws {
        if current === run { return }
        try end()
        current = run
    }

    func end() throws { try current?.pass(take) }
}

/// Structs that are adjacent in memory.
///
/// Unsafe: the closures of a ``Subentity`` accept any address. They are only called with memory that was allocated for the type
/// of the run, and `count` is always the number of values in it.
private final class StructRun {
    private let index: Int
    private let layout: RowMemory
    private let start: UnsafeMutableRawPointer
    /// The number of values in the memory.
    var count = 0

    init(index: Int, _ layout: RowMemory) {
        self.index = index
        self.layout = layout
        start = .allocate(byteCount: max(1, layout.stride * RowBatch.partSize), alignment: layout.alignment)
    }

    deinit {
        clear()
        start.deallocate()
    }

    /// The memory for the next value.
    var next: UnsafeMutableRawPointer { start + count * layout.stride }

    func pass(_ take: RowBatch.Taker) throws {
        defer { clear() }
        if count > 0 { try take(index, start, count) }
    }

    private func clear() {
        layout.deinitialize(start, count)
        count = 0
    }
}

/// The memory of a type that is not statically known.
private struct RowMemory {
    let stride: Int
    let alignment: Int
    let deinitialize: (UnsafeMutableRawPointer, Int) -> Void

    init<T>(of type: T.Type) {
        stride = MemoryLayout<T>.stride
        alignment = MemoryLayout<T>.alignment
        deinitialize = { $0.assumingMemoryBound(to: T.self).deinitialize(count: $1) }
    }
}

/// The collection of the values of one case.
private final class CaseRun {
    /// The destination of the structs.
    enum Destination {
        case structs(StructRun)
        /// An enum: memory for one value, which holds one only while it is added, and its cases.
        case cases(UnsafeMutableRawPointer, RowMemory, [CaseRun])
    }

    private let extract: @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer) -> Bool
    private let destination: Destination

    init(
        _ extract: @escaping @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer) -> Bool, to destination: Destination
    ) {
        self.extract = extract
        self.destination = destination
    }

    deinit {
        if case .cases(let scratch, _, _) = destination { scratch.deallocate() }
    }

    /// Adds the struct of the enum at an address. Returns false for another case.
    func add(_ value: UnsafeRawPointer, to pending: PendingRun) throws -> Bool {
        switch destination {
        case .structs(let run):
            guard extract(value, run.next) else { return false }
            run.count += 1
            try pending.enter(run)
            if run.count == RowBatch.partSize { try pending.end() }
            return true
        case .cases(let scratch, let memory, let cases):
            guard extract(value, scratch) else { return false }
            defer { memory.deinitialize(scratch, 1) }
            for item in cases {
                if try item.add(scratch, to: pending) { return true }
            }
            return false
        }
    }
}
#endif
