import Foundation
import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("Binding the properties of structs")
struct FieldBindingTests {
    struct Row {
        var bool = true
        var int = -1
        var int16: Int16 = -2
        var int32: Int32 = -3
        var int64: Int64 = .max
        var float: Float = 0.5
        var double = 1e300
        var date = Date(timeIntervalSinceReferenceDate: 2.5)
        var string = "tëxt\u{0}end"
        var data = Data([0, 1])
        var uuid = UUID()
        var optionalBool: Bool? = false
        var optionalInt: Int? = 5
        var optionalInt16: Int16? = 6
        var optionalInt32: Int32? = 7
        var optionalInt64: Int64? = 8
        var optionalFloat: Float? = 0.25
        var optionalDouble: Double? = 0.125
        var optionalDate: Date? = Date(timeIntervalSinceReferenceDate: -1)
        var optionalString: String? = ""
        var optionalData: Data? = Data()
        var optionalUUID: UUID? = UUID()
    }

    private let connection: Connection
    init() throws { connection = try memory() }

    private func op<Value>(
        _ keyPath: WritableKeyPath<Row, Value>, _ parameter: Int32 = 1, width: BindOp.Width = .full,
        isRequired: Bool = false
    ) throws -> BindOp {
        BindOp(
            parameter: parameter, kind: FieldKind(Value.self), width: width, isRequired: isRequired,
            offset: try #require(MemoryLayout<Row>.offset(of: keyPath)))
    }

    /// How many ops were bound, and what SQLite makes of each parameter.
    private func bind(_ ops: [BindOp], _ row: Row) throws -> (count: Int, values: [String]) {
        let values = ops.map { "?\($0.parameter)" }
        let columns = values.map { "typeof(\($0)), CASE typeof(\($0)) WHEN 'real' THEN \($0) ELSE hex(\($0)) END" }
        var statement = try connection.statement("SELECT \(columns.joined(separator: ", "))")
        let arena = BindingArena()
        return try withUnsafeBytes(of: row) { bytes in
            let start = try #require(bytes.baseAddress)
            let count = ops.withUnsafeBufferPointer { statement.bind($0, from: 0, of: start, in: arena) }
            #expect(try statement.step())
            return (
                count, (0..<ops.count).map { "\(statement.text($0 * 2) ?? "") \(statement.text($0 * 2 + 1) ?? "")" }
            )
        }
    }

    private func hex(_ bytes: some Sequence<UInt8>) -> String { bytes.map { String(format: "%02X", $0) }.joined() }
    private func hex(_ uuid: UUID) -> String { withUnsafeBytes(of: uuid.uuid) { hex($0) } }

    @Test func `every kind is bound as its column keeps it`() throws {
        let row = Row()
        let ops = [
            try op(\.bool, 1), try op(\.int, 2), try op(\.int16, 3), try op(\.int32, 4), try op(\.int64, 5),
            try op(\.float, 6), try op(\.double, 7), try op(\.date, 8), try op(\.string, 9), try op(\.data, 10),
            try op(\.uuid, 11), try op(\.optionalBool, 12), try op(\.optionalInt, 13), try op(\.optionalInt16, 14),
            try op(\.optionalInt32, 15), try op(\.optionalInt64, 16), try op(\.optionalFloat, 17),
            try op(\.optionalDouble, 18), try op(\.optionalDate, 19), try op(\.optionalString, 20),
            try op(\.optionalData, 21), try op(\.optionalUUID, 22),
        ]
        #expect(ops.allSatisfy { $0.kind.isPlain })
        let bound = try bind(ops, row)
        #expect(bound.count == ops.count)
        let integers = [
            "1", "-1", "-2", "-3", "9223372036854775807", "0", "5", "6", "7", "8",
        ].map { "integer \(hex($0.utf8))" }
        let required: [String] = [
            "real 0.5", "real 1.0e+300", "real 2.5", "text \(hex("tëxt\u{0}end".utf8))", "blob 0001",
            "blob \(hex(row.uuid))",
        ]
        let uuid = row.optionalUUID.map { hex($0) } ?? ""
        let optional: [String] = ["real 0.25", "real 0.125", "real -1.0", "text ", "blob ", "blob \(uuid)"]
        let parts = [integers.prefix(5), required[...], integers.dropFirst(5), optional[...]]
        #expect(bound.values == Array(parts.joined()))
    }

    @Test func `nil is NULL where it is allowed`() throws {
        var row = Row()
        (row.optionalInt, row.optionalString, row.optionalUUID, row.optionalData) = (nil, nil, nil, nil)
        (row.optionalBool, row.optionalDate, row.optionalDouble) = (nil, nil, nil)
        let ops = [
            try op(\.optionalInt, 1), try op(\.optionalString, 2), try op(\.optionalUUID, 3), try op(\.optionalData, 4),
            try op(\.optionalBool, 5), try op(\.optionalDate, 6), try op(\.optionalDouble, 7),
        ]
        let bound = try bind(ops, row)
        #expect(bound.count == 7 && Set(bound.values) == ["null "])
        #expect(try bind([op(\.optionalInt, isRequired: true)], row).count == 0)
        #expect(try bind([op(\.bool, 1), op(\.optionalString, 2, isRequired: true), op(\.int, 3)], row).count == 1)
    }

    @Test func `a value that cannot be bound directly is left to the caller`() throws {
        var row = Row()
        row.int = 32_768
        row.int64 = -2_147_483_649
        row.double = 1e39
        #expect(try bind([op(\.int, width: .integer16)], row).count == 0)
        #expect(try bind([op(\.int, width: .integer32)], row).count == 1)
        #expect(try bind([op(\.int64, width: .integer32)], row).count == 0)
        #expect(try bind([op(\.double, width: .float)], row).count == 0)
        row.double = .infinity
        #expect(try bind([op(\.double, width: .float)], row).values == ["real Inf"])
        row.double = 0.1
        #expect(try bind([op(\.double, width: .float)], row).values.first?.hasPrefix("real 0.10000000149011") == true)
        row.double = .nan
        row.optionalFloat = .nan
        row.date = Date(timeIntervalSinceReferenceDate: .nan)
        #expect(try bind([op(\.double)], row).count == 0)
        #expect(try bind([op(\.optionalFloat)], row).count == 0)
        #expect(try bind([op(\.date)], row).count == 0)
        row.string = String(repeating: "x", count: 1_000_000)
        row.data = Data(count: 1_000_000)
        #expect(try bind([op(\.string)], row).count == 0)
        #expect(try bind([op(\.data)], row).count == 0)
    }

    @Test func `binding continues after the skipped op`() throws {
        var row = Row()
        row.double = .nan
        let ops = [try op(\.int, 1), try op(\.double, 2), try op(\.bool, 3)]
        var statement = try connection.statement("SELECT ?1, ?2, ?3")
        let arena = BindingArena()
        try withUnsafeBytes(of: row) { bytes in
            let start = try #require(bytes.baseAddress)
            ops.withUnsafeBufferPointer { ops in
                #expect(statement.bind(ops, from: 0, of: start, in: arena) == 1)
                #expect(statement.bind(ops, from: 2, of: start, in: arena) == 3)
            }
            #expect(try statement.step())
            #expect(statement.int64(0) == -1 && statement.isNull(1) && statement.int64(2) == 1)
        }
    }

    @Test func `a row can be run again and again with an arena`() throws {
        try connection.execute("CREATE TABLE t(a, b)")
        let ops = [try op(\.string, 1), try op(\.uuid, 2)]
        var statement = try connection.statement("INSERT INTO t VALUES(?1, ?2) RETURNING length(?1)")
        let arena = BindingArena()
        for length in 0..<500 {
            var row = Row()
            row.string = String(repeating: "y", count: length)
            let returned = try withUnsafeBytes(of: row) { bytes in
                let start = try #require(bytes.baseAddress)
                #expect(ops.withUnsafeBufferPointer { statement.bind($0, from: 0, of: start, in: arena) } == 2)
                return try statement.runRow(emptying: arena)
            }
            #expect(returned == Int64(length))
        }
        var count = try connection.statement("SELECT count(*), sum(length(a)), count(DISTINCT b) FROM t")
        #expect(try count.step())
        #expect(count.int64(0) == 500 && count.int64(1) == 124_750 && count.int64(2) == 500)
    }
}
