#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Addresses of servers")
struct AddressTests {
    typealias Host = PostgresAddress.Host

    private func password(_ address: PostgresAddress) -> String? {
        if case .fixed(let text) = address.password { text } else { nil }
    }

    @Test func `a URI is read`() throws {
        let address = try PostgresAddress("postgres://ann:s3cret@db.example.org:5433/shop?application_name=till")
        #expect(address.hosts == [Host("db.example.org", port: 5433)])
        #expect(address.user == "ann")
        #expect(password(address) == "s3cret")
        #expect(address.database == "shop")
        #expect(address.parameters == ["application_name": "till"])
        #expect(address.description == "postgres://ann@db.example.org:5433/shop")
    }

    @Test(arguments: ["postgres://", "postgresql://", "POSTGRES:///", "postgres://@", "postgres:///?"])
    func `an empty URI leaves everything to the environment`(text: String) throws {
        let address = try PostgresAddress(text)
        #expect(address.hosts.isEmpty && address.user == nil && address.database == nil && password(address) == nil)
    }

    @Test func `hosts are lists`() throws {
        let address = try PostgresAddress("postgres://a,b:2,[2001:db8::1]:3,[::1],%2Fvar%2Frun:4/")
        #expect(
            address.hosts == [
                Host("a"), Host("b", port: 2), Host("2001:db8::1", port: 3), Host("::1"), Host("/var/run", port: 4),
            ])
        #expect(address.description == "postgres://a,b:2,[2001:db8::1]:3,[::1],%2Fvar%2Frun:4/")
        #expect(try PostgresAddress(address.description).hosts == address.hosts)
        #expect(address.hosts.map(\.isSocket) == [false, false, false, false, true])
    }

    @Test func `everything is percent-decoded`() throws {
        let address = try PostgresAddress("postgres://a%40b:p%3A%2F%3f%23@h/d%20%C3%A9?application%5Fname=%26%3D")
        #expect(address.user == "a@b")
        #expect(password(address) == "p:/?#")
        #expect(address.database == "d é")
        #expect(address.parameters == ["application_name": "&="])
        #expect(address.description == "postgres://a%40b@h/d%20%C3%A9")
    }

    @Test func `a password may contain colons`() throws {
        #expect(password(try PostgresAddress("postgres://ann:a:b:@h/d")) == "a:b:")
        #expect(password(try PostgresAddress("postgres://ann:@h/d")) == nil)
    }

    @Test func `keywords are read with libpq's quotes`() throws {
        let address = try PostgresAddress(
            " host = db port=5433\tuser='ann lee' password = 'it\\'s \\\\' dbname=shop\\ two hostaddr='' application_name=''"
        )
        #expect(address.hosts == [Host("db", port: 5433)])
        #expect(address.user == "ann lee")
        #expect(password(address) == "it's \\")
        #expect(address.database == "shop two")
        #expect(address.parameters == ["application_name": ""])
    }

    @Test func `keyword lists of hosts, addresses and ports belong together`() throws {
        let address = try PostgresAddress("host=a,b hostaddr=10.0.0.1,::1 port=1,2")
        #expect(address.hosts == [Host("a", address: "10.0.0.1", port: 1), Host("b", address: "::1", port: 2)])
        #expect(try PostgresAddress("host=a,b port=7").hosts == [Host("a", port: 7), Host("b", port: 7)])
        #expect(try PostgresAddress("host=a,b port=7,").hosts == [Host("a", port: 7), Host("b")])
        #expect(try PostgresAddress("hostaddr=10.0.0.1").hosts == [Host("", address: "10.0.0.1")])
        #expect(try PostgresAddress("port=7 host=/tmp").hosts == [Host("/tmp", port: 7)])
        #expect(try PostgresAddress("postgres:///d?host=/tmp&port=7").hosts == [Host("/tmp", port: 7)])
        for text in ["host=a,b port=1,2,3", "host=a,b hostaddr=::1", "port=1,2"] {
            #expect(serverError { try PostgresAddress(text) }?.kind == .address)
        }
    }

    @Test func `parameters set the driver's options`() throws {
        let address = try PostgresAddress(
            "postgres://h/d?sslmode=require&channel_binding=require&pooler=transaction&schema=shop&connections=3"
                + "&connect_timeout=7&statement_timeout=1500&lock_timeout=3s&idle_in_transaction_session_timeout=2%20min"
                + "&target_session_attrs=read-write&write_timeout=8s")
        #expect(address.tls == .require)
        #expect(address.channelBinding == .require)
        #expect(address.pooler == .transaction)
        #expect(address.schema == "shop")
        #expect(address.connections == 3)
        #expect(address.target == .readWrite)
        #expect(
            address.timeouts
                == .init(
                    connection: .seconds(7), statement: .milliseconds(1500), lock: .seconds(3), idle: .seconds(120),
                    write: .seconds(8)))
        let none = try PostgresAddress("connect_timeout=0 statement_timeout=0 lock_timeout=0 write_timeout=0")
        #expect(none.timeouts == .init(connection: nil, statement: nil, lock: nil, write: nil))
    }

    @Test(arguments: [
        "sslmode=wrong", "sslmode=", "connections=0", "connections=many", "pooler=session", "schema=", "port=0",
        "port=65536", "port=-1", "port=+5", "port=٥", "connect_timeout=soon", "statement_timeout='5 parsecs'",
        "lock_timeout=99999999999999999999", "host=a\u{1}b", "host=a/b", "hostaddr=nowhere", "dbname='a=b'",
        "dbname=postgres://x", "target_session_attrs=best",
    ])
    func `a wrong value is an error that names the parameter`(text: String) throws {
        let error = try #require(serverError { try PostgresAddress(text) })
        let name = try #require(text.split(separator: "=").first)
        #expect(error.kind == .address)
        #expect(error.message.contains("parameter \(name) must be "))
    }

    @Test(arguments: [
        ("ssl_mode=require", "sslmode"), ("SSLMODE=require", "sslmode"), ("databse=x", nil), ("hots=x", nil),
        ("usr=x", "user"), ("pasword=x", "password"),
    ])
    func `an unknown parameter is an error with the nearest name`(text: String, nearest: String?) throws {
        let error = try #require(serverError { try PostgresAddress(text) })
        #expect(error.message.hasSuffix(nearest.map { "not known; did you mean \($0)?" } ?? "is not known"))
    }

    @Test(arguments: ["service=x", "replication=true", "client_encoding=LATIN1", "requiressl=1", "ssl=true"])
    func `a parameter that the driver does not support is an error`(text: String) throws {
        let error = try #require(serverError { try PostgresAddress(text) })
        #expect(error.message.contains("is not supported: "))
    }

    @Test(arguments: [
        "", " ", "db.example.org", "postgres:", "postgres:/h", "mysql://h", "=x", "host", "host=a b", "'host'=a",
        "host='a", "host='a\\", "postgres://[::1", "postgres://[::1]x", "postgres://a:b:1/d", "postgres://h/a/b",
        "postgres://h/d?x", "postgres://h/d?user=a=b", "postgres://h/d?&user=a", "postgres://h/d#e", "postgres://%zz/d",
        "postgres://%/d", "postgres://%4/d", "postgres://h/%00", "postgres://h/%FF", "postgres://a@b@c/d",
        "postgres://h/a@b", "postgres://h:x/d", "postgres://a b/d",
    ])
    func `anything else is an error`(text: String) {
        if text.allSatisfy({ $0 == " " }) || text == "" {
            #expect(serverError { try PostgresAddress(text) }?.kind == .address)
        }
        #expect(serverError { try PostgresAddress(text) }?.kind == .address, "\(text)")
    }

    @Test func `random bytes are read or are errors`() {
        var random = seededRandom()
        let pieces = [
            "postgres://", "host", "=", "user", "'", "\\", "@", ":", "/", "?", "&", "%", "%41", "[", "]", ",", "a", "1",
            "é", " ", "\0", "sslmode", "require", "#",
        ]
        for _ in 0..<50_000 {
            let text = (0..<random.pick(14)).compactMap { _ in random.pick(pieces) }.joined()
            guard let address = try? PostgresAddress(text) else { continue }
            #expect((try? PostgresAddress(address.description)) != nil, "\(text) \(address)")
        }
    }
}
#endif
