/// The storage class of a value. The raw values are SQLite's own.
@frozen @usableFromInline
package enum StorageClass: UInt8, Sendable, Hashable {
    case integer = 1
    case real = 2
    case text = 3
    case blob = 4
    case null = 5

    /// Creates a storage class from SQLite's code, which is one of the five.
    package init(code: Int32) { self = StorageClass(rawValue: UInt8(truncatingIfNeeded: code)) ?? .null }

    var name: String {
        switch self {
        case .integer: "integer"
        case .real: "real"
        case .text: "text"
        case .blob: "blob"
        case .null: "NULL"
        }
    }
}
