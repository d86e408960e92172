#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import Sworm
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A writer of a store with the library's model: in a thread, or in a process of its own, which is the program of the tests.
struct ChangesWriter: Codable, Sendable {
    private static let variable = "SWORM_CHANGES_WRITER"

    var address: String
    var name: String
    var count: Int
    var keepsHistory = true
    /// The pause between saves in seconds.
    var pause = 0.0

    /// The writer of this process; nil in a process that runs tests.
    static var ofThisProcess: ChangesWriter? {
        ProcessInfo.processInfo.environment[variable].flatMap {
            try? JSONDecoder().decode(ChangesWriter.self, from: Data($0.utf8))
        }
    }

    /// Starts a process that writes.
    func start() throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0])
        process.arguments = ["--testing-library", "swift-testing", "--filter", "ChangesWriterProcess"]
        process.environment = ProcessInfo.processInfo.environment.merging([
            Self.variable: String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
        ]) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return process
    }

    func openStore() throws -> PostgresStore {
        try HistoryServer.open(PostgresOptions(address), keepsHistory: keepsHistory)
    }

    /// Saves tags with the name of the writer and ascending numbers, in several forms.
    func run() throws {
        let store = try openStore()
        for number in 0..<count {
            write(number, to: store)
            if pause > 0 { Thread.sleep(forTimeInterval: pause) }
        }
    }

    private func write(_ number: Int, to store: PostgresStore) {
        func request(_ part: Int) -> SaveRequest {
            var request = SaveRequest()
            request.author = name
            request.insert(
                store.model[LibraryModel.tag], key: -1, ["name": .string("\(name) \(number * 2 + part)")])
            return request
        }
        // A writer whose connection is cut goes on. The tables show whether it has committed.
        do {
            switch number % 4 {
            case 0, 1: try store.save(request(0))
            case 2:
                let transaction = try store.beginTransaction()
                defer { transaction.end() }
                for part in 0..<2 { _ = try transaction.save(request(part)) }
                try transaction.commit()
            default:
                let transaction = try store.beginTransaction(from: store.beginSession(), nil)
                defer { transaction.end() }
                _ = try transaction.save(request(0))
                let mark = transaction.mark()
                _ = try transaction.save(request(1))
                try transaction.undo(to: mark)
                try transaction.commit()
            }
        } catch {}
    }
}

/// The writer's process.
@Suite(.enabled(if: ChangesWriter.ofThisProcess != nil))
struct ChangesWriterProcess {
    @Test func write() throws { try ChangesWriter.ofThisProcess?.run() }
}
#endif
