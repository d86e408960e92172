import SwormPredicates
import SwormSQLite
import SwormRows

/// The mapping from the fields of a plan to the parameters of an entity's insertion.
struct BatchColumns {
    /// An attribute whose values are inspected one by one. Like an op, it is a trivial value.
    struct Place {
        var slot: Int
        /// The index of the field that has the value, or a negative number for the attribute's default.
        var field: Int
        /// The index of the column, or a negative number for a transient attribute, which is only checked.
        var column: Int
        /// The index of the parameter. The key and the version precede the columns.
        var parameter: Int { column + 3 }
    }

    let ops: [BindOp]
    /// By op, the attribute that handles a value that the op cannot bind as it is.
    let opPlaces: [Place]
    /// The attributes that no op can bind.
    let places: [Place]
    /// The attributes that have their default value in every row.
    let defaults: [Place]

    /// - Parameter looksAtAll: Whether every value must be inspected before it is bound.
    init(_ layout: WriteLayout, columns: EntityColumns, looksAtAll: Bool) {
        let fields = Dictionary(
            layout.fields.indices.map { (layout.fields[$0].slot, $0) }, uniquingKeysWith: { first, _ in first })
        var (ops, opPlaces): ([BindOp], [Place]) = ([], [])
        var (places, defaults): ([Place], [Place]) = ([], [])
        for (index, column) in columns.attributes.enumerated() {
            let place = Place(slot: column.slot, field: fields[column.slot] ?? -1, column: index)
            guard place.field >= 0 else {
                defaults.append(place)
                continue
            }
            let field = layout.fields[place.field]
            let traits = columns.entity.traits[column.slot]
            if !looksAtAll, field.offset >= 0, let width = traits.width(of: field.kind) {
                ops.append(
                    BindOp(
                        parameter: Int32(place.parameter), kind: field.kind, width: width,
                        isRequired: !traits.isOptional, offset: field.offset))
                opPlaces.append(place)
            } else {
                places.append(place)
            }
        }
        for (slot, traits) in columns.entity.traits.enumerated() where traits.isTransient && !traits.isDerived {
            let place = Place(slot: slot, field: fields[slot] ?? -1, column: -1)
            if place.field < 0 { defaults.append(place) } else { places.append(place) }
        }
        self.ops = ops
        self.opPlaces = opPlaces
        self.places = places
        self.defaults = defaults
    }
}

extension SlotTraits {
    /// Returns the range of values of a kind that the attribute's column accepts as they are, or nil if each value must
    /// be inspected.
    func width(of kind: FieldKind) -> BindOp.Width? {
        guard kind.isPlain, !hasRules, !allowsExternalStorage else { return nil }
        switch (type, kind) {
        case (.boolean, .bool), (.boolean, .optionalBool), (.double, .float), (.double, .optionalFloat),
            (.double, .double), (.double, .optionalDouble), (.date, .date), (.date, .optionalDate), (.string, .string),
            (.string, .optionalString), (.uuid, .uuid), (.uuid, .optionalUUID), (.binaryData, .data),
            (.binaryData, .optionalData), (.transformable, .data), (.transformable, .optionalData):
            return .full
        case (.float, .float), (.float, .optionalFloat), (.float, .double), (.float, .optionalDouble): return .float
        case (.integer64, _) where kind.isInteger: return .full
        case (.integer32, _) where kind.isInteger: return .integer32
        case (.integer16, _) where kind.isInteger: return .integer16
        default: return nil
        }
    }
}

extension FieldKind {
    fileprivate var isInteger: Bool {
        switch self {
        case .int, .int16, .int32, .int64, .optionalInt, .optionalInt16, .optionalInt32, .optionalInt64: true
        default: false
        }
    }
}
