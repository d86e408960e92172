import CSwormSQLite
import Foundation
import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("Rows and the memory that there is")
struct RowMemoryTests {
    @Test func `a string without enough memory is an error, not an empty string`() async {
        // In a process of its own, as the limit is for all connections of a process.
        await #expect(processExitsWith: .success) {
            let connection = try memory()
            // Such a text has to be converted, which takes memory.
            try connection.execute("PRAGMA encoding = 'UTF-16'; CREATE TABLE long (text)")
            try connection.execute("INSERT INTO long VALUES (printf('%.*c', 4000000, 'x'))")
            try connection.addFunction("leave_no_memory", argumentCount: 0, deterministic: false) { _ in
                sqlite3_hard_heap_limit64(sqlite3_memory_used() + 100_000)
                return .null
            }
            var error: (any Error)?
            do {
                var statement = try connection.statement("SELECT text, leave_no_memory() FROM long")
                let rules = [CellRule(.text), CellRule(.any)]
                let buffer = try RowBuffer.fill(statement: &statement, rules: rules, limit: 1)
                print("read a text of \(buffer.text(row: 0, cell: 0).utf8.count) bytes")
            } catch let failure { error = failure }
            guard (error as? SQLiteError)?.code == SQLITE_NOMEM else { exit(1) }
        }
    }

    @Test func `a UUID is made of 16 bytes wherever they lie`() throws {
        let bytes = (0..<40).map { UInt8($0) }
        bytes.withUnsafeBytes { bytes in
            for start in 0..<20 {
                let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + 16])
                let uuid = UUID(bytes: part)
                #expect(uuid.map { withUnsafeBytes(of: $0.uuid) { Array($0) } } == Array(part))
            }
            for count in [0, 1, 15, 17, 40] {
                #expect(UUID(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<count])) == nil)
            }
            #expect(UUID(bytes: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
        }
    }
}
