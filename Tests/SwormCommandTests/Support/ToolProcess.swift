import Foundation

/// The tool as a process of its own, which can be killed.
final class ToolProcess {
    /// The tool that `SWORM_TOOL` names, or the one that was built beside these tests; nil where there is none.
    static let path: String? = {
        if let path = ProcessInfo.processInfo.environment["SWORM_TOOL"] { return path }
        var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        // The test bundle lies in the build folder, on some systems some levels down.
        for _ in 0..<5 {
            let path = folder.appending(path: "sworm-tool").path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    private let process = Process()
    private let output = Pipe()

    /// - Parameter largestFile: The largest file in bytes that the process can write; what is longer fails as on a full
    ///   disk. Nil for no limit.
    init(_ words: [String], largestFile: Int? = nil) throws {
        let tool = Self.path ?? ""
        process.executableURL = URL(filePath: largestFile == nil ? tool : "/bin/sh")
        // The signal that comes with the limit would end the process before it sees the error.
        let script = "trap '' XFSZ; ulimit -f \((largestFile ?? 0) / 512); exec \"$@\""
        process.arguments = (largestFile == nil ? [] : ["-c", script, "sh", tool]) + words
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    /// Ends the process at once, whatever it is doing.
    func cutOff() { kill(process.processIdentifier, SIGKILL) }

    /// Waits for the end.
    ///
    /// - Returns: The exit code, nil for a process that was killed, and what it has written.
    func end() -> (code: Int32?, text: String) {
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationReason == .exit ? process.terminationStatus : nil, text)
    }
}
