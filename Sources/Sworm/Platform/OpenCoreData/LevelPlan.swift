#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormRows
import SwormStore

/// A level of trees in the form in which a store reads it, and the layout of its rows.
struct LevelPlan {
    let level: TreeLevel
    let integers: IntegerColumns
    private let links: [String]
    private let hasOwners: Bool
    let storeIdentifier: String
    let model: CompiledModel
    let entity: CompiledEntity

    init<T, Value>(
        _ request: RequestContent, of binding: EntityBinding<T>, plan: PlannedRows<Value>,
        columns: [ComputedColumn<Value>], links: [String], source: TreeSource, in session: TreeSession
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

    var keyOffset: Int { integers.start }
    var ownerOffset: Int { offset(1 + links.count) }

    /// The offset of the number of a row's entity; nil if all rows have the same.
    var entityOffset: Int? { entity.hasDescendants ? offset(1 + links.count + (hasOwners ? 1 : 0)) : nil }

    func linkOffset(_ relation: String) -> Int? { links.firstIndex(of: relation).map { offset(1 + $0) } }

    private func offset(_ index: Int) -> Int { integers.start + index * MemoryLayout<Int64>.size }
}
#endif
