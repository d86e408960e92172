#if PostgreSQL
import Foundation
import Testing

@testable import SwormPostgres

@Suite("Secrets of addresses")
struct AddressSecretTests {
    /// Addresses with mistakes, each with the password hunter2 or with parts of it.
    static let mistakes = [
        "postgres://ann:hunter2@127.0.0.1:55439x/db",
        "postgres://ann:hunter2@127.0.0.1:1/db?sslmode=disable&connect_timeout=1",
        "host=127.0.0.1 port=1 user=nobody_here password=hunter2 dbname=sworm sslmode=disable connect_timeout=1",
        "host=127.0.0.1 pass word=hunter2",
        "password='hunter2",
        "postgres://ann:hunter2@[::1/db",
        "postgres://ann:hunter%zz2@h/db",
        "postgres://ann:hunter2@h/db?sslmode=wrong",
        "postgres://ann:hunter2@h/db?x=1",
        "postgres:ann:hunter2@h",
        "host=127.0.0.1 port=55439 password=hunter2 hunter2",
        // A password that is not encoded falls apart in each possible way.
        "postgres://ann:hunter2/x@h/db", "postgres://ann:hunter2?x@h/db", "postgres://ann:hunter2?x=y@h/db",
        "postgres://ann:hunter2#x@h/db", "postgres://ann:hunter2@x@h/db", "postgres://ann:hunter2[x@h/db",
        "postgres://ann:1/hunter2@h/db", "postgres://ann:1/hunter2/db", "postgres://ann:1?hunter2=1",
        "postgres://ann:x?hunter2",
        "postgres://ann:1/?hunter2&x", "postgres://hunter2%@h", "postgres://h/hunter2%4",
        "postgres://h?password=hunter2=",
        "postgres://h?password=%00hunter2", "password=hunter2\0", "password=x'hunter2 y", "hunter2", "hunter2=x",
        "x = hunter2",
        "port=hunter2", "sslmode=hunter2", "hostaddr=hunter2", "connections=hunter2", "statement_timeout=hunter2",
        "dbname=hunter2=", "schema=hunter2hunter2hunter2hunter2hunter2hunter2hunter2hunter2hunter2hunter2hunter2",
        "host=a,b port=1,2,3 password=hunter2", "service=hunter2", "host='a/hunter2'",
        "postgres://ann:hunter2@127.0.0.1:1/db?sslmode=verify-full&sslrootcert=/nowhere&connect_timeout=1",
        "postgres://ann:hunter2@127.0.0.1:1/db?channel_binding=require&sslmode=disable&connect_timeout=1",
        "postgres://ann:hunter2@h/db?gssencmode=wrong", "postgres://ann:hunter2@h/db?keepalives=hunter2",
        "postgres://ann:hunter2@127.0.0.1:1/db?sslmode=verify-ca&sslcert=/nowhere&sslpassword=hunter2&connect_timeout=1",
        "postgres://ann:hunter2@127.0.0.1:1,127.0.0.1:2/db?sslmode=disable&connect_timeout=1",
    ]

    private func texts(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped, (value as? any Error)?.localizedDescription ?? ""]
    }

    @Test(arguments: mistakes)
    func `no error contains a part of the password`(text: String) throws {
        // Each address fails: while it is read, or when a connection is opened.
        let error = try #require(throws: (any Error).self) { _ = try PostgresConnection.open(PostgresAddress(text)) }
        for text in texts(of: error) { #expect(!text.contains("hunter")) }
        let kind = try #require((error as? ServerError)?.kind)
        #expect([.address, .unavailable, .permission].contains(kind))
    }

    @Test func `no description contains the password or a parameter`() throws {
        let address = try PostgresAddress("postgres://ann:hunter2@h/db?options=hunter2&sslpassword=hunter2")
        let optional: PostgresAddress? = address
        for text in texts(of: address) + texts(of: [address]) + texts(of: optional as Any) {
            #expect(!text.contains("hunter2"))
            #expect(text.isEmpty || text.contains("postgres://ann@h/db"))
        }
    }

    @Test(.needsServer) func `no error of the server contains the password`() throws {
        let database = try TestDatabase()
        for change: (inout PostgresAddress) -> Void in [
            { $0.user = "nobody_here" }, { $0.database = "nowhere" }, { $0.parameters["options"] = "-c hunter2=1 -x" },
            { $0.channelBinding = .require }, { $0.target = .standby },
        ] {
            let error = try #require(throws: (any Error).self) {
                try database.connect {
                    $0.password = .fixed("hunter2")
                    change(&$0)
                }
            }
            for text in texts(of: error) { #expect(!text.contains("hunter2")) }
        }
    }

    @Test(.needsServer) func `no error of the server contains a value`() throws {
        let connection = try TestDatabase().connection
        try connection.run("CREATE TEMP TABLE t (v text UNIQUE, n int CHECK (n < 5), d date)")
        let value = parameters { #expect($0.append("hunter2")) }
        try connection.run("INSERT INTO t (v) VALUES ($1)", with: value)
        for sql in [
            "INSERT INTO t (v) VALUES ($1)", "SELECT $1::int", "SELECT $1::date", "SELECT $1::uuid", "SELECT $1::jsonb",
            "INSERT INTO t (v, n) VALUES ($1 || '!', 7)", "SELECT set_config('work_mem', $1, false)",
            "SELECT set_config('statement_timeout', $1, true)",
            "SELECT 1 / length($1::text) - length(repeat($1, 1 << 28))",
            "SELECT to_timestamp($1, 'YYYY')", "SELECT $1::regclass", "SELECT 'a' ~ ('(' || $1)",
        ] {
            let error = try #require(throws: (any Error).self, "\(sql)") { try connection.run(sql, with: value) }
            for text in texts(of: error) { #expect(!text.contains("hunter2"), "\(sql)") }
        }
    }
}
#endif
