#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import SwormStore

@Suite("Values of parameters as literals of SQL")
struct ExplanationLiteralTests {
    private func literals(_ values: [SQLBinding], isOnServer: Bool) -> [String] {
        var explanation = StatementExplanation(
            statement: CompiledStatement(sql: "SELECT 1", bindings: values), steps: [], findings: [])
        explanation.isOnServer = isOnServer
        return explanation.literals
    }

    private let values: [SQLBinding] = [
        .int64(-7), .double(1.5), .double(-.infinity), .double(1e300), .text("it's \\ $1"), .bool(true), .bool(false),
        .uuid(UUID()), .date(700_000_000.123_457), .date(-63_114_076_800), .decimal(Decimal(string: "-0.125") ?? 0),
        .blob(Data([0, 255])), .blob(Data()), .integers([1, -2]), .doubles([0.5, .infinity]), .texts(["a'b", "\\"]),
        .uuids([UUID()]), .dates([0.000_001]), .decimals([1, 2.5]), .blobs([Data([1]), Data()]), .integers([]),
    ]

    @Test(.enabled(if: PostgresServer.isEnabled))
    func `a server reads them as the values`() throws {
        let connection = try DriverConnection()
        for (value, literal) in zip(values, literals(values, isOnServer: true)) {
            let found = try connection.rows("SELECT CASE WHEN \(literal) = $1 THEN 1 ELSE 0 END", [value])
            #expect(found == [[1]], "\(literal)")
        }
    }

    @Test func `long ones are cut`() {
        let long = Data(repeating: 0xAB, count: 40)
        let shown = String(repeating: "ab", count: 32)
        #expect(literals([.blob(long)], isOnServer: true) == ["'\\x\(shown)...'::bytea (40 bytes)"])
        #expect(literals([.blob(long)], isOnServer: false) == ["x'\(shown)...' (40 bytes)"])
        #expect(
            literals([.integers(Array(1...11))], isOnServer: true)
                == ["ARRAY[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, ...]::bigint[] (11 values)"])
    }

    @Test func `those of a file are SQLite's`() {
        #expect(
            literals([.null, .int64(3), .double(-.infinity), .text("a'b"), .blob(Data([1]))], isOnServer: false)
                == ["NULL", "3", "-9e999", "'a''b'", "x'01'"])
    }
}
#endif
