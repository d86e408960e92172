import Foundation
import SwormPredicates
import Testing

@Suite("Values from loosely typed numbers")
struct LooseNumberTests {
    @Test func `a decimal number stays one, also where it could be a truth value`() {
        for text in ["0", "1", "-1", "12.50", "12345678901234567890.123456789"] {
            let decimal = Decimal(string: text) ?? .nan
            #expect(AttributeValue(any: NSDecimalNumber(decimal: decimal)) == .decimal(decimal))
            #expect(AttributeValue(any: decimal) == .decimal(decimal))
        }
    }

    @Test func `truth values and other numbers keep their kind`() {
        #expect(AttributeValue(any: NSNumber(value: true)) == .bool(true))
        #expect(AttributeValue(any: false) == .bool(false))
        #expect(AttributeValue(any: 1) == .int(1))
        #expect(AttributeValue(any: NSNumber(value: 2.5)) == .double(2.5))
        #expect(AttributeValue(any: UInt64.max) == nil)
    }
}
