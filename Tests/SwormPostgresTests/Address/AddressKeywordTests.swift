#if PostgreSQL
import Foundation
import Testing

@testable import SwormPostgres

@Suite("The parameters that libpq gets")
struct AddressKeywordTests {
    private func keywords(_ text: String, password: String? = nil) throws -> [String: String] {
        let address = try PostgresAddress(text)
        let host = try #require(try address.resolvedHosts([:]).first)
        let keywords = address.keywords(for: host, password: password, target: .any)
        return Dictionary(uniqueKeysWithValues: keywords.map { ($0.name, $0.value) })
    }

    @Test func `hosts are verified unless something weaker is written`() throws {
        #expect(try keywords("postgres://h/d")["sslmode"] == "verify-full")
        #expect(try keywords("hostaddr=127.0.0.1")["sslmode"] == "verify-full")
        #expect(try keywords("postgres://localhost/d")["sslmode"] == "verify-full")
        #expect(try keywords("postgres://h/d?sslmode=prefer")["sslmode"] == "prefer")
        #expect(try keywords("postgres://h/d")["channel_binding"] == "prefer")
        #expect(try keywords("postgres://h/d")["gssencmode"] == "disable")
        #expect(try keywords("postgres://h/d?gssencmode=prefer")["gssencmode"] == "prefer")
    }

    @Test func `sockets are not encrypted`() throws {
        for text in ["postgres:///d", "host=/tmp", "host=@abstract", "host=/tmp sslmode=verify-full"] {
            #expect(try keywords(text)["sslmode"] == "disable")
        }
    }

    @Test func `a list is tried one host at a time`() throws {
        let address = try PostgresAddress("postgres://a:1,b:2/d")
        let second = address.keywords(for: address.hosts[1], password: nil, target: .readWrite)
        #expect(second.contains { $0 == ("host", "b") })
        #expect(second.contains { $0 == ("port", "2") })
        #expect(second.contains { $0 == ("target_session_attrs", "read-write") })
    }

    @Test func `a host of the environment is verified too`() throws {
        let address = try PostgresAddress("postgres:///d")
        #expect(try address.resolvedHosts(["PGHOST": "a,/tmp", "PGPORT": "1,2"]).map(\.isSocket) == [false, true])
        #expect(try address.resolvedHosts(["PGHOSTADDR": "10.0.0.1"]) == [.init("", address: "10.0.0.1")])
        #expect(try address.resolvedHosts([:]) == [.init("")])
        #expect(try PostgresAddress("port=7").resolvedHosts(["PGHOST": "a", "PGPORT": "1"]) == [.init("a", port: 7)])
        #expect(try PostgresAddress("host=b").resolvedHosts(["PGHOST": "a"]) == [.init("b")])
        #expect(serverError { try address.resolvedHosts(["PGPORT": "x"]) }?.kind == .address)
    }

    @Test func `the schema and the timeouts stay with the driver`() throws {
        let keywords = try keywords("postgres://h/d?schema=s&statement_timeout=5&pooler=transaction", password: "p")
        #expect(keywords["schema"] == nil && keywords["statement_timeout"] == nil && keywords["pooler"] == nil)
        #expect(keywords["password"] == "p")
        #expect(keywords["client_encoding"] == "UTF8")
    }
}
#endif
