#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormRows
import SwormStore

/// A plan for decoding values from rows, with the columns that it needs.
struct PlannedRows<Value>: Sendable {
    let plan: RowPlan<Value>
    /// The slots of the columns, from column 1 on. Column 0 is the primary key.
    let columns: [Int]
}

/// The columns of a statement that reads the rows of an entity, and of its sub-entities.
struct PlannedColumns {
    private let entity: CompiledEntity
    private(set) var slots: [Int]

    /// - Parameter slots: The columns that come first.
    init(of entity: CompiledEntity, after slots: [Int] = []) {
        self.entity = entity
        self.slots = slots
    }

    /// Returns the column of an attribute of the entity or a sub-entity, and adds it if it is missing.
    mutating func column(of slot: Int, in other: CompiledEntity) -> Int32 {
        // A sub-entity has the attributes of its super-entity in the same slots.
        let name =
            slot < entity.attributes.count ? slot : PseudoSlot.attribute(slot, of: other.attributes[slot].owner)
        if let known = slots.firstIndex(of: name) { return Int32(known + 1) }
        slots.append(name)
        return Int32(slots.count)
    }

    var entityColumn: Int32 { Int32((slots.firstIndex(of: PseudoSlot.entity) ?? 0) + 1) }
}

/// The source of the plans of a type.
struct PlanSource<T: ManagedTreeConvertible> {
    let mapping: EntityMapping<T>
    let entity: CompiledEntity
    let slots: [Int]
    /// Whether a type represents a composite attribute as a whole, which needs objects.
    let hasWholes: Bool
    let cases: CaseBindings<T>?

    /// Returns the plan for values; nil if the values must be read through objects.
    func rows() -> PlannedRows<T>? {
        var columns = PlannedColumns(of: entity, after: cases == nil ? [] : [PseudoSlot.entity])
        return plan(&columns).map { PlannedRows(plan: $0, columns: columns.slots) }
    }

    /// Returns the plan for values of an enum of structs, into which the structs are assigned.
    func assignedRows() -> PlannedRows<T>? {
        var columns = PlannedColumns(of: entity, after: [PseudoSlot.entity])
        let mapping = mapping
        guard let cases, let variants = variants(of: cases, &columns, isAssigning: true) else { return nil }
        let plan = RowPlan<T>(ops: [], variants: variants, isAssigning: true) { mapping.makeEmpty() }
        return PlannedRows(plan: plan, columns: columns.slots)
    }

    /// Returns the plan for values, with columns that are added to those of a statement.
    func plan(_ columns: inout PlannedColumns) -> RowPlan<T>? {
        let mapping = mapping
        if let cases {
            guard let variants = variants(of: cases, &columns, isAssigning: false) else { return nil }
            return RowPlan(ops: [], variants: variants) { mapping.makeEmpty() }
        }
        guard let fields = fields(&columns) else { return nil }
        let customs = fields.customs.map { column, write in
            RowPlan<T>.Custom(column: column) { object, view in try write(&object, view) }
        }
        return RowPlan(ops: fields.ops, customs: customs, makesEach: !mapping.sharesTemplate) { mapping.makeEmpty() }
    }

    /// Returns the plan for values with their identities and versions; nil if the values must be read through objects.
    func liveRows() -> PlannedRows<LiveRecord<T>>? {
        typealias Record = LiveRecord<T>
        let mapping = mapping
        // The value is the first property, so that the offsets of its properties are those in the record.
        guard MemoryLayout<Record>.offset(of: \.value) == 0,
            let key = MemoryLayout<Record>.offset(of: \.identity.key),
            let version = MemoryLayout<Record>.offset(of: \.version),
            let source = MemoryLayout<Record>.offset(of: \.identity.source)
        else { return nil }
        var columns = PlannedColumns(of: entity, after: [PseudoSlot.version, PseudoSlot.entity])
        let ops = [
            RowOp(column: 0, kind: .int64, offset: key), RowOp(column: 1, kind: .int64, offset: version),
            RowOp(column: 2, kind: .int64, offset: source),
        ]
        if let cases {
            guard let variants = variants(of: cases, &columns, isAssigning: true) else { return nil }
            let plan = RowPlan<Record>(ops: ops, variants: variants) { LiveRecord(value: mapping.makeEmpty()) }
            return PlannedRows(plan: plan, columns: columns.slots)
        }
        guard let fields = fields(&columns) else { return nil }
        let customs = fields.customs.map { column, write in
            RowPlan<Record>.Custom(column: column) { record, view in try write(&record.value, view) }
        }
        let plan = RowPlan<Record>(ops: ops + fields.ops, customs: customs, makesEach: !mapping.sharesTemplate) {
            LiveRecord(value: mapping.makeEmpty())
        }
        return PlannedRows(plan: plan, columns: columns.slots)
    }

    // MARK: Cases

    /// Returns the plans of the cases; nil if one of them needs objects.
    ///
    /// - Parameter isAssigning: Whether the memory of a row already holds a value.
    private func variants(
        of cases: CaseBindings<T>, _ columns: inout PlannedColumns, isAssigning: Bool
    ) -> RowVariants? {
        var variants: [RowVariants.Variant] = []
        for member in cases.all {
            guard let variant = member.variant(&columns, isAssigning: isAssigning) else { return nil }
            variants.append(variant)
        }
        return RowVariants(
            variants, by: columns.entityColumn, from: entity.number,
            indices: entity.family.map { cases.indices[$0] ?? -1 })
    }

    // MARK: Fields

    private typealias FieldWriter = @Sendable (inout T, borrowing ColumnView) throws -> Void

    /// Returns how the columns of the attributes are written into a value; nil if the value must be read through an
    /// object.
    private func fields(
        _ columns: inout PlannedColumns
    ) -> (ops: [RowOp], customs: [(column: Int32, write: FieldWriter)])? {
        if hasWholes { return nil }
        let mapping = mapping
        var ops: [RowOp] = []
        var customs: [(column: Int32, write: FieldWriter)] = []
        for (index, attribute) in mapping.attributes.enumerated() {
            let description = entity.attributes[slots[index]]
            if description.isTransient { return nil }
            let column = columns.column(of: slots[index], in: entity)
            if let offset = attribute.directOffset {
                ops.append(
                    RowOp(
                        column: column, kind: FieldKind(attribute.kind, isOptional: attribute.isOptional),
                        offset: offset, isExternal: description.allowsExternalStorage))
                continue
            }
            if description.allowsExternalStorage { return nil }
            let kind = attribute.kind
            customs.append(
                (column, { object, view in try mapping.write(try kind.value(in: view), at: index, into: &object) }))
        }
        return (ops, customs)
    }
}

extension SubentityBinding {
    /// Returns the plan for the rows of the case; nil if they must be read through objects.
    fileprivate func variant(_ columns: inout PlannedColumns, isAssigning: Bool) -> RowVariants.Variant? {
        guard let plan = binding.planSource.plan(&columns) else { return nil }
        return RowVariants.Variant(plan, move: isAssigning ? link.assign : link.initialize)
    }
}

extension EntityBinding {
    fileprivate var planSource: PlanSource<T> {
        PlanSource(
            mapping: mapping, entity: entity, slots: attributes, hasWholes: !composites.isEmpty, cases: cases)
    }

    /// Returns the plan for the values of one attribute; nil if they must be read through objects.
    ///
    /// - Parameters:
    ///   - index: The index of the attribute in the table.
    ///   - initial: Returns a value, over which that of a row is written.
    func rows<Value: SupportedAttributeType>(
        ofAttribute index: Int, as type: Value.Type, initial: @escaping @Sendable () -> Value
    ) -> PlannedRows<Value>? {
        let slot = attributes[index]
        guard slot >= 0 else { return nil }
        let description = entity.attributes[slot]
        let attribute = mapping.attributes[index]
        if description.isTransient || description.allowsExternalStorage { return nil }
        if attribute.directOffset != nil {
            let op = RowOp(column: 1, kind: FieldKind(attribute.kind, isOptional: false), offset: 0)
            return PlannedRows(plan: RowPlan(ops: [op], make: initial), columns: [slot])
        }
        let (mapping, kind) = (mapping, attribute.kind)
        let custom = RowPlan<Value>.Custom(column: 1) { value, view in
            let stored = try kind.value(in: view)
            do {
                value = try Value.decode(stored)
            } catch {
                throw mapping.attributeError(at: index, value: stored, cause: error)
            }
        }
        return PlannedRows(
            plan: RowPlan(ops: [], customs: [custom], makesEach: false, make: initial), columns: [slot])
    }

    /// Whether a value of the type may change without a new version of its row.
    var hasDerivedAttributes: Bool {
        attributes.contains { $0 >= 0 && entity.attributes[$0].derivation != nil }
            || cases?.all.contains { $0.hasDerivedAttributes } ?? false
    }
}

extension SubentityBinding {
    fileprivate var hasDerivedAttributes: Bool { binding.hasDerivedAttributes }
}
#endif
