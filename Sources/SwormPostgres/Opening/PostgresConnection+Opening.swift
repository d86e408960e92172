#if PostgreSQL
import CSwormPQ
import Foundation
package import SwormRows

extension PostgresConnection {
    /// The oldest version of the server that the driver uses, since which `extract(epoch …)` is exact.
    private static var oldestVersion: Int { 140_000 }

    /// Connects to the first host of the address that can be reached.
    ///
    /// - Parameters:
    ///   - deadline: The time at which to give up; nil for the connection timeout of the address alone. All hosts, with their
    ///     look-ups, share the time: each gets an equal part of what is left, so that one that does not answer leaves time for
    ///     the next.
    ///   - token: Stops the opening.
    /// - Throws: ``ServerError``, which contains neither the password nor the address as it was written.
    package static func open(
        _ address: PostgresAddress, until deadline: ContinuousClock.Instant? = nil, token: InterruptToken? = nil
    ) throws -> PostgresConnection {
        if let token, token.stopsWork { throw ServerError.stopped(by: token) }
        let password: String?
        switch address.password {
        case .standard: password = nil
        case .fixed(let text): password = text
        case .asked(let ask): password = try ask()
        }
        let hosts = try address.resolvedHosts()
        let limits = OpeningLimits(address.timeouts.connection, until: deadline, token: token)
        // Asked of one host at a time, "prefer" means a first round that insists.
        let rounds: [PostgresAddress.Target] = address.target == .preferStandby ? [.standby, .any] : [address.target]
        var failures: [ServerError] = []
        var left = rounds.count * hosts.count
        for round in rounds {
            for host in hosts {
                let attempt = OpeningAttempt(host, of: address, password: password, target: round)
                do {
                    return try attempt.run(within: limits.share(of: left))
                } catch let failure as ServerError {
                    // The next host would reject a wrong password too, and might lock the user out.
                    guard failure.kind == .unavailable else { throw failure }
                    failures.append(failure)
                    left -= 1
                }
            }
        }
        guard failures.count > 1, var last = failures.last else {
            throw failures.first ?? ServerError.address("it has no host")
        }
        last.message = failures.map(\.message).joined(separator: "; ")
        throw last
    }

    /// Makes a connection of one that libpq has opened.
    static func opened(
        _ handle: OpaquePointer, to host: PostgresAddress.Host, of address: PostgresAddress,
        within limits: OpeningLimits
    ) throws -> PostgresConnection {
        do {
            guard PQsetnonblocking(handle, 1) == 0 else { throw ServerError(.unavailable, "the connection was lost") }
            try checkServer(handle)
        } catch {
            PQfinish(handle)
            throw error
        }
        let connection = PostgresConnection(handle, to: host, of: address)
        connection.opening = limits
        try connection.setUp()
        connection.opening = nil
        return connection
    }

    private static func checkServer(_ handle: OpaquePointer) throws {
        let version = Int(PQserverVersion(handle))
        guard version >= oldestVersion else {
            throw ServerError(
                .notSupported,
                "the server has version \(version / 10_000) of PostgreSQL; version \(oldestVersion / 10_000) or later is needed"
            )
        }
        let encoding = PQparameterStatus(handle, "server_encoding").map { String(cString: $0) } ?? "unknown"
        guard encoding == "UTF8" else {
            throw ServerError(
                .notSupported,
                "the database has the encoding \(encoding); create it with ENCODING 'UTF8', which stores every string")
        }
    }

    /// Sets the session's timeouts, where a session is the connection's own, and turns the compilation of expressions off:
    /// the server cannot be interrupted while it compiles, and short statements take longer with it.
    private func setUp() throws {
        guard address.pooler == .none else { return }
        let settings = TransactionOptions.settings(address.timeouts) + ["jit = off"]
        _ = try exchange(settings.map { Command(.command("SET " + $0)) })
    }
}
#endif
