#if PostgreSQL
package import Foundation

/// A certificate of a server that has signed it itself, made by the program `openssl`.
package struct TestCertificate {
    /// The path of the program; nil where there is none.
    package static let program: String? = TestProgram.path(of: "openssl")

    /// What a skipped test says.
    package static let missing = "there is no openssl in PATH, which makes certificates"

    package let certificate: URL
    package let key: URL

    /// Creates a certificate in a folder that the user of the server owns.
    ///
    /// - Parameter name: The name of the host in the certificate.
    package init(for name: String, in folder: URL) throws {
        guard let program = Self.program else { throw PostgresServer.Failure(description: Self.missing) }
        certificate = folder.appending(path: "server.crt")
        key = folder.appending(path: "server.key")
        try TestProgram.run(
            PostgresServer.asOwner(
                program,
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=\(name)", "-addext",
                    "subjectAltName=DNS:\(name)", "-keyout", key.path, "-out", certificate.path,
                ]))
    }
}

/// Programs that the tests run.
package enum TestProgram {
    /// Returns the path of a program; nil where there is none.
    package static func path(of name: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/opt/homebrew/bin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program to its end, and returns its output.
    @discardableResult
    package static func run(_ command: [String]) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.currentDirectoryURL = URL(filePath: "/")
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PostgresServer.Failure(description: "\(command): \(output)")
        }
        return output
    }
}
#endif
