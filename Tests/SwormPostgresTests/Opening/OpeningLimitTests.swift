#if PostgreSQL
import Dispatch
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Limits of opening connections")
struct OpeningLimitTests {
    typealias Host = PostgresAddress.Host

    /// The address of a socket that accepts connections and says nothing.
    private func silent(
        _ listener: SilentListener, _ change: (inout PostgresAddress) -> Void = { _ in }
    ) -> PostgresAddress {
        var address = PostgresAddress(
            hosts: [Host("127.0.0.1", port: listener.port)], database: "postgres", user: "postgres")
        address.tls = .disable
        address.timeouts.connection = .seconds(600)
        change(&address)
        return address
    }

    @Test func `a server that does not answer is given up in time`() throws {
        let listener = try SilentListener()
        let address = silent(listener) { $0.timeouts.connection = .milliseconds(200) }
        let error = try #require(serverError { try PostgresConnection.open(address) })
        #expect(error.kind == .unavailable)
        #expect(error.message.contains("did not answer within 0.2 seconds"))
    }

    @Test func `a deadline, a token and its deadline end an opening`() throws {
        let listener = try SilentListener()
        let address = silent(listener)
        let early = serverError {
            try PostgresConnection.open(address, until: .now.advanced(by: .milliseconds(100)))
        }
        #expect(early?.kind == .unavailable && early?.message.contains("within 0.1 seconds") == true)

        let token = InterruptToken()
        let thread = Thread {
            usleep(100_000)
            token.interrupt(.cancelled)
        }
        thread.start()
        #expect(serverError { try PostgresConnection.open(address, token: token) }?.kind == .cancelled)
        #expect(serverError { try PostgresConnection.open(address, token: token) }?.kind == .cancelled)

        let late = InterruptToken()
        late.deadline = .now.advanced(by: .milliseconds(100))
        #expect(serverError { try PostgresConnection.open(address, token: late) }?.kind == .timeout)
    }

    @Test(.needsServer) func `a host that does not answer leaves time for the next one`() throws {
        let (database, listener) = (try TestDatabase(), try SilentListener())
        let connection = try database.connect {
            $0.hosts.insert(Host("127.0.0.1", port: listener.port), at: 0)
            $0.hosts.insert(Host("localhost", port: listener.port), at: 1)
            $0.tls = .disable
            $0.timeouts.connection = .seconds(9)
        }
        #expect(connection.host.isSocket)
    }

    @Test func `shares of the time are equal parts of what is left`() throws {
        let limits = OpeningLimits(.seconds(90))
        let now = ContinuousClock.now
        let share = try #require(limits.share(of: 3).end)
        #expect(share > now.advanced(by: .seconds(20)) && share < now.advanced(by: .seconds(31)))
        #expect(limits.share(of: 1).end == limits.end)
        #expect(OpeningLimits(nil).share(of: 4).end == nil)
        let token = InterruptToken()
        token.deadline = now.advanced(by: .seconds(30))
        #expect(OpeningLimits(.seconds(90), until: now.advanced(by: .seconds(60)), token: token).end == token.deadline)
    }

    // MARK: Names

    @Test func `a look-up that takes too long is given up`() throws {
        let (held, host) = (DispatchSemaphore(value: 0), Host("db.example.org"))
        defer { held.signal() }
        let find: @Sendable (String) -> Result<[String], ServerError> = { _ in
            held.wait()
            held.signal()
            return .success([])
        }
        let limits = OpeningLimits(.milliseconds(100))
        let late = serverError { try NameLookup.addresses(of: host, within: limits, by: find) }
        #expect(late?.kind == .unavailable && late?.message.contains("did not answer within 0.1 seconds") == true)
        let token = InterruptToken()
        token.interrupt(.cancelled)
        let stopped = serverError {
            try NameLookup.addresses(of: host, within: OpeningLimits(.seconds(600), token: token), by: find)
        }
        #expect(stopped?.kind == .cancelled)
    }

    @Test func `names have addresses in the order of the system`() throws {
        let found = try NameLookup.addresses(of: Host("localhost"), within: OpeningLimits(.seconds(60)))
        #expect(found.contains("127.0.0.1") || found.contains("::1"))
        #expect(found.allSatisfy { AddressReader.isAddress($0) })
        #expect(Set(found).count == found.count)
    }

    @Test func `a host that does not exist is an error that names it`() throws {
        var address = PostgresAddress(hosts: [Host("nowhere.invalid")], database: "d", user: "u")
        address.timeouts.connection = .seconds(60)
        let error = try #require(serverError { try PostgresConnection.open(address) })
        #expect(error.kind == .unavailable)
        #expect(error.message.hasPrefix("cannot connect to the server at nowhere.invalid: "))
    }

    // MARK: libpq

    @Test func `a connection that leads elsewhere is rejected before anything is sent`() throws {
        func check(_ keywords: [(name: String, value: String)], against host: Host) -> ServerError? {
            guard let handle = OpeningAttempt.start(keywords + [("connect_timeout", "1")]) else { return nil }
            defer { libpqFinish(handle) }
            return serverError { try OpeningAttempt.check(handle, leadsTo: host) }
        }
        let socket = [(name: "host", value: "/nowhere"), (name: "port", value: "7")]
        #expect(check(socket, against: Host("/nowhere", port: 7)) == nil)
        #expect(check(socket, against: Host("/nowhere")) == nil)
        #expect(check(socket, against: Host("/nowhere", port: 8))?.kind == .address)
        #expect(check(socket, against: Host("/elsewhere", port: 7))?.kind == .address)
        #expect(check(socket + [("hostaddr", "127.0.0.1")], against: Host("/nowhere", port: 7))?.kind == .address)
        let network = [(name: "host", value: "db"), (name: "hostaddr", value: "127.0.0.1"), (name: "port", value: "1")]
        #expect(check(network, against: Host("db", address: "127.0.0.1", port: 1)) == nil)
        #expect(check(network, against: Host("db", address: "127.0.0.2", port: 1))?.kind == .address)
        #expect(check(network, against: Host("db", port: 1))?.kind == .address)
        #expect(check(network, against: Host("", address: "127.0.0.1", port: 1)) == nil)
    }

    @Test(arguments: [
        ("connection to server failed: FATAL:  28P01", "28P01"),
        ("connection to server failed: FATAL:  28P01\npassword retrieved from file \"/home/a/.pgpass\"\n", "28P01"),
        ("first: FATAL:  57P03\nsecond: FATAL:  3D000", "3D000"),
        ("connection to server failed: Connection refused\n\tIs the server running?", nil),
        ("could not translate host name: ABCDE", "ABCDE"), ("", nil), ("FATAL:  28p01", nil),
    ])
    func `the server's code is found in any line`(message: String, code: String?) {
        #expect(OpeningAttempt.code(in: message)?.rawValue == code)
    }
}
#endif
