package import SwormSQLite
import FoundationEssentials

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
