package import Foundation
package import SwormSQLite

/// What a column holds, whatever its attribute's type makes of it.
package enum ExactValue: Sendable, Hashable {
    case integer(Int64)
    case real(Double)
    /// The bytes of a text, which need not be UTF-8.
    case text(Data)
}

extension Statement {
    package func bind(_ value: ExactValue, at index: Int) throws {
        switch value {
        case .integer(let number): try bind(number, at: index)
        case .real(let number): try bind(number, at: index)
        case .text(let bytes): try bytes.withUnsafeBytes { try bindText($0, at: index) }
        }
    }
}

extension StoredValue {
    /// The value for comparing.
    init(_ value: ExactValue) {
        self =
            switch value {
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
            }
    }
}
