#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormRows
import SwormStore

/// One state of a store, from which the levels of trees are read.
struct TreeSession {
    fileprivate let session: any StoreSession

    /// Returns the rows of a level.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - binding: The mapping of the type whose attributes are read.
    ///   - plan: The plan for the values.
    ///   - columns: Computed columns of the values.
    ///   - links: The relations to one whose keys are read.
    ///   - source: The part of the request's rows that is read.
    func rows<T, Value>(
        of request: RequestContent, in binding: EntityBinding<T>, plan: PlannedRows<Value>,
        columns: [TreeColumn<Value>], links: [String], source: TreeSource = .request
    ) throws -> TreeRows<Value> {
        let level = try LevelPlan(request, binding, plan, columns: columns, links: links, source: source)
        do {
            return TreeRows(try session.rows(of: level.level, layout: level.integers.layout), level)
        } catch {
            throw binding.named(error)
        }
    }

    /// Calls a closure with the rows of a request, at most `size` at a time.
    func forEach<T>(
        of request: RequestContent, in binding: EntityBinding<T>, plan: PlannedRows<T>, columns: [TreeColumn<T>],
        links: [String], size: Int, _ body: (TreeRows<T>) throws -> Void
    ) throws {
        let level = try LevelPlan(request, binding, plan, columns: columns, links: links, source: .request)
        // Errors of the closure are rethrown unchanged.
        var failure: (any Error)?
        do {
            try session.forEach(of: level.level, layout: level.integers.layout, size: size) { memory in
                do {
                    try body(TreeRows(memory, level))
                } catch {
                    failure = error
                    throw error
                }
            }
        } catch {
            throw failure ?? binding.named(error)
        }
    }
}

extension NSManagedObjectContext {
    /// Calls a closure with the state of the store that this context reads; returns nil if trees must be read through
    /// objects, because of unsaved changes or several stores.
    func withTreeSession<R>(
        reading entities: TreeEntities, _ request: RequestContent, of entity: CompiledEntity,
        _ body: (TreeSession) throws -> R
    ) throws -> R? {
        guard let model = compiledModel else { return nil }
        let numbers = entities.names.compactMap { model.entity(named: $0)?.number }
        return try withSession(
            ofEntities: numbers, request.specification(of: entity), readingOthers: entities.readsOthers
        ) {
            try body(TreeSession(session: $0))
        }
    }
}

/// A level of trees in the form in which a store reads it, and the layout of its rows.
struct LevelPlan {
    fileprivate let level: TreeLevel
    fileprivate let integers: IntegerColumns
    private let links: [String]

    fileprivate init<T, Value>(
        _ request: RequestContent, _ binding: EntityBinding<T>, _ plan: PlannedRows<Value>,
        columns: [TreeColumn<Value>], links: [String], source: TreeSource
    ) throws {
        let entity = binding.entity
        let keys = try links.map { PseudoSlot.link(try binding.slot(of: $0), of: entity.number) }
        let slots = plan.columns + keys
        var level = TreeLevel(
            try request.specification(of: entity), columns: slots, expressions: columns.map(\.expression))
        var integers: [Int32] = [0] + keys.indices.map { Int32(1 + plan.columns.count + $0) }
        switch source {
        case .request: break
        case .keys(let keys): level.source = .keys(keys)
        case .members(let owner, let relation, let owners, let anyOrder):
            guard case .relationship(let slot) = owner.slot(named: relation) else {
                throw StoreError.unknownName(
                    relation, kind: "relation", of: owner.name, among: owner.relationships.map(\.name))
            }
            level.source = .members(of: owner.number, relationship: slot, owners: owners, anyOrder: anyOrder)
            integers.append(TreeLevel.ownerColumn(after: slots, expressions: columns.count))
        }
        self.level = level
        self.links = links
        let customs = columns.enumerated().map { index, column in
            // Unsafe: the closure gets the memory of a value of the plan's type.
            RowLayout.Custom(column: Int32(1 + slots.count + index)) { place, view in
                try column.write(place.assumingMemoryBound(to: Value.self), try column.kind.value(in: view))
            }
        }
        self.integers = IntegerColumns(after: plan.plan.layout, customs: customs, columns: integers)
    }

    fileprivate var keyOffset: Int { integers.start }
    fileprivate var ownerOffset: Int { offset(1 + links.count) }

    fileprivate func linkOffset(_ relation: String) -> Int? { links.firstIndex(of: relation).map { offset(1 + $0) } }

    private func offset(_ index: Int) -> Int { integers.start + index * MemoryLayout<Int64>.size }
}

/// The rows of one level of trees in memory, with their keys.
struct TreeRows<Value> {
    private let memory: RowMemory
    private let level: LevelPlan

    fileprivate init(_ memory: RowMemory, _ level: LevelPlan) {
        self.memory = memory
        self.level = level
    }

    var count: Int { memory.count }

    var keys: [Int64] { integers(at: level.keyOffset) }

    /// Returns the keys of the destinations of a relation; 0 where there is none.
    func links(_ relation: String) -> [Int64] { level.linkOffset(relation).map(integers) ?? [] }

    private func integers(at offset: Int) -> [Int64] {
        (0..<memory.count).map { memory.integer(at: offset, of: $0) }
    }

    /// The memory of a value.
    func value(_ row: Int) -> UnsafeMutablePointer<Value> { memory[row].assumingMemoryBound(to: Value.self) }

    /// Moves the values out of the rows.
    func takeValues() -> [Value] {
        let values = moved(0..<count) { $0 }
        memory.forgetValues()
        return values
    }

    /// Calls a closure with the address of each value, out of which the closure moves it.
    func forEachValue(_ body: (UnsafeMutablePointer<Value>) throws -> Void) throws {
        let count = count
        memory.forgetValues()
        for row in 0..<count {
            do {
                try body(memory[row].assumingMemoryBound(to: Value.self))
            } catch {
                for rest in row + 1..<count { value(rest).deinitialize(count: 1) }
                throw error
            }
        }
    }

    /// Moves the values out of the rows, into a list for each owner.
    func takeLists(of owners: KeyList) -> [[Value]] {
        let count = count
        var places = [Int32](repeating: -1, count: count)
        var isInOrder = true
        var last: (key: Int64, place: Int32) = (Int64.min, 0)
        let found = OwnerPlaces(owners.keys)
        for row in 0..<count {
            let owner = memory.integer(at: level.ownerOffset, of: row)
            // Adjacent rows usually have the same owner.
            if owner != last.key {
                let place = found.place(of: owner)
                isInOrder = isInOrder && place >= last.place
                last = (owner, place)
            }
            places[row] = last.place
        }
        var starts = [Int](repeating: 0, count: owners.keys.count + 1)
        for place in places where place >= 0 { starts[Int(place) + 1] += 1 }
        for index in owners.keys.indices { starts[index + 1] += starts[index] }
        let lists: [[Value]]
        if isInOrder {
            lists = owners.keys.indices.map { moved(starts[$0]..<starts[$0 + 1]) { $0 } }
        } else {
            var order = [Int32](repeating: 0, count: count)
            var next = starts
            for row in 0..<count where places[row] >= 0 {
                order[next[Int(places[row])]] = Int32(row)
                next[Int(places[row])] += 1
            }
            lists = owners.keys.indices.map { moved(starts[$0]..<starts[$0 + 1]) { Int(order[$0]) } }
        }
        for row in 0..<count where places[row] < 0 { value(row).deinitialize(count: 1) }
        memory.forgetValues()
        return lists
    }

    /// Moves the values of some rows.
    private func moved(_ rows: Range<Int>, _ row: (Int) -> Int) -> [Value] {
        if rows.isEmpty { return [] }
        return [Value](unsafeUninitializedCapacity: rows.count) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            for index in rows { (start + (index - rows.lowerBound)).moveInitialize(from: value(row(index)), count: 1) }
            count = rows.count
        }
    }
}

/// The places of keys in a sorted list.
private struct OwnerPlaces {
    private let keys: [Int64]
    /// The place of each number from the first key on, if the keys are dense; -1 for other numbers.
    private let table: [Int32]

    init(_ keys: [Int64]) {
        self.keys = keys
        guard let first = keys.first, let last = keys.last, keys.count < Int(Int32.max),
            last - first < 4 * Int64(keys.count) + 64
        else {
            table = []
            return
        }
        var table = [Int32](repeating: -1, count: Int(last - first) + 1)
        for (place, key) in keys.enumerated() { table[Int(key - first)] = Int32(place) }
        self.table = table
    }

    /// Returns -1 for a key that is not in the list.
    func place(of key: Int64) -> Int32 {
        if !table.isEmpty {
            let index = key &- keys[0]
            return index >= 0 && index < Int64(table.count) ? table[Int(index)] : -1
        }
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && keys[low] == key ? Int32(low) : -1
    }
}
#endif
