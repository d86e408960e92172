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
    package init(_ command: [String], log: String, removing folder: String) throws {
        process = try Self.start(command, input: FileHandle.nullDevice, log: log)
        let script = """
            read -r _
            kill -INT $1
            count=0
            while kill -0 $1 2>/dev/null && [ $count -lt 200 ]; do sleep 0.05; count=$((count + 1)); done
            rm -rf "$2"
            """
        let number = String(process.processIdentifier)
        keeper = try Self.start(["/bin/sh", "-c", script, "sh", number, folder], input: pipe, log: nil)
    }

    deinit { stop() }

    /// Stops the program and removes its folder.
    package func stop() {
        try? pipe.fileHandleForWriting.close()
        keeper.waitUntilExit()
    }

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
