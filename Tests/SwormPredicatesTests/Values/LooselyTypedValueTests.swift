import Foundation
import SwormPredicates
import Testing

@Suite("Values of loose type")
struct LooselyTypedValueTests {
    @Test(arguments: [0, 1, -1, 2.5] as [Decimal])
    func `a decimal number stays one, whatever its value`(value: Decimal) {
        #expect(AttributeValue(any: value) == .decimal(value))
        #expect(AttributeValue(any: NSDecimalNumber(decimal: value)) == .decimal(value))
        #expect(AttributeValue(any: NSDecimalNumber(decimal: value) as Any?) == .decimal(value))
    }

    @Test func `Booleans and small integers are distinguished`() {
        #expect(AttributeValue(any: true) == .bool(true))
        #expect(AttributeValue(any: NSNumber(value: true)) == .bool(true))
        #expect(AttributeValue(any: NSNumber(value: false)) == .bool(false))
        #expect(AttributeValue(any: 1) == .int(1))
        #expect(AttributeValue(any: NSNumber(value: 1)) == .int(1))
        #expect(AttributeValue(any: NSNumber(value: 0)) == .int(0))
        #expect(AttributeValue(any: Int8(1)) == .int(1))
    }

    @Test func `floating-point numbers stay that`() {
        #expect(AttributeValue(any: 1.0) == .double(1))
        #expect(AttributeValue(any: NSNumber(value: 0.0)) == .double(0))
        #expect(AttributeValue(any: Float(0.5)) == .double(0.5))
    }

    @Test func `nil is null, and values that no attribute can hold are rejected`() {
        #expect(AttributeValue(any: nil) == .null)
        #expect(AttributeValue(any: NSNull()) == .null)
        #expect(AttributeValue(any: Int?.none as Any) == .null)
        #expect(AttributeValue(any: UInt64.max) == nil)
        #expect(AttributeValue(any: [1]) == nil)
    }
}
