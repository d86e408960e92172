#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

/// A writer that collects the values of a batch as rows of one entity, in the form in which COPY sends them.
final class ServerRowWriter {
    let columns: ServerColumns
    let layout: WriteLayout
    let map: ServerBatchColumns
    /// The rows that are not written yet.
    var rows: CopyWriter
    // A pointer, so that the loop over the rows retains nothing.
    private let ops: UnsafeMutableBufferPointer<BindOp>
    private let constants: [UInt8]
    /// The reason why no row of the entity can be inserted this way, or nil if rows can be inserted.
    let refusal: CoreDataError?

    /// - Parameter time: Returns the time of the transaction.
    init(
        _ layout: WriteLayout, columns: ServerColumns, time: () throws -> Date
    ) throws {
        self.columns = columns
        self.layout = layout
        let map = try ServerBatchColumns(layout, columns: columns, time: time)
        self.map = map
        refusal = CoreDataError.refusal(ofRowsOf: columns.entity, defaults: map.defaults.lazy.map(\.slot))
        rows = CopyWriter(collecting: map.types)
        var example = CopyWriter(collecting: map.constants.map(\.type))
        try example.beginRow()
        for (value, type) in map.constants where !example.write(value, as: type) {
            throw Self.tooLong(columns.entity)
        }
        constants = map.constants.isEmpty ? [] : example.collectedFields
        ops = .allocate(capacity: map.ops.count)
        _ = ops.initialize(from: map.ops)
    }

    deinit { ops.deallocate() }

    var entity: CompiledEntity { columns.entity }

    /// The table and the columns, as a statement that inserts names them.
    var target: String { "\(columns.table) (\(map.names.joined(separator: ", ")))" }

    // MARK: Rows

    /// Adds a row for each of some adjacent values, with consecutive keys.
    ///
    /// - Throws: The errors of values that a save would reject. The rows before the value were added.
    func add(_ start: UnsafeRawPointer, count: Int, firstKey: Int64) throws {
        try add(start, count: count, firstKey: firstKey, to: &rows)
    }

    private func add(_ start: UnsafeRawPointer, count: Int, firstKey: Int64, to rows: inout CopyWriter) throws {
        let ops = UnsafeBufferPointer(self.ops)
        let (constants, constantCount) = (constants, map.constants.count)
        let hasMore = !map.places.isEmpty || !map.derived.isEmpty
        let stride = layout.stride
        for offset in 0..<count {
            let row = start + offset * stride
            try rows.beginRow()
            _ = rows.write(firstKey + Int64(offset))
            if constantCount > 0 { _ = rows.write(fields: constants, count: constantCount) }
            var index = rows.write(ops, of: row)
            do {
                while index < ops.count {
                    try write(map.opPlaces[index], of: row, to: &rows)
                    index = rows.write(ops, from: index + 1, of: row)
                }
                if hasMore { try writeMore(of: row, to: &rows) }
            } catch {
                rows.abandonRow()
                throw error
            }
        }
        try rows.endRow()
    }

    private func writeMore(of row: UnsafeRawPointer, to rows: inout CopyWriter) throws {
        for place in map.places { try write(place, of: row, to: &rows) }
        for item in map.derived {
            let value = try item.derived.value(of: checkedValue(item.source, of: row), in: entity)
            guard rows.write(value, as: item.derived.place.type) else { throw Self.tooLong(entity) }
        }
    }

    /// Writes a value that must be inspected.
    private func write(_ place: ServerBatchColumns.Place, of row: UnsafeRawPointer, to rows: inout CopyWriter) throws {
        let value = try checkedValue(place, of: row)
        guard place.attribute >= 0 else { return }
        if writePlain(value, place: place, to: &rows) { return }
        let attribute = columns.attributes[place.attribute]
        guard rows.write(try ServerValue(value, for: attribute, of: entity), as: place.columnType) else {
            throw Self.tooLong(entity, attribute: attribute.attribute.name)
        }
    }

    /// Writes the value of an attribute whose column stores it unchanged, or returns false, with nothing written, for any
    /// other value.
    private func writePlain(
        _ value: AttributeValue, place: ServerBatchColumns.Place, to rows: inout CopyWriter
    ) -> Bool {
        switch (place.type, value) {
        case (_, .null): rows.writeNull()
        case (.string, .string(let text)): rows.write(text)
        case (.integer64, .int(let number)), (.integer32, .int(let number)), (.integer16, .int(let number)):
            rows.write(number)
        case (.boolean, .bool(let flag)): rows.write(flag)
        case (.double, .double(let number)) where !number.isNaN: rows.write(number)
        case (.decimal, .decimal(let number)): rows.write(number)
        case (.date, .date(let date)) where place.columnType == .timestamptz: rows.write(date)
        case (.uuid, .uuid(let uuid)): rows.write(uuid)
        case (.binaryData, .data(let data)), (.transformable, .data(let data)): rows.write(data)
        default: false
        }
    }

    /// Returns the value of an attribute in the attribute's own representation.
    private func checkedValue(_ place: ServerBatchColumns.Place, of row: UnsafeRawPointer) throws -> AttributeValue {
        guard place.field >= 0 else { return entity.defaultValues[place.slot] }
        return try entity.checked(try layout.read(row, place.field), slot: place.slot)
    }

    /// Returns the value of an attribute in the attribute's own representation.
    func checkedValue(slot: Int, of row: UnsafeRawPointer) throws -> AttributeValue {
        guard let field = layout.fields.firstIndex(where: { $0.slot == slot }) else {
            return entity.defaultValues[slot]
        }
        return try entity.checked(try layout.read(row, field), slot: slot)
    }

    /// Returns the values of given attributes that have columns.
    ///
    /// - Parameters:
    ///   - given: The slots of the attributes.
    ///   - columns: The columns to leave out.
    func values(of row: UnsafeRawPointer, given: SlotSet, without left: [String]) throws -> [(
        place: ServerColumns.Attribute, value: ServerValue
    )] {
        var values: [(place: ServerColumns.Attribute, value: ServerValue)] = []
        for (index, field) in layout.fields.enumerated() where given.contains(field.slot) {
            guard let place = columns.attribute(field.slot), !left.contains(place.column) else { continue }
            let value = try entity.checked(try layout.read(row, index), slot: field.slot)
            values.append((place, try ServerValue(value, for: place, of: entity)))
        }
        return values
    }

    private static func tooLong(_ entity: CompiledEntity, attribute: String? = nil) -> CoreDataError {
        CoreDataError(
            NSManagedObjectValidationError,
            "A value of \(attribute.map { "'\(entity.name).\($0)'" } ?? entity.name) is too long for a message to the server, which holds a gibibyte. Nothing was saved.",
            entity: entity.name, key: attribute)
    }

    // MARK: Statements

    /// Some of the collected rows, as statements send them.
    struct Selection {
        /// The indices of the rows.
        var rows: [Int]

        init(_ rows: some Sequence<Int>) { self.rows = Array(rows) }
    }

    /// Returns the statement that inserts some of the collected rows.
    func insertion(of selection: Selection) throws -> SQLStatement {
        let (table, parameters) = try unnest(selection)
        return SQLStatement("INSERT INTO \(target) SELECT * FROM \(table)", with: parameters)
    }

    /// Returns columns of some of the collected rows as a table `u`, in which they have the names `c0`, `c1` and so on.
    ///
    /// - Parameters:
    ///   - columns: The indices of the columns; nil for all.
    ///   - versions: The values of a further column `v`; empty for no such column.
    ///   - isNumbered: Whether the table has the number of each row as `n`, from 1 on.
    func unnest(
        _ selection: Selection, columns: [Int]? = nil, versions: [Int64] = [], isNumbered: Bool = false
    ) throws -> (sql: String, parameters: Parameters) {
        let parameters = Parameters()
        let columns = columns ?? Array(map.types.indices)
        let offsets = rows.fieldOffsets
        for column in columns {
            guard parameters.append(column, of: rows, offsets: offsets, at: selection.rows) else {
                throw Self.tooLong(entity)
            }
        }
        var names = columns.map { "c\($0)" }
        if !versions.isEmpty {
            parameters.append(keys: versions)
            names.append("v")
        }
        let arrays = (0..<parameters.count).map { "$\($0 + 1)" }.joined(separator: ", ")
        if isNumbered { names.append("n") }
        return (
            "unnest(\(arrays))\(isNumbered ? " WITH ORDINALITY" : "") u(\(names.joined(separator: ", ")))", parameters
        )
    }
}
#endif
