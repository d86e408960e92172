#if PostgreSQL
import Dispatch
import Foundation
import SwormRows
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Listening to notifications", .needsServer)
struct ListenerTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    private let events = SharedList<PostgresListener.Event>()
    init() throws { database = try TestDatabase() }

    private func listener(
        _ channel: String = "news", pollTimeout: Duration = .seconds(600),
        _ change: (inout PostgresAddress) -> Void = { _ in }
    ) throws -> PostgresListener {
        try PostgresListener(
            to: "\(database.schema) \(channel)",
            at: database.address {
                $0.parameters["application_name"] = "\(database.schema) listener"
                change(&$0)
            },
            pollTimeout: pollTimeout, pause: { _ in .milliseconds(20) }, deliver: { [events] in events.append($0) })
    }

    private func notify(_ payload: String, channel: String = "news") throws {
        try connection.run(
            "SELECT pg_notify($1, $2)",
            with: parameters {
                #expect($0.append("\(database.schema) \(channel)"))
                #expect($0.append(payload))
            })
    }

    private var notifications: [PostgresNotification] {
        events.elements.flatMap { event -> [PostgresNotification] in
            if case .notified(let list) = event { list } else { [] }
        }
    }

    private var payloads: [String] { notifications.map(\.payload) }

    private var listeningCount: Int { events.elements.count { $0 == .listening } }

    /// The number of the server's process that serves the listener.
    private var server: Int64? {
        get throws {
            try connection.integer(
                "SELECT max(pid)::bigint FROM pg_stat_activity WHERE application_name = '\(database.schema) listener'")
        }
    }

    @Test func `notifications arrive in the order of their commits`() throws {
        let listener = try listener("it's a \"channel\"")
        #expect(wait { listeningCount == 1 })
        for number in 0..<100 { try notify("\(number)", channel: "it's a \"channel\"") }
        try notify("elsewhere", channel: "other")
        try connection.transaction(TransactionOptions()) {
            try notify("é", channel: "it's a \"channel\"")
            try notify("", channel: "it's a \"channel\"")
        }
        try connection.begin(TransactionOptions())
        try notify("undone", channel: "it's a \"channel\"")
        connection.rollback()
        #expect(wait { payloads.count >= 102 })
        #expect(payloads == (0..<100).map { "\($0)" } + ["é", ""])
        #expect(Set(notifications.map(\.processID)) == [connection.processID])
        listener.stop()
    }

    @Test func `quiet times are reported`() throws {
        let listener = try listener(pollTimeout: .milliseconds(20))
        #expect(wait { events.elements.count { $0 == .quiet } >= 3 })
        try notify("a")
        #expect(wait { payloads == ["a"] })
        listener.stop()
    }

    @Test func `a lost connection is opened again`() throws {
        let listener = try listener()
        for round in 1...3 {
            #expect(wait { listeningCount == round })
            try notify("\(round)")
            #expect(wait { payloads.count == round })
            let pid = try #require(try server)
            try connection.run("SELECT pg_terminate_backend($1::int)", with: parameters { $0.append(Int32(pid)) })
            #expect(
                wait {
                    events.elements.count {
                        if case .interrupted(let error) = $0 { error.kind == .unavailable } else { false }
                    }
                        >= round
                })
        }
        #expect(payloads == ["1", "2", "3"])
        listener.stop()
    }

    @Test func `a server that cannot be reached is tried again`() throws {
        let listener = try listener { $0.hosts = [.init("/nowhere")] }
        #expect(wait { events.elements.count >= 3 })
        #expect(events.elements.allSatisfy { if case .interrupted = $0 { true } else { false } })
        listener.stop()
    }

    @Test func `after its end a listener delivers nothing and closes its connection`() throws {
        let listener = try listener()
        #expect(wait { listeningCount == 1 })
        listener.stop()
        let count = events.elements.count
        try notify("late")
        #expect(try wait { try server == nil })
        #expect(events.elements.count == count)
        // So does one that is no longer used.
        do { _ = try withExtendedLifetime(self.listener("other")) { #expect(wait { listeningCount == 2 }) } }
        #expect(try wait { try server == nil })
    }

    @Test func `the closure can stop its listener`() throws {
        let (box, count) = (ListenerBox(), Counter())
        let listener = try PostgresListener(to: "\(database.schema)", at: database.address()) { event in
            count.add()
            box.stop()
        }
        box.set(listener)
        #expect(wait { count.value >= 1 })
        usleep(50_000)
        try connection.run("NOTIFY \(database.schema)")
        usleep(50_000)
        #expect(count.value == 1)
    }

    @Test func `a listener that is connecting is stopped at once`() throws {
        let silence = try SilentListener()
        let start = ContinuousClock.now
        let listener = try listener {
            $0.hosts = [.init("127.0.0.1", port: silence.port)]
            $0.tls = .disable
            $0.timeouts.connection = .seconds(600)
        }
        usleep(50_000)
        listener.stop()
        #expect(start.duration(to: .now) < .seconds(300))
        #expect(events.elements.isEmpty)
    }

    @Test func `names and addresses that cannot work are errors`() throws {
        let address = database.address()
        for name in ["", "a\0b", String(repeating: "x", count: 64)] {
            #expect(serverError { try PostgresListener(to: name, at: address) { _ in } }?.kind == .misuse)
        }
        let pooled = database.address { $0.pooler = .transaction }
        #expect(serverError { try PostgresListener(to: "a", at: pooled) { _ in } }?.kind == .notSupported)
    }

    @Test func `pauses double up to half a minute`() {
        for (failures, longest) in [(1, 200), (2, 400), (3, 800), (9, 30_000), (1000, 30_000)] {
            for _ in 0..<50 {
                let pause = PostgresListener.standardPause(after: failures)
                #expect(pause <= .milliseconds(longest) && pause >= .milliseconds(longest / 2))
            }
        }
    }

    @Test(.needsCertificate) func `notifications arrive over an encrypted connection`() throws {
        let channel = "encrypted"
        let listener = try PostgresListener(to: channel, at: EncryptedServer.address()) { [events] in events.append($0)
        }
        #expect(wait { listeningCount == 1 })
        let sender = try PostgresConnection.open(EncryptedServer.address())
        let long = String(repeating: "x", count: 7000)
        for number in 0..<50 {
            try sender.run(
                "SELECT pg_notify($1, $2)",
                with: parameters {
                    #expect($0.append(channel))
                    #expect($0.append("\(number) \(long)"))
                })
        }
        #expect(wait { payloads.count == 50 })
        listener.stop()
    }
}

/// A listener that its own closure stops.
///
/// @unchecked: the listener is accessed only while the lock of the condition is held.
private final class ListenerBox: @unchecked Sendable {
    private let condition = NSCondition()
    private var listener: PostgresListener?

    func set(_ listener: PostgresListener) {
        condition.withLock {
            self.listener = listener
            condition.broadcast()
        }
    }

    func stop() {
        condition.lock()
        while listener == nil { _ = condition.wait(until: Date(timeIntervalSinceNow: 1)) }
        let found = listener
        condition.unlock()
        found?.stop()
    }
}
#endif
