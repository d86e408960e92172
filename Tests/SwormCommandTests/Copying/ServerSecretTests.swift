#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import SwormCommand

/// Passwords of addresses in the output of the tool.
@Suite("Stores on servers: passwords in the output of the tool", .enabled(if: PostgresServer.isEnabled))
struct ServerSecretTests {
    /// Passwords with the characters that separate, quote and encode the parts of addresses. Each part has the word.
    static let secrets = [
        "hunter2", "hunter 2'hunter\\hunter\"hunter", "hunter%41hunter%zz", "hunter@hunter:hunter/hunter?hunter#hunter",
        "hunter[hunter]=hunter&hunter", "hunterßhunter😀",
    ]

    private static func encoded(_ secret: String) -> String {
        secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    private static func commands(_ address: String, _ workshop: Workshop) -> [[String]] {
        [
            ["copy", workshop.storePath, address], ["copy", workshop.storePath, address, "--force"],
            ["copy", address, address, "--force"], ["copy", address, workshop.file("B.sqlite"), "--force"],
            ["diff", address, workshop.storePath], ["diff", workshop.storePath, address], ["diff", address, address],
            ["verify", address], ["dump", address], ["count", address, "Book"], ["count", address, "Nothing"],
            ["query", address, "Book"], ["query", address, "Book", "nothing == 1"],
            ["query", address, "Book", "--columns", "x"],
            ["migrate", address, "--contract"], ["migrate", address, "--model", workshop.modelPath],
            ["migrate", address, "--model", workshop.modelPath, "--dry-run"], ["inspect", address], ["model", address],
            ["import", address, "Book", workshop.storePath], ["rebuild", address, workshop.file("R.sqlite")],
            ["freeze", address], ["copy", workshop.storePath, "x", address], ["nothing", address],
        ]
    }

    @Test(arguments: secrets) func `no output has a password, whatever the command does`(secret: String) throws {
        let workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        let server = try PostgresServer.shared()
        let parts = try server.entrance().uri(schema: "secret_\(server.newSchema())").split(
            separator: "@", maxSplits: 1)
        let password = Self.encoded(secret)
        var done = 0
        for address in [
            // The server needs no password, so that commands succeed.
            "\(parts[0]):\(password)@\(parts[1])", "\(parts[0])@\(parts[1])&password=\(password)",
            "postgres://ann:\(password)@/db?host=/nowhere-at-all",
            "postgres://ann:\(password)@127.0.0.1:1/db?sslmode=disable",
            "postgres://ann:\(password)@[::1/db", "postgres://ann:\(password)@h/db?sslmode=wrong",
            "postgres://ann:\(secret)@[::1/db", "postgres://\(password)@h:port/db", "postgres://h/db?\(password)=1",
            "postgresql://ann:\(secret)@/db?host=/nowhere-at-all",
        ] {
            for words in Self.commands(address, workshop) {
                let run = Run(words)
                if run.code == .ok || run.code == .found { done += 1 }
                let output = run.out + run.err
                #expect(!output.contains("hunter"), "\(words[0]): \(output)")
            }
        }
        #expect(done > 15, "\(done)")
    }
}
#endif
