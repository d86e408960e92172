import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormStore

/// The values of derived attributes that a save cannot compute again, such as the time of a save. An import copies them
/// from the dump.
final class DerivedValues {
    private enum Value {
        case value(AttributeValue)
        case exact(ExactValue)
    }

    private let model: CompiledModel
    /// The attributes that have such values, by entity, starting at 1.
    private let slots: [[Int]]
    private let hasAny: Bool
    private var values: [(row: RowID, slot: Int, value: Value)] = []

    init(_ model: CompiledModel) {
        self.model = model
        slots = model.entities.map { entity in
            entity.attributes.indices.filter {
                entity.attributes[$0].derivation != nil && !entity.attributes[$0].isTransient
                    && !model.restoresDerivation($0, of: entity)
            }
        }
        hasAny = slots.contains { !$0.isEmpty }
    }

    /// Collects the values of an object of the dump. The dump may be a pipe, and is read only once.
    func add(_ object: DumpReader.Object) {
        guard hasAny else { return }
        for slot in slots[object.entity.number - 1] {
            if let exact = object.exact[slot] {
                values.append((object.row, slot, .exact(exact)))
            } else if object.attributes[slot] != .null {
                values.append((object.row, slot, .value(object.attributes[slot])))
            }
        }
    }

    /// Collects one date for all such attributes of an object that hold dates.
    func add(_ date: Date, of row: RowID) {
        for slot in slots[row.entity - 1] where model[row.entity].attributes[slot].type == .date {
            values.append((row, slot, .value(.date(date))))
        }
    }

    /// Writes the values to the store after it was filled and closed, because every save overwrites them with its own
    /// time.
    func write(to store: URL) throws {
        guard !values.isEmpty else { return }
        let layout = StoreLayout(model: model)
        let connection = try Connection(.file(path: store.path), options: .init(access: .readWrite))
        try connection.transaction(.immediate) {
            for (row, slot, value) in values {
                guard let column = layout.column(ofAttribute: slot, in: row.entity) else { continue }
                let table = StoreReport.quoted(layout.table(of: model[row.entity]))
                var statement = try connection.statement(
                    "UPDATE \(table) SET \(StoreReport.quoted(column)) = ? WHERE Z_PK = ?")
                switch value {
                case .value(let value): try Self.bind(value, to: &statement)
                case .exact(let value): try statement.bind(value, at: 1)
                }
                try statement.bind(row.key, at: 2)
                try statement.run()
            }
        }
    }

    private static func bind(_ value: AttributeValue, to statement: inout Statement) throws {
        switch value {
        case .null, .object: try statement.bindNull(at: 1)
        case .bool(let flag): try statement.bind(flag, at: 1)
        case .int(let number): try statement.bind(number, at: 1)
        case .double(let number): try statement.bind(number, at: 1)
        case .decimal(let number): try bind(DecimalColumn.store(number), to: &statement)
        case .string(let text): try statement.bind(text, at: 1)
        case .date(let date): try statement.bind(date.timeIntervalSinceReferenceDate, at: 1)
        case .data(let data): try statement.bind(data, at: 1)
        case .uuid(let uuid): try statement.bind(uuid, at: 1)
        case .url(let url): try statement.bind(url.absoluteString, at: 1)
        }
    }

    private static func bind(_ value: StoredValue?, to statement: inout Statement) throws {
        switch value {
        case .integer(let number)?: try statement.bind(number, at: 1)
        case .real(let number)?: try statement.bind(number, at: 1)
        case .text(let text)?: try statement.bind(text, at: 1)
        case .blob, .uuid, .null, nil: try statement.bindNull(at: 1)
        }
    }
}
