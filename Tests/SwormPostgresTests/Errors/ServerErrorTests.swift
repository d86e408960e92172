#if PostgreSQL
import Foundation
import SwormRows
import Testing

@testable import SwormPostgres

@Suite("Errors of the server")
struct ServerErrorTests {
    @Test func `codes after which the outcome is not known are unknown outcomes`() {
        for code in ["40003", "08007"] { #expect(ServerError.Kind(SQLState(rawValue: code)) == .outcomeUnknown) }
        for code in ["08006", "08000"] { #expect(ServerError.Kind(SQLState(rawValue: code)) == .unavailable) }
        for code in ["40001", "40P01", "40002"] { #expect(ServerError.Kind(SQLState(rawValue: code)) == .conflict) }
        #expect(!ServerError(.outcomeUnknown, "x", state: SQLState(rawValue: "40003")).isRetryable)
    }

    @Test(.needsServer, arguments: ["54000", "42501", "42601", "42P01", "0A000", "23505", "P0001"])
    func `no error of a function contains a value`(code: String) throws {
        let connection = try TestDatabase().connection
        try connection.run(
            """
            CREATE FUNCTION pg_temp.leak(v text) RETURNS int LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION USING ERRCODE = '\(code)', MESSAGE = v, DETAIL = v, HINT = v; END $$
            """)
        try connection.run(
            "CREATE FUNCTION pg_temp.leak_in_sql(v text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE v; RETURN 1; END $$"
        )
        let value = parameters { #expect($0.append("hunter2")) }
        for sql in ["SELECT pg_temp.leak($1)", "SELECT pg_temp.leak_in_sql($1)"] {
            let error = try #require(serverError { try connection.run(sql, with: value) })
            #expect(!"\(error)".contains("hunter2"), "\(error)")
        }
    }

    @Test(.needsServer) func `limits contain no value`() throws {
        let connection = try TestDatabase().connection
        let word = String(repeating: "hunter2", count: 500)
        let value = parameters { #expect($0.append("'\(word)'")) }
        let error = try #require(serverError { try connection.run("SELECT $1::tsquery", with: value) })
        #expect(error.kind == .limit)
        #expect(!"\(error)".contains("hunter2"), "\(error)")
    }

    @Test(.needsServer) func `the errors of permissions and policies name their tables`() throws {
        let database = try TestDatabase()
        let connection = database.connection
        let guest = "\(database.schema)_guest"
        try connection.run("CREATE TABLE closed (n bigint)")
        try connection.run("CREATE TABLE guarded (n bigint)")
        try connection.run("ALTER TABLE guarded ENABLE ROW LEVEL SECURITY")
        try connection.run("CREATE POLICY small ON guarded USING (n < 5)")
        try connection.run("CREATE ROLE \(guest)")
        defer {
            _ = try? connection.run("RESET ROLE")
            _ = try? connection.run("DROP OWNED BY \(guest)")
            _ = try? connection.run("DROP ROLE \(guest)")
        }
        try connection.run("GRANT USAGE ON SCHEMA \(database.schema) TO \(guest)")
        try connection.run("GRANT ALL ON guarded TO \(guest)")
        try connection.run("SET ROLE \(guest)")
        let closed = try #require(serverError { try connection.run("SELECT * FROM closed") })
        #expect(closed.kind == .permission && closed.message.hasSuffix("permission denied for table closed"))
        let guarded = try #require(serverError { try connection.run("INSERT INTO guarded VALUES (7)") })
        #expect(
            guarded.kind == .permission && guarded.message.contains("row-level security policy for table \"guarded\""))
    }
}
#endif
