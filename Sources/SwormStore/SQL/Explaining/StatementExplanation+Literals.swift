import Foundation

extension StatementExplanation {
    /// The values of the parameters as SQL literals of the database. Long values are cut, with their lengths behind
    /// them.
    package var literals: [String] {
        #if PostgreSQL
        if isOnServer { return statement.bindings.map(\.serverLiteral) }
        #endif
        return statement.bindings.map(\.literal)
    }
}

extension SQLBinding {
    /// The number of bytes of binary data that a literal has.
    fileprivate static let shownBytes = 32
    /// The number of elements of an array that a literal has.
    fileprivate static let shownElements = 10

    /// The value as a literal of SQLite, whose statements have no other values than the first five.
    fileprivate var literal: String {
        switch self {
        case .int64(let number): return "\(number)"
        case .double(let number):
            if number.isInfinite { return number < 0 ? "-9e999" : "9e999" }
            return "\(number)"
        case .text(let text): return SQLName.literal(text)
        case .blob(let data):
            let shown = Self.digits(of: data)
            return data.count > Self.shownBytes ? "x'\(shown)...' (\(data.count) bytes)" : "x'\(shown)'"
        default: return "NULL"
        }
    }

    fileprivate static func digits(of data: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let bytes = data.prefix(shownBytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

#if PostgreSQL
extension SQLBinding {
    /// The value as a literal of PostgreSQL, with its type if another one could be understood.
    fileprivate var serverLiteral: String {
        switch self {
        case .null, .int64, .text: return literal
        case .double(let number):
            return number.isInfinite ? "'\(number < 0 ? "-" : "")Infinity'::float8" : "\(number)"
        case .bool(let flag): return flag ? "TRUE" : "FALSE"
        case .uuid(let identifier): return "'\(identifier.uuidString)'::uuid"
        case .date(let seconds): return "'\(ServerTimestamp.text(seconds) ?? "")'::timestamptz"
        case .decimal(let number): return "\(number)"
        case .blob(let data):
            let shown = Self.digits(of: data)
            return data.count > Self.shownBytes
                ? "'\\x\(shown)...'::bytea (\(data.count) bytes)" : "'\\x\(shown)'::bytea"
        case .integers(let values): return Self.array(values.lazy.map { .int64($0) }, of: "bigint")
        case .doubles(let values): return Self.array(values.lazy.map { .double($0) }, of: "float8")
        case .texts(let values): return Self.array(values.lazy.map { .text($0) }, of: "text")
        case .uuids(let values): return Self.array(values.lazy.map { .uuid($0) }, of: "uuid")
        case .dates(let values): return Self.array(values.lazy.map { .date($0) }, of: "timestamptz")
        case .decimals(let values): return Self.array(values.lazy.map { .decimal($0) }, of: "numeric")
        case .blobs(let values): return Self.array(values.lazy.map { .blob($0) }, of: "bytea")
        }
    }

    private static func array(_ values: some Collection<SQLBinding>, of type: String) -> String {
        let shown = values.prefix(shownElements).map(\.serverLiteral).joined(separator: ", ")
        return values.count > shownElements
            ? "ARRAY[\(shown), ...]::\(type)[] (\(values.count) values)" : "ARRAY[\(shown)]::\(type)[]"
    }
}
#endif
