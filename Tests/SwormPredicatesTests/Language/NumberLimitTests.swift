import SwormPredicates
import Testing

@Suite("Numbers at the ends of their ranges")
struct NumberLimitTests {
    private func value(_ text: String) throws -> AttributeValue? {
        if case .value(let value) = try parseExpression(text) { value } else { nil }
    }

    @Test func `64-bit integers are exact`() throws {
        #expect(try value("9223372036854775807") == .int(.max))
        #expect(try value("-9223372036854775808") == .int(.min))
        #expect(try value("-0") == .int(0))
    }

    @Test(arguments: [
        ("9223372036854775808", 9223372036854775808.0), ("18446744073709551616", 18446744073709551616.0),
        ("-9223372036854777856", -9223372036854777856.0), ("100000000000000000000", 1e20), ("1e20", 1e20),
        ("9223372036854775809.0", 9223372036854775808.0), ("4.9e-324", .leastNonzeroMagnitude), ("0e-999", 0),
        ("0.000e-999", 0),
        ("00009223372036854775808", 9223372036854775808.0),
    ])
    func `larger ones are floating-point numbers where those are the same`(text: String, number: Double) throws {
        #expect(try value(text) == .double(number))
    }

    @Test(arguments: [
        "9223372036854775809", "-9223372036854775809", "18446744073709551615", "18446744073709551617",
        "99999999999999999999", "-123456789012345678901234567890",
    ])
    func `an integer that no number is equal to is an error that names it`(text: String) {
        let error = #expect(throws: QueryError.self) { try parsePredicate("age == \(text)") }
        #expect(error?.message.contains(text.drop { $0 == "-" }) == true)
        #expect(error?.message.contains("64 bits") == true, "\(String(describing: error))")
    }

    @Test(arguments: ["1e-400", "0.0001e-320000", "4e-325"])
    func `a number below the smallest is an error that names it`(text: String) {
        let error = #expect(throws: QueryError.self) { try parsePredicate("price == \(text)") }
        #expect(error?.message.contains(text) == true && error?.message.contains("smallest") == true)
    }
}
