#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

/// A value that a column of a server stores unchanged.
enum ServerValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case text(String)
    case bytes(Data)
    case uuid(UUID)
    /// A date in the range of the server, in whole microseconds.
    case date(Date)
    case decimal(Decimal)
}

extension ServerValue {
    /// Creates the stored form of an attribute's value. A date is rounded to the microsecond.
    ///
    /// - Throws: ``CoreDataError`` for a value that the column could not return unchanged.
    init(_ value: AttributeValue, for place: ServerColumns.Attribute, of entity: CompiledEntity) throws {
        switch (place.type, value) {
        case (_, .null): self = .null
        case (.int8, .int(let number)): self = .integer(number)
        case (.bool, .bool(let flag)): self = .boolean(flag)
        case (.uuid, .uuid(let uuid)): self = .uuid(uuid)
        case (.text, .string(let text)) where place.attribute.type == .string:
            self = .text(try Self.checked(text, value: value, for: place, of: entity))
        case (.numeric, .decimal(let number)) where !number.isNaN: self = .decimal(number)
        case (.numeric, .int(let number)): self = .decimal(Decimal(number))
        default:
            let stored = try StoredValue(value, for: place.attribute, of: entity)
            self = try Self.make(stored, value: value, for: place, of: entity)
        }
    }

    /// Creates the stored form of the exact content of a column.
    ///
    /// - Throws: ``CoreDataError`` for a content that the column cannot have.
    init(_ exact: ExactValue, for place: ServerColumns.Attribute, of entity: CompiledEntity) throws {
        let value: AttributeValue
        if case .text(let bytes) = exact, String(validating: bytes, as: UTF8.self) == nil {
            throw Self.refusal("is not valid UTF-8", .data(bytes), for: place, of: entity)
        }
        let stored = StoredValue(exact)
        switch stored {
        case .null: value = .null
        case .integer(let number): value = .int(number)
        case .real(let number): value = .double(number)
        case .text(let text): value = .string(text)
        case .blob(let data): value = .data(data)
        case .uuid(let uuid): value = .uuid(uuid)
        }
        self = try Self.make(stored, value: value, for: place, of: entity)
    }

    private static func make(
        _ stored: StoredValue, value: AttributeValue, for place: ServerColumns.Attribute, of entity: CompiledEntity
    ) throws -> ServerValue {
        switch (place.type, stored) {
        case (_, .null): return .null
        case (.int8, .integer(let number)): return .integer(number)
        case (.int4, .integer(let number)) where Int32(exactly: number) != nil: return .integer(number)
        case (.int2, .integer(let number)) where Int16(exactly: number) != nil: return .integer(number)
        case (.bool, .integer(let number)) where number == 0 || number == 1: return .boolean(number == 1)
        case (.float8, .integer(let number)) where Double(exactly: number) != nil: return .real(Double(number))
        case (.float8, .real(let number)) where !number.isNaN: return .real(number)
        case (.float4, .real(let number)) where Double(Float(number)) == number: return .real(number)
        case (.float4, .integer(let number)) where Float(exactly: number) != nil: return .real(Double(number))
        case (.numeric, .integer(let number)): return .decimal(Decimal(number))
        case (.numeric, .real(let number)):
            if let decimal = DecimalColumn.number(from: number) { return .decimal(decimal) }
        case (.numeric, .text(let text)):
            if text.last == DecimalColumn.suffix, let decimal = Decimal(string: String(text.dropLast()), locale: nil) {
                return .decimal(decimal)
            }
        case (.timestamptz, .real(let seconds)): return try date(seconds, value, for: place, of: entity)
        case (.timestamptz, .integer(let seconds)): return try date(Double(seconds), value, for: place, of: entity)
        case (.text, .text(let text)): return .text(try checked(text, value: value, for: place, of: entity))
        case (.bytea, .blob(let data)): return .bytes(data)
        case (.uuid, .uuid(let uuid)): return .uuid(uuid)
        case (.uuid, .blob(let data)):
            if let uuid = data.withUnsafeBytes({ UUID(bytes: $0) }) { return .uuid(uuid) }
        default: break
        }
        throw refusal("does not fit into a column of the type \(place.type)", value, for: place, of: entity)
    }

    private static func date(
        _ seconds: Double, _ value: AttributeValue, for place: ServerColumns.Attribute, of entity: CompiledEntity
    ) throws -> ServerValue {
        guard let date = Date(timeIntervalSinceReferenceDate: seconds).roundedForServer else {
            throw refusal(
                "is out of the range of a server, which is from 4714 B.C. to the year 294276", value, for: place,
                of: entity, code: seconds > 0 ? NSValidationDateTooLateError : NSValidationDateTooSoonError)
        }
        return .date(date)
    }

    private static func checked(
        _ text: String, value: AttributeValue, for place: ServerColumns.Attribute, of entity: CompiledEntity
    ) throws -> String {
        guard text.utf8.contains(0) else { return text }
        throw refusal(
            "contains U+0000, which a server cannot store. Remove the character, or use binary data", value, for: place,
            of: entity)
    }

    /// Returns the error for a value that a column cannot store.
    static func refusal(
        _ reason: String, _ value: AttributeValue, for place: ServerColumns.Attribute, of entity: CompiledEntity,
        code: Int = NSManagedObjectValidationError
    ) -> CoreDataError {
        var shown: AttributeValue? = value
        // Foundation traps when it describes such a date, and the code that catches the error may print it.
        if case .date(let date) = value, !(abs(date.timeIntervalSinceReferenceDate) < 1e13) { shown = nil }
        return CoreDataError(
            code, "The value of '\(entity.name).\(place.attribute.name)' \(reason). Nothing was saved.",
            entity: entity.name, key: place.attribute.name, value: shown)
    }

    /// The number of bytes that the value takes in a message, roughly.
    var byteCount: Int {
        switch self {
        case .null: 4
        case .boolean: 5
        case .integer, .real, .date: 12
        case .uuid: 20
        case .decimal: 40
        case .text(let text): 4 + text.utf8.count
        case .bytes(let data): 4 + data.count
        }
    }

    /// The representation that is the same for all values that a unique index considers equal.
    var comparable: ServerValue {
        switch self {
        // Swift considers some strings equal whose bytes differ.
        case .text(let text): .bytes(Data(text.utf8))
        // An index considers the two zeros equal.
        case .real(let number) where number == 0: .real(0)
        default: self
        }
    }
}

// MARK: Sending

extension Parameters {
    /// Appends a value for a column of the type. Returns false for a value that is too long for a message.
    func append(_ value: ServerValue, as type: PostgresType) -> Bool {
        switch value {
        case .null: appendNull(type)
        case .integer(let number): append(number)
        case .real(let number): append(number)
        case .boolean(let flag): append(flag)
        case .text(let text): return append(text)
        case .bytes(let data): return append(data)
        case .uuid(let uuid): append(uuid)
        case .date(let date): return append(date)
        case .decimal(let number): return append(number)
        }
        return true
    }

    /// Appends values for a column of the type as an array, for `unnest`. Small integers and floats are sent as large ones,
    /// and an assignment converts them. Returns false for values that are too long for a message.
    func append(_ values: [ServerValue], as type: PostgresType) -> Bool {
        switch type {
        case .int2, .int4, .int8: append(values.map { if case .integer(let number) = $0 { number } else { nil } })
        case .float4, .float8: append(values.map { if case .real(let number) = $0 { number } else { nil } })
        case .bool: append(values.map { if case .boolean(let flag) = $0 { flag } else { nil } })
        case .text: append(values.map { if case .text(let text) = $0 { text } else { nil } })
        case .bytea: append(values.map { if case .bytes(let data) = $0 { data } else { nil } })
        case .uuid: append(values.map { if case .uuid(let uuid) = $0 { uuid } else { nil } })
        case .timestamptz: append(values.map { if case .date(let date) = $0 { date } else { nil } })
        case .numeric: append(values.map { if case .decimal(let number) = $0 { number } else { nil } })
        default: false
        }
    }

    /// Appends keys as an array. It is always written: a message holds more than a hundred million keys.
    func append(keys: some Collection<Int64>) { _ = append(keys.map { Optional($0) }) }
}

extension CopyWriter {
    /// Writes a value for the next column, which has the type. Returns false for a value that is too long for a message.
    mutating func write(_ value: ServerValue, as type: PostgresType) -> Bool {
        switch value {
        case .null: writeNull()
        case .integer(let number): write(number)
        case .real(let number): type == .float4 ? write(Float(number)) : write(number)
        case .boolean(let flag): write(flag)
        case .text(let text): write(text)
        case .bytes(let data): write(data)
        case .uuid(let uuid): write(uuid)
        case .date(let date): write(date)
        case .decimal(let number): write(number)
        }
    }
}

// MARK: Reading

extension PostgresResult {
    /// Returns the value of a cell as a column of the type stores it.
    func serverValue(_ row: Int, column: Int, as type: PostgresType) throws -> ServerValue {
        let value: ServerValue? =
            switch type {
            case .int2, .int4, .int8: try int64(row, column: column).map { .integer($0) }
            case .float4, .float8: try double(row, column: column).map { .real($0) }
            case .bool: try bool(row, column: column).map { .boolean($0) }
            case .text: try string(row, column: column).map { .text($0) }
            case .bytea: try data(row, column: column).map { .bytes($0) }
            case .uuid: try uuid(row, column: column).map { .uuid($0) }
            case .timestamptz: try date(row, column: column).map { .date($0) }
            case .numeric: try decimal(row, column: column).map { .decimal($0) }
            default: nil
            }
        return value ?? .null
    }
}
#endif
