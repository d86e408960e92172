import Foundation
import SwormPredicates
import SwormSQLite
import SwormRows

/// A writer that stores the values of a batch in rows of one entity, one row at a time.
final class BatchWriter {
    private let transaction: SaveTransaction
    private let columns: EntityColumns
    private let layout: WriteLayout
    private let batch: BatchColumns
    // A pointer, so that the loop over the rows retains nothing.
    private let ops: UnsafeMutableBufferPointer<BindOp>
    private let arena = BindingArena()
    private var statement: Statement
    /// The facts that the tables reveal about their columns, used if every value is inspected before it is bound.
    private var kinds = SaveTransaction.ByteKinds()
    /// The attributes with a default that goes into a file. Each row gets its own file.
    private let longDefaults: [BatchColumns.Place]
    /// Whether content that goes into a file is held back until its row is known to be new.
    private let defersContent: Bool
    /// The content that is held back, by column.
    private var waiting: [(column: String, content: Data)] = []
    /// The reason why no row of the entity can be inserted this way, or nil if rows can be inserted.
    let refusal: CoreDataError?

    /// - Parameters:
    ///   - clause: The end of the statement, after the values.
    ///   - defersContent: Whether long content is written only by ``writeContent(ofRow:)``, because the statement may
    ///     not insert a row.
    init(
        _ layout: WriteLayout, in transaction: SaveTransaction, clause: String = "", defersContent: Bool = false
    ) throws {
        self.transaction = transaction
        self.defersContent = defersContent
        self.layout = layout
        columns = transaction.columns[layout.entity - 1]
        batch = BatchColumns(layout, columns: columns, looksAtAll: transaction.limits != nil)
        refusal = CoreDataError.refusal(ofRowsOf: columns.entity, defaults: batch.defaults.lazy.map(\.slot))
        let (own, folder) = (columns, transaction.external)
        longDefaults = batch.defaults.filter { place in
            guard place.column >= 0, own.attributes[place.column].isExternal,
                case .data(let content) = own.entity.defaultValues[place.slot]
            else { return false }
            return folder.keepsInFile(content)
        }
        statement = try transaction.connection.base.statement(columns.insertion + clause)
        ops = .allocate(capacity: batch.ops.count)
        _ = ops.initialize(from: batch.ops)
        try statement.bind(1, at: 2)
        // The defaults stay bound for all rows, so SQLite copies their bytes. If a default is invalid, nothing is
        // inserted.
        for place in batch.defaults {
            guard place.column >= 0, !longDefaults.contains(where: { $0.column == place.column }) else { continue }
            let stored = try transaction.storedValue(
                columns.entity.defaultValues[place.slot], for: columns.attributes[place.column], of: columns.entity)
            try statement.bind(stored, at: place.parameter)
        }
    }

    deinit { ops.deallocate() }

    // MARK: Rows

    /// Writes one row.
    ///
    /// - Returns: The value of a RETURNING clause.
    /// - Throws: `SQLiteError` unchanged, or ``CoreDataError`` for values that a save would reject.
    func write(_ row: UnsafeRawPointer, key: Int64) throws -> Int64? {
        if !waiting.isEmpty { waiting.removeAll() }
        try statement.bind(key, at: 1)
        let ops = UnsafeBufferPointer(self.ops)
        var index = statement.bind(ops, from: 0, of: row, in: arena)
        while index < ops.count {
            try bind(batch.opPlaces[index], from: row)
            index = statement.bind(ops, from: index + 1, of: row, in: arena)
        }
        if !batch.places.isEmpty {
            for place in batch.places { try bind(place, from: row) }
        }
        if !longDefaults.isEmpty {
            for place in longDefaults { try bind(place, from: row) }
        }
        return try statement.runRow(emptying: arena)
    }

    /// Writes the content of the last written row, which was inserted, into files.
    func writeContent(ofRow key: Int64) throws {
        for (column, content) in waiting {
            let stored = try transaction.externalColumn(content)
            try transaction.connection.run(
                "UPDATE \(columns.table) SET \(column) = ? WHERE Z_PK = ?", binding: [stored, .integer(key)])
        }
        waiting.removeAll()
    }

    /// Binds a value that must be inspected.
    private func bind(_ place: BatchColumns.Place, from row: UnsafeRawPointer) throws {
        let value = try checkedValue(slot: place.slot, field: place.field, of: row)
        guard place.column >= 0 else { return }
        if let limits = transaction.limits, value != .null {
            try transaction.check(
                value, of: columns.attributes[place.column], in: columns, within: limits, kinds: &kinds)
        }
        let write = columns.writes[place.column]
        if try !write.isExternal && statement.bindPlain(value, as: write.type, at: place.parameter, in: arena) {
            return
        }
        let attribute = columns.attributes[place.column]
        if defersContent, write.isExternal, case .data(let content) = value, transaction.external.keepsInFile(content) {
            waiting.append((attribute.column, content))
            return try statement.bind(
                StoredValue.blob(ExternalDataFolder.inlineColumn(Data())), at: place.parameter, in: arena)
        }
        let stored = try transaction.storedValue(value, for: attribute, of: columns.entity)
        try statement.bind(stored, at: place.parameter, in: arena)
    }

    /// Returns the value of an attribute in the attribute's own representation.
    private func checkedValue(slot: Int, field: Int, of row: UnsafeRawPointer) throws -> AttributeValue {
        guard field >= 0 else { return columns.entity.defaultValues[slot] }
        return try columns.entity.checked(try layout.read(row, field), slot: slot)
    }

    // MARK: Unique values

    /// Returns the row that holds the unique values of a row to be written, or nil if there is no such row or one of
    /// the values is nil.
    ///
    /// - Parameter update: A row that is updated instead, with the slots of the attributes that are assigned.
    func holder(
        of row: UnsafeRawPointer, _ constraint: UniqueConstraint, updating update: (key: Int64, slots: [Int])? = nil
    ) throws -> (row: RowID, values: [AttributeValue])? {
        var values: [AttributeValue] = []
        var stored: [StoredValue] = []
        for property in constraint.properties {
            // A row without relationships cannot conflict through one.
            guard case .attribute(let slot)? = columns.entity.slot(named: property),
                let column = columns.attribute(slot), !column.isExternal
            else { return nil }
            if let update, !update.slots.contains(slot) {
                let sql = "SELECT \(column.column) FROM \(columns.table) WHERE Z_PK = ?"
                try transaction.connection.rows(sql, binding: [.integer(update.key)]) {
                    stored.append($0.storedValue(0))
                }
                values.append(stored.last?.value(as: column.attribute.type) ?? .null)
            } else {
                let field = layout.fields.firstIndex { $0.slot == slot } ?? -1
                values.append(try checkedValue(slot: slot, field: field, of: row))
                stored.append(try StoredValue(values[values.count - 1], for: column.attribute, of: columns.entity))
            }
            if stored.last ?? .null == .null { return nil }
        }
        let condition = constraint.columns.map { "\($0) = ?" }.joined(separator: " AND ")
        var found: RowID?
        try transaction.connection.rows(
            "SELECT Z_PK, Z_ENT FROM \(constraint.table) WHERE \(condition) LIMIT 1", binding: stored
        ) { found = RowID(entity: $0.int(1), key: $0.int64(0)) }
        return found.map { ($0, values) }
    }

    /// A uniqueness constraint whose values another row holds.
    struct TakenConstraint {
        let constraint: UniqueConstraint
        /// The other row.
        let row: RowID
        let values: [AttributeValue]
    }

    /// Returns the first constraint of a row to be written whose values another row holds; nil if its values are free.
    func takenConstraint(of row: UnsafeRawPointer) throws -> TakenConstraint? {
        for constraint in columns.uniqueConstraints(in: transaction.model) {
            guard let (other, values) = try holder(of: row, constraint) else { continue }
            return TakenConstraint(constraint: constraint, row: other, values: values)
        }
        return nil
    }

    /// Returns the given values for the row that holds the unique values, which it has already; nil if the row is of
    /// another entity.
    func update(
        of taken: TakenConstraint, to row: UnsafeRawPointer, given: SlotSet
    ) throws -> SlotValues? {
        guard taken.row.entity == columns.entity.number else { return nil }
        var values = SlotValues()
        for (index, field) in layout.fields.enumerated() where given.contains(field.slot) {
            guard let column = columns.attribute(field.slot)?.column, !taken.constraint.columns.contains(column) else {
                continue
            }
            values[field.slot] = try checkedValue(slot: field.slot, field: index, of: row)
        }
        return values
    }

    /// Returns the error for a row that the database rejected because another row holds a unique value.
    ///
    /// - Parameters:
    ///   - target: The constraint whose values may be held by another row, and the slots that are assigned to that row.
    ///   - isOwn: Returns whether a key belongs to a row that this batch has written.
    func takenValue(
        _ row: UnsafeRawPointer, besides target: (constraint: UniqueConstraint, slots: [Int])?, isOwn: (Int64) -> Bool
    ) throws -> CoreDataError? {
        var update: (key: Int64, slots: [Int])?
        if let target, let updated = try holder(of: row, target.constraint) {
            update = (updated.row.key, target.slots)
        }
        for constraint in columns.uniqueConstraints(in: transaction.model) where constraint != target?.constraint {
            guard let (other, values) = try holder(of: row, constraint, updating: update), other.key != update?.key
            else {
                continue
            }
            return takenValue(of: constraint, values: values, by: other, isOwn: isOwn(other.key))
        }
        return nil
    }

    func takenValue(
        of constraint: UniqueConstraint, values: [AttributeValue], by other: RowID, isOwn: Bool
    ) -> CoreDataError {
        CoreDataError.takenValue(
            of: columns.entity, constraint.properties, values: values, by: other,
            of: transaction.model.entity(numbered: Int64(other.entity)), isOwn: isOwn)
    }
}
