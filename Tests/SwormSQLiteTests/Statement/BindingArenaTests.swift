import Foundation
import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("Binding through an arena")
struct BindingArenaTests {
    @Test func `rows written through a small arena are whole`() throws {
        let connection = try memory()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b BLOB, c BLOB, d TEXT)")
        // Small, so that rows take several blocks and long values take none.
        let arena = BindingArena(blockSize: 64)
        let ids = (0..<200).map { _ in UUID() }
        func text(_ row: Int) -> String { String(repeating: "é", count: row % 40) }
        func bytes(_ row: Int) -> [UInt8] { [UInt8](repeating: UInt8(row), count: row % 17) }
        do {
            var insert = try connection.statement("INSERT INTO t VALUES (?, ?, ?, ?, ?)")
            for (row, id) in ids.enumerated() {
                try insert.bind(row, at: 1)
                try insert.bind(text(row), at: 2, in: arena)
                try insert.bind(Data(bytes(row)), at: 3, in: arena)
                try insert.bind(id, at: 4, in: arena)
                if row % 2 == 0 { try insert.bind("short", at: 5, in: arena) }
                try insert.run(emptying: arena)
            }
        }
        var select = try connection.statement("SELECT a, b, c, d FROM t ORDER BY id")
        for (row, id) in ids.enumerated() {
            #expect(try select.step())
            #expect(select.text(0) == text(row))
            #expect(select.blob(1) == bytes(row))
            #expect(select.blob(2) == withUnsafeBytes(of: id.uuid) { Array($0) })
            #expect(select.text(3) == (row % 2 == 0 ? "short" : nil))
        }
        #expect(try !select.step())
    }

    @Test func `bytes bound through an arena outlive the caller's hold on it`() throws {
        let connection = try memory()
        var statement = try connection.statement("SELECT ?")
        weak var weakArena: BindingArena?
        do {
            let arena = BindingArena()
            weakArena = arena
            try statement.bind("a text that is longer than a small string", at: 1, in: arena)
        }
        #expect(weakArena != nil)
        #expect(try statement.step())
        #expect(statement.text(0) == "a text that is longer than a small string")
    }

    @Test func `a failing row leaves nothing bound for the next one`() throws {
        let connection = try memory()
        try connection.execute("CREATE TABLE t (a UNIQUE, b)")
        let arena = BindingArena()
        var insert = try connection.statement("INSERT INTO t VALUES (?, ?)")
        for _ in 0..<2 {
            do {
                try insert.bind("same", at: 1, in: arena)
                try insert.bind("b", at: 2, in: arena)
                try insert.run(emptying: arena)
            } catch let error as SQLiteError {
                #expect(error.isUniqueViolation)
            }
        }
        try insert.bind("other", at: 1, in: arena)
        try insert.run(emptying: arena)
        #expect(try connection.strings("SELECT a || ifnull(b, '-') FROM t ORDER BY a") == ["other-", "sameb"])
    }
}
