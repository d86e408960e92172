#if PostgreSQL
import Foundation
@testable import OpenCoreData
import SwormPostgres
import SwormPredicates
@testable import SwormStore
import TestSupport
import Testing

@testable import SwormCommand

@Suite("verify: stores on servers", .enabled(if: PostgresServer.isEnabled))
struct VerifyServerTests {
    private let schema: String
    private let workshop: Workshop

    init() throws {
        schema = "verify_\(try PostgresServer.shared().newSchema())"
        workshop = try Workshop()
        try workshop.makeStore(keepsModel: true)
        #expect(try Run(["copy", workshop.storePath, address()]).code == .ok)
    }

    private func address(user: String? = nil) throws -> String {
        let server = try PostgresServer.shared()
        let folder = server.folder.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "postgres://\(user ?? server.user)@\(folder):\(server.port)/postgres?schema=\(schema)"
    }

    /// Runs a statement past the library. `@` stands for the schema with its period.
    private func run(_ sql: String) throws {
        let connection = try PostgresConnection.open(PostgresOptions(address()).address)
        try connection.run(sql.replacing("@", with: "\(schema)."))
    }

    private func verify(user: String? = nil) throws -> Run { try Run(["verify", address(user: user)]) }

    @Test func `a store without faults has a note that no trigger raises versions`() throws {
        let run = try verify()
        #expect(run.code == .ok, "\(run.err)")
        let lines = run.out.split(separator: "\n")
        #expect(lines.count == 2 && lines.last == "no faults", "\(run.out)")
        #expect(lines[0].hasPrefix("note: ") && lines[0].hasSuffix("[foreign-versions]"))
        #expect(lines[0].contains("\"Book\"") && lines[0].contains("versions: .everybody"))
        // The triggers are created by a program that asks for them.
        var options = try PostgresOptions(address())
        options.raisesForeignVersions = true
        let (model, _) = try ServerOperand.model(of: options, option: nil)
        try options.open(model.compiled(), options: StoreOptions()).close()
        #expect(try verify().out == "no faults\n")
    }

    @Test func `rows that no save leaves are faults`() throws {
        try run("ALTER TABLE @\"Book\" ALTER COLUMN title DROP NOT NULL")
        try run("UPDATE @\"Book\" SET title = NULL WHERE _key = (SELECT min(_key) FROM @\"Book\")")
        try run("ALTER TABLE @\"Book\" DISABLE TRIGGER ALL")
        try run("UPDATE @\"Book\" SET author = 999999 WHERE _key = (SELECT max(_key) FROM @\"Book\")")
        let run = try verify()
        #expect(run.code == .found)
        #expect(run.out.contains("Book.title: a required value is missing: Book/p"), "\(run.out)")
        #expect(run.out.contains("Comic.author: ") && run.out.contains("[dangling]"), "\(run.out)")
        #expect(run.out.hasSuffix("2 faults\n"), "\(run.out)")
    }

    @Test func `tables that differ are faults`() throws {
        try run("ALTER TABLE @\"Book\" DROP COLUMN title CASCADE")
        let run = try verify()
        #expect(run.code == .found && run.out.contains("has no column \"title\"") && run.out.contains("[schema]"))
        #expect(run.err.isEmpty)
    }

    @Test func `a role to which row-level security does not apply is a warning`() throws {
        try run("ALTER TABLE @\"Book\" ENABLE ROW LEVEL SECURITY")
        let warned = try verify()
        #expect(warned.code == .ok && warned.out.hasSuffix("no faults, 1 warning\n"), "\(warned.out)")
        #expect(warned.out.contains("\"Book\" do not apply to the role \"postgres\", which is a superuser"))
        let (plain, bypassing) = ("plain_\(schema)", "bypassing_\(schema)")
        try run("CREATE ROLE \(plain) LOGIN")
        try run("CREATE ROLE \(bypassing) LOGIN BYPASSRLS")
        for role in [plain, bypassing] {
            try run("GRANT USAGE ON SCHEMA \(schema) TO \(role)")
            try run("GRANT SELECT ON ALL TABLES IN SCHEMA \(schema) TO \(role)")
        }
        #expect(try verify(user: bypassing).out.contains("which has the attribute BYPASSRLS"))
        #expect(try !verify(user: plain).out.contains("row-level-security"))
        // The owner of a table, unless its policies are forced.
        try run("ALTER TABLE @\"Book\" OWNER TO \(plain)")
        #expect(try verify(user: plain).out.contains("which owns them"))
        try run("ALTER TABLE @\"Book\" FORCE ROW LEVEL SECURITY")
        #expect(try !verify(user: plain).out.contains("row-level-security"))
    }

    @Test func `work that a migration has left is a warning, and a missing store an error`() throws {
        try run(
            "UPDATE @_sworm SET migration = '{\"work\": [{\"task\": {\"index\": {\"name\": \"x\", \"definition\": \"\", \"isUnique\": false}}, \"failure\": \"no space\"}]}'"
        )
        let left = try verify()
        #expect(left.code == .ok && left.out.contains("warning: the index \"x\" does not exist yet: no space"))
        try run("DROP SCHEMA \(schema) CASCADE")
        #expect(try verify().code != .ok)
    }

    @Test func `it answers as JSON without the password`() throws {
        let run = Run(["verify", try address().replacing("postgres@", with: "postgres:hidden-word@"), "--json"])
        #expect(run.code == .ok && run.out.contains("\"severity\"") && !run.out.contains("hidden-word"), "\(run.out)")
    }
}
#endif
