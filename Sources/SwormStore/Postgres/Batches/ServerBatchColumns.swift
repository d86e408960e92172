#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

/// The mapping from the fields of a plan to the columns of rows that are inserted into a table of a server.
struct ServerBatchColumns {
    /// An attribute whose values are inspected one by one. Like an op, it is a trivial value.
    struct Place {
        var slot: Int
        /// The index of the field that has the value, or a negative number for the attribute's default.
        var field: Int
        /// The index of the attribute's column among those of the entity, or a negative number for a transient attribute,
        /// which is only checked.
        var attribute: Int
        var type: AttributeType
        var columnType: PostgresType
    }

    /// A derived attribute whose value is computed from another value of the same row.
    struct Derived {
        var derived: ServerColumns.Derived
        /// The attribute from which it is computed.
        var source: Place
    }

    /// The names of the columns, in the order in which rows have their values: the key, the columns that
    /// have the same value in every row, those of the ops, those of the positions, and those that are derived.
    let names: [String]
    let types: [PostgresType]
    /// The values that all rows have.
    let constants: [(value: ServerValue, type: PostgresType)]
    let ops: [BindOp]
    /// By op, the attribute that handles a value that the op cannot write as it is.
    let opPlaces: [Place]
    /// The attributes that no op can write.
    let places: [Place]
    /// The attributes that have their default value in every row.
    let defaults: [Place]
    let derived: [Derived]
    private let indices: [Int: Int]

    /// - Parameter time: Returns the time of the transaction.
    /// - Throws: An error for a default that a column cannot store.
    init(
        _ layout: WriteLayout, columns: ServerColumns, time: () throws -> Date
    ) throws {
        let fields = Dictionary(
            layout.fields.indices.map { (layout.fields[$0].slot, $0) }, uniquingKeysWith: { first, _ in first })
        var (ops, opPlaces): ([BindOp], [Place]) = ([], [])
        var (places, defaults): ([Place], [Place]) = ([], [])
        var constants: [(column: ServerColumns.Attribute, value: ServerValue)] = []
        var bySlot: [Int: Place] = [:]
        for (index, column) in columns.attributes.enumerated() {
            let place = Place(
                slot: column.slot, field: fields[column.slot] ?? -1, attribute: index, type: column.attribute.type,
                columnType: column.type)
            bySlot[column.slot] = place
            guard place.field >= 0 else {
                defaults.append(place)
                let value = columns.entity.defaultValues[column.slot]
                constants.append((column, try ServerValue(value, for: column, of: columns.entity)))
                continue
            }
            let field = layout.fields[place.field]
            let traits = columns.entity.traits[column.slot]
            if field.offset >= 0, let width = traits.width(of: field.kind) {
                ops.append(
                    BindOp(
                        parameter: 0, kind: field.kind, width: width, isRequired: !traits.isOptional,
                        offset: field.offset))
                opPlaces.append(place)
            } else {
                places.append(place)
            }
        }
        for (slot, traits) in columns.entity.traits.enumerated() where traits.isTransient && !traits.isDerived {
            let place = Place(
                slot: slot, field: fields[slot] ?? -1, attribute: -1, type: traits.type, columnType: .text)
            if place.field < 0 { defaults.append(place) } else { places.append(place) }
        }
        var derived: [Derived] = []
        for item in columns.derived {
            guard let source = item.source else {
                constants.append((item.place, try ServerValue(.date(time()), for: item.place, of: columns.entity)))
                continue
            }
            guard let place = bySlot[source] else { continue }
            if place.field >= 0 {
                derived.append(Derived(derived: item, source: place))
            } else {
                let value = columns.entity.defaultValues[source]
                constants.append((item.place, try item.value(of: value, in: columns.entity)))
            }
        }
        // A column that is not written gets NULL, or the default that a newer version of the model has given it.
        constants.removeAll { $0.value == .null }

        let system = SystemColumns.postgres
        var all: [(name: String, type: PostgresType, slot: Int?)] = [(system.key, .int8, nil)]
        if columns.numbersEntities { all.append((system.entity, .int2, nil)) }
        all += constants.map { ($0.column.column, $0.column.type, $0.column.slot) }
        for place in opPlaces + places where place.attribute >= 0 {
            all.append((columns.attributes[place.attribute].column, place.columnType, place.slot))
        }
        all += derived.map { ($0.derived.place.column, $0.derived.place.type, $0.derived.place.slot) }
        names = all.map(\.name)
        types = all.map(\.type)
        var indices: [Int: Int] = [:]
        for (index, column) in all.enumerated() { if let slot = column.slot { indices[slot] = index } }
        self.indices = indices
        let number = columns.numbersEntities ? [(ServerValue.integer(columns.storedNumber), PostgresType.int2)] : []
        self.constants = number + constants.map { ($0.value, $0.column.type) }
        self.ops = ops
        self.opPlaces = opPlaces
        self.places = places
        self.defaults = defaults
        self.derived = derived
    }

    /// Returns the index of the column of an attribute, or nil if rows have no value for it.
    func index(ofSlot slot: Int) -> Int? { indices[slot] }
}
#endif
