#if PostgreSQL
import Foundation
import SwormPostgres
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: servers that lack something", .enabled(if: PostgresServer.isEnabled))
struct ServerProbeTests {
    @Test func `a store is not created on a server without the functions that it calls later`() throws {
        let server = try PostgresServer(settings: ["allow_system_table_mods": "on"])
        defer { server.stop() }
        let options = try PostgresOptions(
            "host=\(server.folder.path) port=\(server.port) user=\(server.user) dbname=postgres schema=shop")
        let connection = try PostgresConnection.open(options.address)
        try connection.run(.command("ALTER FUNCTION pg_catalog.pg_notify(text, text) RENAME TO pg_former_notify"))
        try connection.run(.command("ALTER FUNCTION pg_catalog.pg_xact_status(xid8) RENAME TO pg_former_status"))
        let error = #expect(throws: CoreDataError.self) {
            _ = try PostgresStores.store(of: BookshopModel.model, at: options)
        }
        #expect(error?.condition == .unsupported)
        let list = "pg_notify (changes of other processes); pg_xact_status (history)"
        #expect(error?.message.contains(list) == true, "\(String(describing: error))")
        let schemas = "SELECT count(*) FROM pg_namespace WHERE nspname = 'shop'"
        #expect(try connection.run(.command(schemas)).int64(0, column: 0) == 0)

        try connection.run(.command("ALTER FUNCTION pg_catalog.pg_former_notify RENAME TO pg_notify"))
        try connection.run(.command("ALTER FUNCTION pg_catalog.pg_former_status RENAME TO pg_xact_status"))
        try PostgresStores.store(of: BookshopModel.model, at: options).close()
    }

    @Test func `every system function that the statements name is looked for`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../../Sources/SwormStore").standardized
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var named: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /pg_catalog\.(pg_[a-z_]+)\(/) { named.insert(String(match.1)) }
        }
        // These read the position of a server for a history, and are called when one is started.
        let early: Set = ["pg_current_wal_lsn", "pg_walfile_name"]
        #expect(named.subtracting(ServerProbe.functions.flatMap(\.value)).subtracting(early) == [])
        #expect(named.count > 8)
    }
}
#endif
