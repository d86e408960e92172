#if PostgreSQL
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

/// A password of each kind that addresses and messages could take apart, on every way to an error.
@Suite("Secrets on the ways to an error", .needsServer)
struct SecretPathTests {
    /// Passwords with the characters that separate, quote and encode the parts of addresses. Each part has the word.
    static let secrets = [
        "hunter2", "hunter 2'hunter\\hunter\"hunter", "hunter%41hunter%zzhunter",
        "hunter@hunter:hunter/hunter?hunter#hunter",
        "hunter[hunter]hunter=hunter&hunter", "hunterßhunter😀hunter\u{301}hunter", "hunter\nhunter\thunter",
        "${hunter} $hunter `hunter` -- hunter /* hunter */ ;hunter", String(repeating: "hunter", count: 200),
    ]

    private let database: TestDatabase
    init() throws { database = try TestDatabase() }

    /// All forms in which a program could print a value.
    static func strings(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var strings = ["\(value)", String(reflecting: value), String(describing: value), dumped]
        strings += Mirror(reflecting: value).children.map { "\($0)" }
        if let error = value as? any Error {
            let error = error as NSError
            strings += [error.localizedDescription, "\(error)", "\(error.userInfo)", error.debugDescription]
        }
        return strings
    }

    private func expectNoSecret(in value: Any, _ comment: String, sourceLocation: SourceLocation = #_sourceLocation) {
        for text in Self.strings(of: value) {
            #expect(!text.contains("hunter"), "\(comment): \(text)", sourceLocation: sourceLocation)
        }
    }

    /// Expects that a closure fails with an error of a kind that has no part of a secret.
    private func expectError(
        _ kinds: ServerError.Kind..., from path: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () throws -> Void
    ) {
        do {
            try body()
            Issue.record("no error: \(path)", sourceLocation: sourceLocation)
        } catch let error as ServerError {
            #expect(kinds.contains(error.kind), "\(path): \(error)", sourceLocation: sourceLocation)
            expectNoSecret(in: error, path, sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, "\(path)", sourceLocation: sourceLocation)
        }
    }

    private func address(_ secret: String, _ change: (inout PostgresAddress) -> Void = { _ in }) -> PostgresAddress {
        database.address {
            $0.password = .fixed(secret)
            $0.parameters["sslpassword"] = secret
            $0.timeouts.connection = .seconds(2)
            change(&$0)
        }
    }

    // MARK: Opening

    @Test(.needsCertificate, arguments: secrets) func `a connection that is not opened has no secret`(secret: String)
        throws
    {
        let server = try EncryptedServer.shared()
        let silent = try SilentListener()
        let closed = try FreePort.number()
        func open(_ change: (inout PostgresAddress) -> Void) throws {
            _ = try PostgresConnection.open(
                EncryptedServer.address {
                    $0.password = .fixed(secret)
                    $0.parameters["sslpassword"] = secret
                    $0.timeouts.connection = .seconds(2)
                    change(&$0)
                })
        }
        expectError(.permission, from: "wrong password") { try open { $0.user = EncryptedServer.guest } }
        expectError(.permission, from: "wrong password over a socket") {
            try open {
                $0.user = EncryptedServer.guest
                $0.hosts = [.init(server.folder.path, port: server.port)]
            }
        }
        expectError(.permission, from: "no such user") { try open { $0.user = "nobody_here" } }
        expectError(.unavailable, .permission, .statement, from: "no such database") {
            try open { $0.database = "nowhere" }
        }
        expectError(.unavailable, from: "closed port") { try open { $0.hosts = [.init("127.0.0.1", port: closed)] } }
        expectError(.unavailable, from: "no such host") { try open { $0.hosts = [.init("nowhere.invalid")] } }
        expectError(.unavailable, from: "no such socket") { try open { $0.hosts = [.init("/nowhere-at-all")] } }
        expectError(.unavailable, .timeout, from: "silent host") {
            try open {
                $0.hosts = [.init("127.0.0.1", port: silent.port)]
                $0.timeouts.connection = .milliseconds(100)
            }
        }
        expectError(.unavailable, .timeout, from: "several hosts") {
            try open { $0.hosts = [.init("127.0.0.1", port: closed), .init("/nowhere-at-all")] }
        }
        expectError(.unavailable, .permission, from: "untrusted certificate") {
            try open { $0.parameters["sslrootcert"] = server.folder.appending(path: "log").path }
        }
        expectError(.unavailable, .permission, from: "certificate of another host") {
            try open { $0.hosts[0].name = "another.example.org" }
        }
        expectError(.unavailable, .permission, from: "encryption that the server does not have") {
            try open {
                $0.hosts = [.init(database.server.folder.path, port: database.server.port)]
                $0.channelBinding = .require
            }
        }
        expectError(.unavailable, .permission, .notSupported, from: "no standby") { try open { $0.target = .standby } }
        expectError(.unavailable, .permission, .statement, .server, .invalidValue, from: "a setting that is none") {
            try open { $0.parameters["options"] = "-c hunter=1 -x" }
        }
    }

    // MARK: Working

    @Test(arguments: secrets) func `a connection that is lost, waits or is stopped has no secret`(secret: String)
        throws
    {
        try database.connection.run("CREATE TABLE t (n int UNIQUE)")
        try database.connection.run("INSERT INTO t VALUES (1)")
        func lost(_ body: (PostgresConnection) throws -> Void) throws {
            let victim = try PostgresConnection.open(address(secret))
            try victim.begin(TransactionOptions())
            try victim.run("SELECT 1")
            try database.connection.run("SELECT pg_terminate_backend(\(victim.processID), 10000)")
            try body(victim)
        }
        expectError(.unavailable, from: "lost") { try lost { try $0.run("SELECT 1") } }
        expectError(.unavailable, .outcomeUnknown, from: "lost at COMMIT") { try lost { try $0.commit() } }
        expectError(.timeout, from: "statement timeout") {
            try PostgresConnection.open(address(secret) { $0.timeouts.statement = .milliseconds(30) })
                .run("SELECT pg_sleep(9), $1", with: parameters { #expect($0.append("hunter")) })
        }
        expectError(.timeout, from: "lock timeout") {
            try database.connection.transaction(TransactionOptions()) {
                try database.connection.run("LOCK TABLE t")
                try PostgresConnection.open(address(secret) { $0.timeouts.lock = .milliseconds(30) })
                    .run("SELECT * FROM \(database.schema).t")
            }
        }
        expectError(.unavailable, .timeout, from: "idle timeout") {
            let idle = try PostgresConnection.open(address(secret) { $0.timeouts.idle = .milliseconds(30) })
            try idle.begin(TransactionOptions())
            try idle.run("SELECT 1")
            usleep(300_000)
            try idle.run("SELECT 1")
        }
        expectError(.cancelled, .timeout, from: "token") {
            let stopped = try PostgresConnection.open(address(secret))
            let token = InterruptToken()
            token.deadline = .now.advanced(by: .milliseconds(30))
            stopped.interruption = token
            try stopped.run("SELECT pg_sleep(9)")
        }
        let pool = PostgresPool(
            address(secret) {
                $0.connections = 1
                $0.timeouts.connection = .milliseconds(50)
            })
        expectError(.unavailable, .timeout, .misuse, from: "busy pool") {
            try pool.withConnection(for: "test") { _ in
                try pool.withConnection(for: "another") { _ in }
            }
        }
        expectNoSecret(in: pool, "pool")
        expectNoSecret(in: pool.snapshot, "state of a pool")
        try pool.close(within: .seconds(5))
        expectError(.unavailable, .misuse, from: "closed pool") { try pool.withConnection(for: "test") { _ in } }
        expectNoSecret(in: pool, "closed pool")
        expectError(.notSupported, .misuse, from: "listener behind a pooler") {
            _ = try PostgresListener(
                to: "news", at: address(secret) { $0.pooler = .transaction }, pollTimeout: .seconds(1),
                deliver: { _ in })
        }
        let open = try PostgresConnection.open(address(secret))
        expectNoSecret(in: open, "connection")
        expectNoSecret(in: open.address, "address")
        expectNoSecret(in: [address(secret)], "addresses")
        expectNoSecret(in: TransactionOptions(), "options")
    }

    // MARK: Values

    /// The statements fail because of the value, in each part of the server.
    @Test(arguments: secrets) func `the error of a value that the server rejects does not contain it`(secret: String)
        throws
    {
        let connection = try PostgresConnection.open(address("hunter2"))
        try connection.run("SET search_path = \(database.schema)")
        try connection.run(
            """
            CREATE TABLE t (v text UNIQUE, w text REFERENCES t (v), n int CHECK (n < 5), d varchar(3), g int4range,
                EXCLUDE USING gist (g WITH &&))
            """)
        try connection.run(
            "CREATE FUNCTION complain(v text) RETURNS void LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''no %'', v; END'"
        )
        try connection.run(
            "CREATE FUNCTION complain_more(v text) RETURNS void LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING MESSAGE = v, DETAIL = v, HINT = v, ERRCODE = ''P0001'', COLUMN = ''c'', SCHEMA = ''s''; END'"
        )
        try connection.run(
            "CREATE DOMAIN short AS text CHECK (length(VALUE) < 3)")
        let value = parameters { #expect($0.append(secret)) }
        try connection.run("INSERT INTO t (v) VALUES ($1)", with: value)
        for sql in [
            "INSERT INTO t (v) VALUES ($1)", "INSERT INTO t (w) VALUES ($1 || '!')",
            "INSERT INTO t (v, n) VALUES ($1 || '!', 7)",
            "INSERT INTO t (d) VALUES ($1 || 'long')", "SELECT $1::int", "SELECT $1::date", "SELECT $1::uuid",
            "SELECT $1::jsonb",
            "SELECT $1::xml || '<'::xml", "SELECT ($1 || '1')::numeric", "SELECT $1::inet", "SELECT $1::interval",
            "SELECT $1::point",
            "SELECT decode($1 || '!', 'hex')", "SELECT ('{' || $1)::int[]", "SELECT ('(' || $1)::t",
            "SELECT $1::tsquery::text || ($1 || ' & (')::tsquery::text",
            "SELECT set_config('work_mem', $1, false)", "SELECT set_config('search.' || $1, '1', false)::int / 0",
            "SELECT to_timestamp($1, 'YYYY')", "SELECT ($1 || '.x.y.z.t')::regclass", "SELECT 'a' ~ ('(' || $1)",
            "SELECT complain($1)",
            "SELECT complain_more($1)", "SELECT ($1 || '!!!')::short", "SELECT format('%' || $1, 1)",
            "SELECT ('{\"a\":' || $1)::json -> 'a'",
            "SELECT jsonb_path_query('{}', ($1 || '$.')::jsonpath)", "SELECT lo_import('/nowhere/' || $1)",
            "SELECT pg_read_file('/nowhere/' || $1)",
            "SELECT convert_to($1, 'nowhere' || $1)", "SELECT current_setting('x.' || md5($1) || $1)",
            "SELECT nextval($1 || '_nowhere')", "SELECT 1 / (length($1) - length($1))",
            "SELECT ($1)::regtype::text",
        ] {
            expectError(
                .uniqueViolation, .foreignKeyViolation, .constraintViolation, .invalidValue, .statement, .limit,
                .server, .permission, .overflow,
                .divisionByZero, .notSupported, .unavailable, .transaction, from: sql
            ) { try connection.run(sql, with: value) }
        }
        expectError(.misuse, .invalidValue, .statement, .limit, .notSupported, .uniqueViolation, from: "COPY") {
            try connection.copyIn(into: "t (v)", types: [.text]) { writer in
                try writer.beginRow()
                _ = writer.write(secret)
            }
        }
        expectError(.uniqueViolation, .transaction, from: "pipeline") {
            _ = try connection.run(
                [
                    SQLStatement("SELECT 1"), SQLStatement("INSERT INTO t (v) VALUES ($1)", with: value),
                    SQLStatement("SELECT 2"),
                ])
        }
        expectError(.uniqueViolation, .transaction, from: "savepoint") {
            try connection.transaction(TransactionOptions()) {
                _ = try connection.runBehindSavepoint(SQLStatement("INSERT INTO t (v) VALUES ($1)", with: value))
            }
        }
        var options = TransactionOptions()
        options.settings = [.init("app.token", value: secret + "\0")]
        expectError(.invalidValue, from: "setting") {
            try connection.transaction(options) { _ = try connection.run("SELECT 1") }
        }
        options.settings = [.init("no such \(secret)", value: secret)]
        expectError(.statement, .invalidValue, .server, from: "setting without a name") {
            try connection.transaction(options) { _ = try connection.run("SELECT 1") }
        }
    }
}
#endif
