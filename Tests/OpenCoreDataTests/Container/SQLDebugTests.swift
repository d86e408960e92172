import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates

@Suite("Core Data's SQLDebug")
struct SQLDebugTests {
    private func printed(level: Int) throws -> [String] {
        let lines = Locked<[String]>([])
        let connection = try Connection(.memory(name: "debug"))
        try connection.execute("CREATE TABLE ZBOOK (Z_PK INTEGER PRIMARY KEY, ZTITLE VARCHAR)")
        connection.watch = SQLDebug.watch(level: level) { text in
            lines.withLock { $0 += text.split(separator: "\n").map(String.init) }
        }
        for sql in ["INSERT INTO ZBOOK (ZTITLE) VALUES (?1)", "SELECT Z_PK FROM ZBOOK WHERE ZTITLE = ?1"] {
            var statement = try connection.statement(sql)
            try statement.bind("secret", at: 1)
            while try statement.step() {}
        }
        return lines.withLock { $0 }
    }

    @Test func `level 1 prints statements and times, and no value`() throws {
        let lines = try printed(level: 1)
        #expect(lines.count == 4)
        #expect(lines[0] == "CoreData: sql: INSERT INTO ZBOOK (ZTITLE) VALUES (?1)")
        #expect(lines[1].contains(/^CoreData: annotation: sql execution time: \d+\.\d{4}s$/))
        #expect(lines[2] == "CoreData: sql: SELECT Z_PK FROM ZBOOK WHERE ZTITLE = ?1")
        #expect(lines[3].contains(/^CoreData: annotation: sql connection fetch time: \d+\.\d{4}s for 1 rows$/))
        #expect(!lines.joined().contains("secret"))
    }

    @Test func `level 2 adds the values`() throws {
        let lines = try printed(level: 2)
        #expect(lines.contains("CoreData: details: with values: SELECT Z_PK FROM ZBOOK WHERE ZTITLE = 'secret'"))
        #expect(!lines.contains { $0.contains("SCAN") })
    }

    @Test func `level 3 adds the plan`() throws {
        let lines = try printed(level: 3)
        #expect(lines.contains("CoreData: details:   SCAN ZBOOK"))
        #expect(lines.contains { $0.contains("'secret'") })
    }

    @Test func `level 0 watches nothing`() throws {
        #expect(SQLDebug.watch(level: 0) { _ in } == nil)
        #expect(SQLDebug.watch(level: -1) { _ in } == nil)
    }

    @Test func `the level is the argument's, or else that of the defaults`() {
        func level(_ arguments: String, _ value: String? = nil) -> Int {
            SQLDebug.level(arguments.split(separator: " ").map(String.init)) {
                $0 == "com.apple.CoreData.SQLDebug" ? value : nil
            }
        }
        #expect(level("app -com.apple.CoreData.SQLDebug 2") == 2)
        #expect(level("app -com.apple.CoreData.SQLDebug 2", "1") == 2)
        #expect(level("app", "3") == 3)
        #expect(level("app") == 0)
        #expect(level("app -com.apple.CoreData.SQLDebug") == 0)
        #expect(level("app -com.apple.CoreData.SQLDebug much") == 0)
    }
}
