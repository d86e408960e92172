#if PostgreSQL
import Testing

@testable import SwormPostgres

@Suite("Addresses and libpq's environment variables")
struct AddressEnvironmentTests {
    typealias Host = PostgresAddress.Host

    private func hosts(_ text: String, _ environment: [String: String]) throws -> [Host] {
        try PostgresAddress(text).resolvedHosts(environment)
    }

    @Test func `variables name the hosts that an address leaves out`() throws {
        #expect(try hosts("postgres:///d", [:]) == [Host("")])
        #expect(
            try hosts("postgres:///d", ["PGHOST": "a,/tmp", "PGPORT": "1,2"]) == [
                Host("a", port: 1), Host("/tmp", port: 2),
            ])
        #expect(
            try hosts("postgres:///d", ["PGHOST": "a,b", "PGHOSTADDR": "10.0.0.1,::1"]) == [
                Host("a", address: "10.0.0.1"), Host("b", address: "::1"),
            ])
        #expect(try hosts("port=7", ["PGHOST": "a", "PGPORT": "5"]) == [Host("a", port: 7)])
        #expect(try hosts("host=c", ["PGHOST": "a", "PGPORT": "5"]) == [Host("c")])
    }

    @Test(arguments: ["host=/tmp", "host=db.example.org", "postgres://a,b/d", "host=a,b hostaddr=,10.0.0.2"])
    func `an IP address of the environment does not lead to another server`(text: String) throws {
        // libpq would connect to it without a word, and without encryption where the address names a socket.
        let error = try #require(serverError { try hosts(text, ["PGHOSTADDR": "10.0.0.1"]) })
        #expect(error.kind == .address && error.message.contains("PGHOSTADDR"))
        #expect(throws: Never.self) { try hosts(text, ["PGHOSTADDR": ""]) }
        #expect(throws: Never.self) { try hosts("host=a hostaddr=10.0.0.2", ["PGHOSTADDR": "10.0.0.1"]) }
    }

    @Test(arguments: ["postgres:///d", "host=/tmp", "host=a hostaddr=10.0.0.2"])
    func `a service of the environment is an error`(text: String) throws {
        let error = try #require(serverError { try hosts(text, ["PGSERVICE": "shop"]) })
        #expect(error.kind == .address && error.message.contains("PGSERVICE"))
    }
}
#endif
