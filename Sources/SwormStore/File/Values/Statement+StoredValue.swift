import Foundation
import SwormPredicates
import SwormSQLite
import SwormRows

extension Statement {
    mutating func bind(_ value: StoredValue, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let number): try bind(number, at: index)
        case .real(let number): try bind(number, at: index)
        case .text(let text): try bind(text, at: index)
        case .blob(let data): try bind(data, at: index)
        case .uuid(let uuid): try bind(uuid, at: index)
        }
    }

    mutating func bind(_ value: StoredValue, at index: Int, in arena: BindingArena) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let number): try bind(number, at: index)
        case .real(let number): try bind(number, at: index)
        case .text(let text): try bind(text, at: index, in: arena)
        case .blob(let data): try bind(data, at: index, in: arena)
        case .uuid(let uuid): try bind(uuid, at: index, in: arena)
        }
    }

    /// Binds the value of an attribute whose column stores it unchanged, or returns false, with nothing bound, for any
    /// other value.
    mutating func bindPlain(
        _ value: AttributeValue, as type: AttributeType, at index: Int, in arena: BindingArena
    ) throws -> Bool {
        switch (type, value) {
        case (_, .null): try bindNull(at: index)
        case (.string, .string(let text)): try bind(text, at: index, in: arena)
        case (.integer64, .int(let number)): try bind(number, at: index)
        case (.integer32, .int(let number)) where Int32(exactly: number) != nil: try bind(number, at: index)
        case (.integer16, .int(let number)) where Int16(exactly: number) != nil: try bind(number, at: index)
        case (.boolean, .bool(let flag)): try bind(flag, at: index)
        case (.double, .double(let number)) where !number.isNaN: try bind(number, at: index)
        case (.date, .date(let date)) where !date.timeIntervalSinceReferenceDate.isNaN:
            try bind(date.timeIntervalSinceReferenceDate, at: index)
        case (.uuid, .uuid(let uuid)): try bind(uuid, at: index, in: arena)
        default: return false
        }
        return true
    }

    /// Binds values to consecutive parameters, starting with the first one.
    mutating func bind(_ values: [StoredValue]) throws {
        for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
    }

    mutating func bind(_ values: [SQLBinding]) throws {
        for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
    }

    mutating func bind(_ value: SQLBinding, at index: Int) throws {
        switch value {
        case .null: try bindNull(at: index)
        case .int64(let number): try bind(number, at: index)
        case .double(let number): try bind(number, at: index)
        case .text(let text): try bind(text, at: index)
        case .blob(let data): try bind(data, at: index)
        // The statements of SQLite's dialect have no other values.
        case .bool, .uuid, .date, .decimal, .integers, .doubles, .texts, .uuids, .dates, .decimals, .blobs:
            throw SQLiteError(code: SQLiteError.misuse, message: "a file has no values of this type")
        }
    }

    /// Returns the value of a column in the current row.
    borrowing func storedValue(_ column: Int) -> StoredValue {
        switch type(column) {
        case .null: .null
        case .integer: .integer(int64(column))
        case .real: .real(double(column))
        case .text: .text(text(column) ?? "")
        case .blob: .blob(data(column) ?? Data())
        }
    }
}
