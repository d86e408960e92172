import Foundation
import SwormPredicates
import Testing

/// `sworm-tool watch --json` as a process of its own, whose lines are collected with the time of their arrival.
final class WatchProcess {
    struct Line: Sendable {
        var text: String
        var time: ContinuousClock.Instant

        var json: [String: Any] {
            get throws { try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]) }
        }
    }

    private let process = Process()
    private let lines = Locked<[Line]>([])
    private let messages = Locked("")

    init(_ words: [String]) throws {
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: ToolProcess.path ?? "")
        process.arguments = ["watch"] + words + ["--json"]
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let (lines, messages) = (lines, messages)
        Thread.detachNewThread {
            var rest = Data()
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                let now = ContinuousClock.now
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let text = String(decoding: rest[..<end], as: UTF8.self)
                    rest = rest[rest.index(after: end)...]
                    lines.withLock { $0.append(Line(text: text, time: now)) }
                }
            }
        }
        Thread.detachNewThread {
            while case let data = errors.fileHandleForReading.availableData, !data.isEmpty {
                messages.withLock { $0 += String(decoding: data, as: UTF8.self) }
            }
        }
        try wait(for: "the start") { messages.withLock { $0.contains("watching") } }
    }

    /// Waits until a number of lines has arrived.
    func lines(_ count: Int) throws -> [Line] {
        let lines = lines
        try wait(for: "\(count) lines") { lines.withLock { $0.count >= count } }
        return all
    }

    var all: [Line] { lines.withLock { $0 } }

    /// Interrupts the process as Ctrl-C does, and returns its exit code; nil if the signal has ended it.
    func interrupt() -> Int32? {
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }

    private func wait(for what: String, _ condition: () -> Bool) throws {
        let end = ContinuousClock.now + .seconds(60)
        while !condition() {
            guard ContinuousClock.now < end else {
                throw Failure(description: "\(what) did not come: \(messages.withLock { $0 })")
            }
            usleep(1_000)
        }
    }

    private struct Failure: Error, CustomStringConvertible { var description: String }
}
