#if PostgreSQL
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Values in messages", .needsServer)
struct WireFormatTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws { database = try TestDatabase() }

    /// Sends values as parameters of one statement, and returns its row.
    private func row(_ append: (Parameters) -> Void) throws -> PostgresResult {
        let parameters = parameters(append)
        let list = (1...parameters.count).map { "$\($0)" }.joined(separator: ", ")
        return try connection.run("SELECT \(list)", with: parameters)
    }

    @Test func `random numbers come back`() throws {
        var random = seededRandom()
        for _ in 0..<200 {
            let bits = UInt64.random(in: 0...UInt64.max, using: &random) >> UInt64(random.pick(64))
            let (large, medium) = (Int64(bitPattern: bits), Int32(truncatingIfNeeded: bits))
            let (small, real) = (Int16(truncatingIfNeeded: bits), Double(bitPattern: bits))
            let (single, isOdd) = (Float(bitPattern: UInt32(truncatingIfNeeded: bits)), bits & 1 == 1)
            let result = try row {
                $0.append(large)
                $0.append(medium)
                $0.append(small)
                $0.append(real)
                $0.append(single)
                $0.append(isOdd)
            }
            #expect(try result.int64(0, column: 0) == large)
            #expect(try result.int64(0, column: 1) == Int64(medium))
            #expect(try result.int64(0, column: 2) == Int64(small))
            #expect(try result.double(0, column: 3)?.bitPattern == real.bitPattern || real.isNaN)
            #expect(try result.double(0, column: 4) == Double(single) || single.isNaN)
            #expect(try result.bool(0, column: 5) == isOdd)
            let types = (0..<6).map { result.type(ofColumn: $0) }
            #expect(types == [.int8, .int4, .int2, .float8, .float4, .bool])
        }
    }

    @Test func `random strings, data and UUIDs come back`() throws {
        var random = seededRandom()
        for _ in 0..<200 {
            let scalars = (0..<random.pick(40)).map { _ in
                Unicode.Scalar(UInt32.random(in: 1...0x10FFFF, using: &random)) ?? "é"
            }
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars)
            let data = Data((0..<random.pick(300)).map { _ in UInt8.random(in: 0...255, using: &random) })
            let uuid = UUID()
            let result = try row {
                #expect($0.append(text))
                #expect($0.append(data))
                $0.append(uuid)
            }
            #expect(try result.string(0, column: 0)?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
            #expect(try result.data(0, column: 1) == data)
            #expect(try result.uuid(0, column: 2) == uuid)
        }
    }

    @Test func `random decimals come back exactly, and as the server prints them`() throws {
        var random = seededRandom()
        for _ in 0..<1000 {
            let digits = (0..<(1 + random.pick(38))).map { _ in String(random.pick(10)) }.joined()
            let exponent = Int.random(in: -100...80, using: &random)
            let text = (random.chance(50) ? "-" : "") + digits + "e\(exponent)"
            let value = try #require(Decimal(string: text))
            let parameters = parameters { #expect($0.append(value)) }
            let result = try connection.run("SELECT $1, $1::text, $1 = '\(text)'::numeric", with: parameters)
            #expect(try result.decimal(0, column: 0) == value, "\(text)")
            #expect(try result.bool(0, column: 2) == true, "\(text)")
            let own = result.withBytes(0, column: 0) { bytes in bytes.flatMap { NumericFormat.text($0) } }
            #expect(try result.string(0, column: 1) == own, "\(text)")
        }
    }

    @Test(arguments: [
        "0", "0.000", "1", "-1", "10000", "0.0001", "0.00012", "9999", "9999.9999", "100000000", "0.1", "12.50",
        "1e20", "-1e20", "1e127", "1e-128", "1" + String(repeating: "0", count: 165),
        "340282366920938463463374607431768211455",
        "12345678901234567890123456789012345678",
    ])
    func `decimals at the limits are read exactly`(text: String) throws {
        let result = try connection.run("SELECT '\(text)'::numeric")
        #expect(try result.decimal(0, column: 0) == Decimal(string: text))
    }

    @Test(arguments: [
        "NaN", "Infinity", "-Infinity", "1e170", "1e-129", "340282366920938463463374607431768211457",
        "0.1234567890123456789012345678901234567890123", "123456789012345678901234567890123456789012345678901",
        "1e130000",
    ])
    func `numbers that a decimal would round are errors`(text: String) throws {
        let result = try connection.run("SELECT '\(text)'::numeric")
        #expect(throws: (any Error).self) { try result.decimal(0, column: 0) }
    }

    @Test func `NaN and strings with NUL are rejected before they are sent`() {
        let parameters = Parameters()
        #expect(!parameters.append(Decimal.nan))
        #expect(!parameters.append("a\0b"))
        #expect(!parameters.append(json: "\"\0\""))
        #expect(!parameters.append(["a", "b\0"] as [String?]))
        #expect(parameters.count == 0)
        #expect(parameters.buffer.count == 0)
    }

    @Test func `JSON and transaction numbers are sent in their own types`() throws {
        let result = try row {
            #expect($0.append(json: "{\"a\": [1, null]}"))
            $0.append(transactionID: 1 << 40)
        }
        #expect(try result.json(0, column: 0) == "{\"a\": [1, null]}")
        #expect(try result.int64(0, column: 1) == 1 << 40)
        #expect(throws: (any Error).self) { try result.json(0, column: 1) }
    }

    @Test func `arrays come back with their NULLs`() throws {
        let (ids, date) = ([UUID(), nil, UUID()], Date(timeIntervalSinceReferenceDate: 12.5))
        let result = try row {
            #expect($0.append([1, nil, .min] as [Int64?]))
            #expect($0.append(["a", nil, "", "é\"\\,{}"] as [String?]))
            #expect($0.append(ids))
            #expect($0.append([] as [Int64?]))
            #expect($0.append([1.5, nil] as [Double?]))
            #expect($0.append([true, nil] as [Bool?]))
            #expect($0.append([date, nil] as [Date?]))
            #expect($0.append([Data([0, 1]), nil] as [Data?]))
            #expect($0.append([Decimal(string: "12.5"), nil] as [Decimal?]))
        }
        #expect(try result.int64s(0, column: 0) == [1, nil, .min])
        #expect(try result.strings(0, column: 1) == ["a", nil, "", "é\"\\,{}"])
        #expect(try result.uuids(0, column: 2) == ids)
        #expect(try result.int64s(0, column: 3) == [])
        #expect(
            (4..<9).map { result.type(ofColumn: $0) } == [
                .float8Array, .boolArray, .timestamptzArray, .byteaArray, .numericArray,
            ])
        #expect(throws: (any Error).self) { try result.int64s(0, column: 4) }
    }

    @Test func `the elements of arrays are those that the server sees`() throws {
        let parameters = parameters {
            #expect($0.append([1.5, nil] as [Double?]))
            #expect($0.append([Decimal(string: "-0.00012"), nil] as [Decimal?]))
            #expect($0.append([Data([0, 255])] as [Data?]))
            #expect($0.append([Date(timeIntervalSinceReferenceDate: 0)] as [Date?]))
        }
        let sql = "SELECT $1::text, $2::text, $3::text, ($4)[1] = '2001-01-01 00:00:00Z'"
        let result = try connection.run(sql, with: parameters)
        #expect(try result.string(0, column: 0) == "{1.5,NULL}")
        #expect(try result.string(0, column: 1) == "{-0.00012,NULL}")
        #expect(try result.string(0, column: 2) == "{\"\\\\x00ff\"}")
        #expect(try result.bool(0, column: 3) == true)
    }

    @Test func `numbers without a sign are read to their end`() throws {
        let result = try connection.run(
            "SELECT 4000000000::oid, '9223372036854775807'::xid8, '18446744073709551615'::xid8, 7::oid, NULL::oid")
        #expect(try result.int64(0, column: 0) == 4_000_000_000)
        #expect(try result.int64(0, column: 1) == .max)
        #expect(throws: DecodingFailure.self) { try result.int64(0, column: 2) }
        #expect(try result.int(0, column: 3) == 7)
        #expect(try result.int64(0, column: 4) == nil)
        let bytes: [UInt8] = [0xEE, 0x6B, 0x28, 0]
        bytes.withUnsafeBytes { bytes in
            #expect(bytes.baseAddress.flatMap { Wire.unsigned($0, length: 4) } == 4_000_000_000)
            #expect(bytes.baseAddress.flatMap { Wire.unsigned($0, length: 2) } == nil)
        }
    }

    @Test func `arrays of more dimensions are errors`() throws {
        let result = try connection.run("SELECT ARRAY[[1,2],[3,4]]::bigint[]")
        #expect(throws: (any Error).self) { try result.int64s(0, column: 0) }
    }

    /// The bytes of an array of integers; nil for NULL.
    private func array(_ elements: [Data?]) -> [UInt8] {
        var buffer = WireBuffer()
        _ = WireArray.write(elements, of: .int8, to: &buffer) { buffer, element in
            guard let element else {
                buffer.putNull()
                return true
            }
            return element.withUnsafeBytes { buffer.putValue($0) }
        }
        return Array(buffer.bytes)
    }

    private func elements(_ bytes: some Collection<UInt8>) -> [Data?]? {
        Array(bytes).withUnsafeBytes { WireArray.elements($0, of: .int8) { Data($0) } }
    }

    @Test func `damaged arrays are errors, or arrays of other elements`() {
        var random = seededRandom()
        let values: [Data?] = [Data([1, 2, 3, 4, 5, 6, 7, 8]), nil, Data(), Data([9])]
        let whole = array(values)
        #expect(elements(whole) == values)
        for end in whole.indices { #expect(elements(whole[..<end]) == nil, "\(end)") }
        #expect(elements(whole + [0]) == nil)
        var readable = 0
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0...random.pick(2) { bytes[random.pick(bytes.count)] = UInt8.random(in: 0...255, using: &random) }
            guard let found = elements(bytes) else { continue }
            readable += 1
            // The hint about NULLs and the number of the first element are not read.
            var again = array(found)
            guard again.count == bytes.count || found.isEmpty else { Issue.record("\(bytes)"); continue }
            if found.isEmpty { continue }
            again.replaceSubrange(4..<8, with: bytes[4..<8])
            again.replaceSubrange(16..<20, with: bytes[16..<20])
            #expect(again == bytes)
        }
        #expect(readable > 0 && readable < 20_000)
    }

    @Test func `damaged numbers are errors, or other numbers`() throws {
        var random = seededRandom()
        var buffer = WireBuffer()
        #expect(NumericFormat.write(try #require(Decimal(string: "-12345678.000123")), to: &buffer))
        let whole = Array(buffer.bytes)
        func text(_ bytes: some Collection<UInt8>) -> String? {
            Array(bytes).withUnsafeBytes { NumericFormat.text($0) }
        }
        #expect(text(whole) == "-12345678.000123")
        for end in whole.indices { #expect(text(whole[..<end]) == nil) }
        var (readable, compared) = (0, 0)
        for _ in 0..<20_000 {
            var bytes = whole
            for _ in 0...random.pick(2) {
                // A large weight or scale is a number of many zeros.
                let index = random.chance(20) ? 3 : random.pick(bytes.count)
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
            bytes[2] = bytes[3] > 127 ? 0xFF : 0
            bytes[6] = 0
            guard let shown = text(bytes) else {
                #expect(bytes.withUnsafeBytes { NumericFormat.decimal($0) } == nil)
                #expect(bytes.withUnsafeBytes { NumericFormat.double($0) } == nil)
                continue
            }
            readable += 1
            // Digits behind the scale are not shown, and no server sends any. Foundation does not read all long numbers.
            guard let decimal = bytes.withUnsafeBytes({ NumericFormat.decimal($0) }),
                decimal.exponent >= -Int(bytes[7]), let read = Decimal(string: shown)
            else { continue }
            compared += 1
            #expect(decimal == read, "\(bytes)")
        }
        #expect(compared > 100)
        #expect(readable > 0 && readable < 20_000)
    }

    @Test func `a number beyond the range of real numbers is none`() throws {
        let result = try connection.run("SELECT 1e400, -1e400, 'Infinity'::numeric, 1e308, 1e-400")
        let values = (0..<5).map { column in
            result.withBytes(0, column: column) { $0.flatMap { NumericFormat.double($0) } }
        }
        #expect(values == [nil, nil, .infinity, 1e308, 0])
    }
}
#endif
