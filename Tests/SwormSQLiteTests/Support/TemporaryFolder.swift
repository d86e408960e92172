import Foundation

@testable import SwormRows
@testable import SwormSQLite

/// A folder of one test, removed at its end.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("sworm-driver-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "data.sqlite") -> String { path + "/" + name }

    func open(_ name: String = "data.sqlite", _ options: Connection.Options = .init()) throws -> Connection {
        try Connection(.file(path: file(name)), options: options)
    }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name)) }

    func size(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
        return (attributes[.size] as? NSNumber)?.intValue ?? -1
    }
}

func memory() throws -> Connection { try Connection(.memory(name: "test")) }

extension Connection {
    /// The first column of the first row.
    func integer(_ sql: String) throws -> Int64? {
        var statement = try statement(sql)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.int64(0)
    }

    func string(_ sql: String) throws -> String? {
        var statement = try statement(sql)
        return try statement.step() ? statement.text(0) : nil
    }

    /// The first column of all rows.
    func strings(_ sql: String) throws -> [String] {
        var statement = try statement(sql)
        var found: [String] = []
        while try statement.step() { found.append(statement.text(0) ?? "NULL") }
        return found
    }
}

/// The error that the body throws, as a SQLiteError.
func sqliteError(_ body: () throws -> Void) -> SQLiteError? {
    do {
        try body()
        return nil
    } catch {
        return error as? SQLiteError
    }
}
