import Foundation
import SwormPredicates
import SwormSQLite
import SwormRows

/// Aggregate functions that compute with all digits of decimals. SQLite's own aggregates use only the first digits of a
/// number that is stored as text, or treat it as larger than all other numbers.
enum DecimalAggregates {
    /// The name of a function that returns whether the value of a column is read as a decimal.
    static let test = "SwormIsDecimal"

    static func registerTest(on connection: Connection) throws {
        try connection.addFunction(test, argumentCount: 1, deterministic: true) { call in
            let isDecimal =
                switch call.type(0) {
                case .null, .integer: true
                case .real: DecimalText.isRepresentable(call.double(0))
                case .text: call.text(0).flatMap { DecimalText.decimal($0) } != nil
                case .blob: false
                }
            return .integer(isDecimal ? 1 : 0)
        }
    }

    static func register(on connection: Connection) throws {
        try connection.addAggregate(DecimalFunction.sum) { Sum() }
        try connection.addAggregate(DecimalFunction.minimum) { Extreme(isLargest: false) }
        try connection.addAggregate(DecimalFunction.maximum) { Extreme(isLargest: true) }
    }

    /// A number of a column. The decimal is nil if the number is not representable as one; the double is used in that
    /// case.
    private struct Number {
        var exact: Decimal?
        var double: Double
        var stored: FunctionResult

        init?(_ call: borrowing FunctionContext) {
            double = call.double(0)
            switch call.type(0) {
            case .integer:
                stored = .integer(call.int64(0))
                exact = Decimal(call.int64(0))
            case .real:
                stored = .real(double)
                exact = DecimalColumn.number(from: double)
            case .text:
                let text = call.text(0) ?? ""
                stored = .text(text)
                exact = (StoredValue.text(text).object(as: .decimal) as? NSDecimalNumber)?.decimalValue
                if exact?.isNaN == true { exact = nil }
            case .null, .blob: return nil
            }
        }
    }

    private final class Sum: Accumulator {
        /// The sum of the integers added since `total` was last changed. Most decimals are small integers.
        private var whole: Int64 = 0
        private var total: Decimal?
        private var double = 0.0
        private var isExact = true
        private var isEmpty = true

        func add(_ call: borrowing FunctionContext) {
            if call.type(0) == .integer {
                let next = whole.addingReportingOverflow(call.int64(0))
                if !next.overflow {
                    whole = next.partialValue
                    double += call.double(0)
                    isEmpty = false
                    return
                }
            }
            guard let number = Number(call) else { return }
            isEmpty = false
            double += number.double
            if let exact = number.exact { total = (total ?? 0) + exact } else { isExact = false }
        }

        func result() -> FunctionResult {
            guard !isEmpty else { return .null }
            guard isExact else { return .real(double) }
            guard let total else { return .integer(whole) }
            return switch DecimalColumn.store(total + Decimal(whole)) {
            case .integer(let number)?: .integer(number)
            case .real(let number)?: .real(number)
            case .text(let text)?: .text(text)
            // The number has too many digits before the decimal point.
            case .null, .blob, .uuid, nil: .real(double)
            }
        }
    }

    private final class Extreme: Accumulator {
        private let isLargest: Bool
        private var best: Number?

        init(isLargest: Bool) { self.isLargest = isLargest }

        func add(_ call: borrowing FunctionContext) {
            guard let number = Number(call) else { return }
            guard let best else {
                self.best = number
                return
            }
            let isBetter =
                if let one = number.exact, let other = best.exact {
                    isLargest ? one > other : one < other
                } else {
                    isLargest ? number.double > best.double : number.double < best.double
                }
            if isBetter { self.best = number }
        }

        func result() -> FunctionResult { best?.stored ?? .null }
    }
}
