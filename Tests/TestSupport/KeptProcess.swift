#if PostgreSQL
import Foundation

/// A program of the tests that ends with them, even if they crash: a shell stops it when this process no longer holds the
/// other end of a pipe.
package final class KeptProcess: Sendable {
    private let process: Process
    private let keeper: Process
    private let pipe = Pipe()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - log: The file for its output.
    ///   - folder: A folder to remove at the end.
    ///   - signal: The first signal by which the program is stopped.
    package init(_ command: [String], log: String, removing folder: String, signal: String = "INT") throws {
        process = try Self.start(command, input: FileHandle.nullDevice, log: log)
        do {
            keeper = try Self.start(
                ["/bin/sh", "-c", Self.script, "sh", String(process.processIdentifier), folder, signal], input: pipe,
                log: nil)
        } catch {
            process.interrupt()
            throw error
        }
    }

    /// Stops the program with the number $1 by the signal $3, and removes the folder $2.
    ///
    /// A program may wait for its clients first, as pgbouncer does, so that stronger signals follow. The signals of a terminal
    /// go to all processes of the tests, and must not end this one.
    private static let script = """
        trap '' INT TERM HUP QUIT
        read -r _
        for signal in $3 QUIT KILL; do
            kill -$signal $1 2>/dev/null || break
            count=0
            while kill -0 $1 2>/dev/null && [ $count -lt 60 ]; do sleep 0.05; count=$((count + 1)); done
        done
        rm -rf "$2"
        """

    deinit { stop() }

    /// Stops the program and removes its folder.
    package func stop() {
        try? pipe.fileHandleForWriting.close()
        keeper.waitUntilExit()
    }

    /// The number of the program's process.
    package var processID: Int32 { process.processIdentifier }

    /// Whether the program still exists. Foundation would take one that closes the descriptors which it inherited for one that
    /// has ended.
    package var isRunning: Bool { kill(process.processIdentifier, 0) == 0 }

    private static func start(_ command: [String], input: Any, log: String?) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = URL(filePath: "/")
        process.standardInput = input
        // A command that reads the output of the tests must not wait for the program.
        var output = FileHandle.nullDevice
        if let log, FileManager.default.createFile(atPath: log, contents: nil) {
            output = try FileHandle(forWritingTo: URL(filePath: log))
        }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return process
    }
}
#endif
