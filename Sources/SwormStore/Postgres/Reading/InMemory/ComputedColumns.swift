#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates

/// Columns of values that were computed in memory, in the types of a server.
enum ComputedColumns {
    /// Returns the types in which all values of columns can be represented.
    static func types(of rows: [[AttributeValue]], count: Int) -> [PostgresType] {
        (0..<count).map { column in
            let type = rows.reduce(nil) { type, row in common(type, other: kind(of: row[column])) } ?? .text
            guard type == .float8, rows.contains(where: { losesDigits($0[column]) }) else { return type }
            // The decimals of real numbers read as the same real numbers.
            return rows.allSatisfy { isDecimal($0[column]) } ? .numeric : .float8
        }
    }

    /// Whether a number has more digits than a real number.
    private static func losesDigits(_ value: AttributeValue) -> Bool {
        switch value {
        case .int(let number): Int64(exactly: Double(number)) != number
        case .decimal(let number): DecimalColumn.number(from: number.nearestDouble) != number
        default: false
        }
    }

    /// Whether a number or NULL can be represented as a decimal.
    private static func isDecimal(_ value: AttributeValue) -> Bool {
        switch value {
        case .null, .bool, .int, .decimal: true
        case .double(let number): DecimalColumn.number(from: number) != nil
        default: false
        }
    }

    private static func kind(of value: AttributeValue) -> PostgresType? {
        switch value {
        case .null: nil
        case .bool: .bool
        case .int, .object: .int8
        case .double, .date: .float8
        case .decimal: .numeric
        case .string, .url: .text
        case .data: .bytea
        case .uuid: .uuid
        }
    }

    /// Returns a type for the values of two types. A column can have numbers of several types.
    private static func common(_ one: PostgresType?, other: PostgresType?) -> PostgresType? {
        guard let one, let other, one != other else { return one ?? other }
        let types = [one, other]
        if types.contains(.float8) { return .float8 }
        return types.contains(.numeric) ? .numeric : .int8
    }

    /// Returns a value in the form of its column.
    static func value(_ value: AttributeValue, as type: PostgresType) -> ResultMaker.Value {
        switch value {
        case .null: .null
        case .bool(let flag): .bool(flag)
        case .int(let number): .integer(number)
        case .double(let number):
            (type == .numeric ? DecimalColumn.number(from: number).map { .decimal($0) } : nil) ?? .real(number)
        case .decimal(let number): type == .float8 ? .real(number.nearestDouble) : .decimal(number)
        case .date(let date): .real(date.timeIntervalSinceReferenceDate)
        case .string(let text): .text(text)
        case .url(let url): .text(url.absoluteString)
        case .data(let data): .bytes(data)
        case .uuid(let uuid): .uuid(uuid)
        case .object(let reference): .integer(reference.key)
        }
    }
}
#endif
