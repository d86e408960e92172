import Foundation
import SwormPredicates
import Testing

/// The example of the guide to live data: a list in the terminal, while a second process writes.
@Suite("The example of a live list", .timeLimit(.minutes(30)))
struct BookshelfTests {
    private static let program: URL? = {
        var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        // The test bundle is in the build folder, on some systems some levels down.
        for _ in 0..<5 {
            let file = folder.appending(path: "Bookshelf")
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    private struct Failure: Error, CustomStringConvertible { var description: String }

    private func start(_ arguments: [String], output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = arguments
        if let output { process.standardOutput = output }
        try process.run()
        return process
    }

    @Test(.enabled(if: Self.program != nil, "the example was not built"))
    func `shows what a second process writes`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bookshelf-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "Books.sqlite").path
        let output = Pipe()
        let list = try start([path], output: output)
        defer {
            list.terminate()
            list.waitUntilExit()
        }
        let text = Locked("")
        Thread.detachNewThread {
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                text.withLock { $0 += String(decoding: data, as: UTF8.self) }
            }
        }
        func wait(for expected: String) throws {
            let end = ContinuousClock.now + .seconds(60)
            while !text.withLock({ $0.contains(expected) }) {
                guard ContinuousClock.now < end else {
                    throw Failure(description: "no '\(expected)' in \(text.withLock { $0 })")
                }
                usleep(5_000)
            }
        }
        try wait(for: "0 books")
        for (title, year, expected) in [
            ("War and Peace", "1869", "1 books\n* 1869  War and Peace\n"),
            ("Childhood", "1852", "2 books\n* 1852  Childhood\n  1869  War and Peace\n"),
            ("War and Peace", "1867", "2 books\n  1852  Childhood\n* 1867  War and Peace\n"),
        ] {
            let writer = try start([path, title, year])
            writer.waitUntilExit()
            #expect(writer.terminationStatus == 0)
            try wait(for: expected)
        }
    }

    @Test func `is the one that the guide quotes`() throws {
        let source = try Document("Tests/Examples/Bookshelf/main.swift").text
        let parts = source.components(separatedBy: "// MARK: ")
        let shown = try #require(parts.first { $0.hasPrefix("Show\n") })
        let code = shown.dropFirst("Show\n".count).trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(code.contains("store.lists"))
        #expect(try Document("Sources/Sworm/Sworm.docc/LiveData.md").text.contains(code))
    }
}
