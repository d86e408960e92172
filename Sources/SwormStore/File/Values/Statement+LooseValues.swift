import SwormRows
import SwormSQLite

// Values of columns that may contain anything.
extension Statement {
    /// Returns an integer; nil for any other value.
    borrowing func integer(_ column: Int) -> Int64? { type(column) == .integer ? int64(column) : nil }

    /// Returns a number; nil for any other value.
    borrowing func number(_ column: Int) -> Double? {
        [.integer, .real].contains(type(column)) ? double(column) : nil
    }

    /// Returns a truth value; nil for any value but 0 and 1.
    borrowing func flag(_ column: Int) -> Bool? {
        switch integer(column) {
        case 0?: false
        case 1?: true
        default: nil
        }
    }
}
