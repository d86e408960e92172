import Foundation

/// The program, running in a process of its own.
final class ServerProcess {
    /// The address that the program has printed; empty if it has ended.
    let address: String
    private let process = Process()

    init(_ arguments: [String]) throws {
        process.executableURL = Self.products.appending(path: "Server")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        address = line.trimmingCharacters(in: .newlines)
    }

    /// Sends a signal, waits for the end of the process, and returns its status; nil if the signal killed it.
    func end(by signal: Int32) -> Int32? {
        Foundation.kill(process.processIdentifier, signal)
        return status()
    }

    /// Waits for the end of the process, and returns its status; nil if a signal killed it.
    func status() -> Int32? {
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }

    /// Kills the process if it is running.
    func kill() { if process.isRunning { _ = end(by: SIGKILL) } }

    /// The folder of the built products.
    private static var products: URL {
        #if os(macOS)
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
        return tests.bundleURL.deletingLastPathComponent()
        #else
        return Bundle.main.bundleURL
        #endif
    }
}
