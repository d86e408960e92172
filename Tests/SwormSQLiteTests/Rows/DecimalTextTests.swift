import Foundation
import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("Decimals from stored values")
struct DecimalTextTests {
    @Test(arguments: ["0", "-1", "+1.5", ".5", "5.", "1e3", "12.34E-5", "123456789012345678901234567890.12345678"])
    func `numbers as strings are accepted`(text: String) {
        #expect(DecimalText.decimal(text) == Decimal(string: text))
        #expect(DecimalText.decimal(text) != nil)
    }

    @Test(arguments: [
        "", " 1", "1 ", "1,5", "abc", "12abc", "--1", "1e", "1e+", ".", "+", "1.2.3", "NaN", "inf", "0x10", "1e99999",
    ])
    func `anything else is rejected`(text: String) { #expect(DecimalText.decimal(text) == nil) }

    @Test func `a string that is too long for any decimal is rejected`() {
        #expect(DecimalText.decimal(String(repeating: "0", count: 10_000)) == nil)
    }

    @Test func `doubles are converted by their shortest string`() {
        #expect(DecimalText.decimal(0.1) == Decimal(string: "0.1"))
        #expect(DecimalText.decimal(-2.5e-10) == Decimal(string: "-0.00000000025"))
        #expect(DecimalText.decimal(1e20) == Decimal(string: "100000000000000000000"))
        #expect(DecimalText.decimal(-0.0) == 0)
        for value in [Double.infinity, -.infinity, .nan, 1e200, 1e-200] { #expect(DecimalText.decimal(value) == nil) }
    }
}
