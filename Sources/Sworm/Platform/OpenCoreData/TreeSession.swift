#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormRows
import SwormStore

/// One state of a store, from which the levels of trees are read.
struct TreeSession {
    fileprivate let session: any StoreSession
    fileprivate let storeIdentifier: String
    fileprivate let model: CompiledModel

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
        columns: [ComputedColumn<Value>], links: [String], source: TreeSource = .request
    ) throws -> TreeRows<Value> {
        let level = try LevelPlan(request, binding, plan, columns: columns, links: links, source: source, of: self)
        do {
            return TreeRows(try session.rows(of: level.level, layout: level.integers.layout), level)
        } catch {
            throw binding.named(error)
        }
    }

    /// Calls a closure with the rows of a request, at most `size` at a time.
    func forEach<T>(
        of request: RequestContent, in binding: EntityBinding<T>, plan: PlannedRows<T>, columns: [ComputedColumn<T>],
        links: [String], size: Int, _ body: (TreeRows<T>) throws -> Void
    ) throws {
        let level = try LevelPlan(request, binding, plan, columns: columns, links: links, source: .request, of: self)
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
            try body(TreeSession(session: $0, storeIdentifier: $1, model: model))
        }
    }
}

/// A level of trees in the form in which a store reads it, and the layout of its rows.
struct LevelPlan {
    fileprivate let level: TreeLevel
    fileprivate let integers: IntegerColumns
    private let links: [String]
    private let hasOwners: Bool
    fileprivate let storeIdentifier: String
    fileprivate let model: CompiledModel
    fileprivate let entity: CompiledEntity

    fileprivate init<T, Value>(
        _ request: RequestContent, _ binding: EntityBinding<T>, _ plan: PlannedRows<Value>,
        columns: [ComputedColumn<Value>], links: [String], source: TreeSource, of session: TreeSession
    ) throws {
        let entity = binding.entity
        let keys = try links.map { PseudoSlot.link(try binding.slot(of: $0), of: entity.number) }
        // Sub-entities have rows in the same table.
        let slots = plan.columns + keys + (entity.hasDescendants ? [PseudoSlot.entity] : [])
        var level = TreeLevel(
            try request.specification(of: entity), columns: slots, expressions: columns.map(\.expression))
        var integers: [Int32] = [0] + keys.indices.map { Int32(1 + plan.columns.count + $0) }
        (self.entity, model, storeIdentifier) = (entity, session.model, session.storeIdentifier)
        var hasOwners = false
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
            hasOwners = true
        }
        if entity.hasDescendants { integers.append(Int32(slots.count)) }
        self.hasOwners = hasOwners
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

    /// The offset of the number of a row's entity; nil if all rows have the same.
    fileprivate var entityOffset: Int? { entity.hasDescendants ? offset(1 + links.count + (hasOwners ? 1 : 0)) : nil }

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

    /// The ids of the objects.
    var references: [ObjectReference] {
        (0..<memory.count).map { row in
            let number = level.entityOffset.map { Int(memory.integer(at: $0, of: row)) }
            let entity = number.flatMap { level.model.entity(numbered: Int64($0)) } ?? level.entity
            return ObjectReference(
                storeIdentifier: level.storeIdentifier, entityName: entity.name,
                key: memory.integer(at: level.keyOffset, of: row))
        }
    }

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

    /// Returns the rows of each owner.
    func groups(of owners: KeyList) -> RowGroups { RowGroups(owners: integers(at: level.ownerOffset), in: owners) }

    /// Moves the values out of the rows, into a list for each owner.
    func takeLists(of owners: KeyList) -> [[Value]] {
        let groups = groups(of: owners)
        let lists = (0..<groups.count).map { moved(groups[$0], groups.row) }
        if !groups.contains(allOf: count) {
            var isTaken = [Bool](repeating: false, count: count)
            for group in 0..<groups.count { for position in groups[group] { isTaken[groups.row(at: position)] = true } }
            for row in 0..<count where !isTaken[row] { value(row).deinitialize(count: 1) }
        }
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
#endif
