package import Foundation
package import SwormSQLite

/// What a column holds, whatever its attribute's type makes of it.
package enum ExactValue: Sendable, Hashable {
    case integer(Int64)
    case real(Double)
    /// The bytes of a text, which need not be UTF-8.
    case text(Data)
    case blob(Data)
}

extension Statement {
    package func bind(_ value: ExactValue, at index: Int) throws {
        switch value {
        case .integer(let number): try bind(number, at: index)
        case .real(let number): try bind(number, at: index)
        case .text(let bytes): try bytes.withUnsafeBytes { try bindText($0, at: index) }
        case .blob(let bytes): try bind(bytes, at: index)
        }
    }
}
