#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormRows
import SwormStore

// The plans by which rows are decoded.
extension EntityBinding {
    static func makeRowPlan(_ mapping: EntityMapping<T>, entity: CompiledEntity, slots: [Int]) -> RowPlan<T>? {
        // Column 0 is the primary key.
        guard let fields = fields(mapping, entity: entity, slots: slots, after: 1) else { return nil }
        let customs = fields.customs.map { column, write in
            RowPlan<T>.Custom(column: column) { object, view in try write(&object, view) }
        }
        return RowPlan(ops: fields.ops, customs: customs, makesEach: !mapping.sharesTemplate) {
            mapping.makeEmpty()
        }
    }

    /// Returns the plan for values with their identities and versions: the version and the entity of a row are columns 1
    /// and 2.
    static func makeLivePlan(
        _ mapping: EntityMapping<T>, entity: CompiledEntity, slots: [Int]
    ) -> RowPlan<LiveRecord<T>>? {
        typealias Record = LiveRecord<T>
        // The value is the first property, so that the offsets of its properties are those in the record.
        guard let fields = fields(mapping, entity: entity, slots: slots, after: 3),
            MemoryLayout<Record>.offset(of: \.value) == 0, let key = MemoryLayout<Record>.offset(of: \.identity.key),
            let version = MemoryLayout<Record>.offset(of: \.version),
            let source = MemoryLayout<Record>.offset(of: \.identity.source)
        else { return nil }
        let ops = [
            RowOp(column: 0, kind: .int64, offset: key), RowOp(column: 1, kind: .int64, offset: version),
            RowOp(column: 2, kind: .int64, offset: source),
        ]
        let customs = fields.customs.map { column, write in
            RowPlan<Record>.Custom(column: column) { record, view in try write(&record.value, view) }
        }
        return RowPlan(ops: ops + fields.ops, customs: customs, makesEach: !mapping.sharesTemplate) {
            LiveRecord(value: mapping.makeEmpty())
        }
    }

    private typealias FieldWriter = @Sendable (inout T, borrowing ColumnView) throws -> Void

    /// Returns how the columns of the attributes are written into a value; nil if the value must be read through an
    /// object.
    private static func fields(
        _ mapping: EntityMapping<T>, entity: CompiledEntity, slots: [Int], after first: Int
    ) -> (ops: [RowOp], customs: [(column: Int32, write: FieldWriter)])? {
        var ops: [RowOp] = []
        var customs: [(column: Int32, write: FieldWriter)] = []
        for (index, attribute) in mapping.attributes.enumerated() {
            let description = entity.attributes[slots[index]]
            if description.isTransient { return nil }
            let column = Int32(index + first)
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

    /// Whether a value of the type may change without a new version of its row.
    var hasDerivedAttributes: Bool { attributes.contains { $0 >= 0 && entity.attributes[$0].derivation != nil } }
}
#endif
