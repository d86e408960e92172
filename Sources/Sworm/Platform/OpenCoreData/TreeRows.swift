#if !canImport(CoreData)
import SwormPredicates
import SwormRows

/// The rows of one level of trees in memory, with their keys.
struct TreeRows<Value> {
    private let memory: RowMemory
    private let level: LevelPlan

    /// - Throws: An error if a row has a key or an entity that no object can have, which a damaged file may contain.
    init(checking memory: RowMemory, of level: LevelPlan) throws {
        self.memory = memory
        self.level = level
        for row in 0..<memory.count {
            let key = memory.integer(at: level.keyOffset, of: row)
            guard key > 0 else { throw CoreDataError.wrongKey(key, in: level.entity.name) }
            guard let offset = level.entityOffset else { continue }
            let number = memory.integer(at: offset, of: row)
            guard let found = level.model.entity(numbered: number), level.entity.family.contains(found.number) else {
                throw CoreDataError.wrongEntity(ofRow: key, number: number, in: level.entity.name)
            }
        }
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

    /// The addresses of the values, which are valid as long as the rows exist.
    var addresses: ValueAddresses { ValueAddresses(memory) }

    /// The rows of a save.
    var saved: [TreeRow] {
        let (memory, keyOffset, entityOffset) = (memory, level.keyOffset, level.entityOffset)
        let number = level.entity.number
        return (0..<memory.count).map { row in
            let entity = entityOffset.map { Int(memory.integer(at: $0, of: row)) } ?? number
            return TreeRow(entity: entity, key: memory.integer(at: keyOffset, of: row))
        }
    }

    /// Returns the keys of the destinations of a relation; 0 for a missing object.
    func links(_ relation: String) -> [Int64] { level.linkOffset(relation).map(integers) ?? [] }

    private func integers(at offset: Int) -> [Int64] {
        (0..<memory.count).map { memory.integer(at: offset, of: $0) }
    }

    /// Returns a copy of a value.
    func copy(_ row: Int) -> Value? { value(row).pointee }

    /// Calls a closure with the memory of a value.
    func update(at row: Int, _ body: (UnsafeMutablePointer<Value>) throws -> Void) rethrows { try body(value(row)) }

    private func value(_ row: Int) -> UnsafeMutablePointer<Value> { memory[row].assumingMemoryBound(to: Value.self) }

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
        let lists = (0..<groups.count).map { moved(groups[$0], at: groups.row) }
        if !groups.contains(allOf: count) {
            var isTaken = [Bool](repeating: false, count: count)
            for group in 0..<groups.count { for position in groups[group] { isTaken[groups.row(at: position)] = true } }
            for row in 0..<count where !isTaken[row] { value(row).deinitialize(count: 1) }
        }
        memory.forgetValues()
        return lists
    }

    /// Moves the values of some rows.
    private func moved(_ rows: Range<Int>, at row: (Int) -> Int) -> [Value] {
        if rows.isEmpty { return [] }
        return [Value](unsafeUninitializedCapacity: rows.count) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            for index in rows { (start + (index - rows.lowerBound)).moveInitialize(from: value(row(index)), count: 1) }
            count = rows.count
        }
    }
}

/// The addresses of the values of one level, which keep the rows in memory.
struct ValueAddresses {
    private let memory: RowMemory
    private let addresses: RowAddresses

    init(_ memory: RowMemory) { (self.memory, addresses) = (memory, memory.addresses) }

    subscript(row: Int) -> UnsafeRawPointer? { UnsafeRawPointer(addresses[row]) }
}
#endif
