#if PostgreSQL
import CSwormPQ
import Foundation

extension PostgresConnection {
    /// The oldest version of the server that the driver uses, since which `extract(epoch …)` is exact.
    private static var oldestVersion: Int { 140_000 }

    /// Connects to the first host of the address that can be reached.
    ///
    /// - Throws: ``ServerError``, which contains neither the password nor the address as it was written.
    package static func open(_ address: PostgresAddress) throws -> PostgresConnection {
        let password: String?
        switch address.password {
        case .standard: password = nil
        case .fixed(let text): password = text
        case .asked(let ask): password = try ask()
        }
        let hosts = try address.resolvedHosts()
        // Asked of one host at a time, "prefer" means a first round that insists.
        let rounds: [PostgresAddress.Target] = address.target == .preferStandby ? [.standby, .any] : [address.target]
        var failures: [ServerError] = []
        for round in rounds {
            for host in hosts {
                do {
                    return try open(host, of: address, password: password, target: round)
                } catch let failure as ServerError {
                    // The next host would reject a wrong password too, and might lock the user out.
                    guard failure.kind == .unavailable else { throw failure }
                    failures.append(failure)
                }
            }
        }
        guard failures.count > 1, var last = failures.last else {
            throw failures.first ?? ServerError.address("it has no host")
        }
        last.message = failures.map(\.message).joined(separator: "; ")
        throw last
    }

    private static func open(
        _ host: PostgresAddress.Host, of address: PostgresAddress, password: String?, target: PostgresAddress.Target
    ) throws -> PostgresConnection {
        let keywords = address.keywords(for: host, password: password, target: target)
        let secrets = [password, address.parameters["sslpassword"]].compactMap(\.self)
        guard !keywords.contains(where: { $0.value.utf8.contains(0) }) else {
            throw ServerError.address("a value contains NUL")
        }
        guard let handle = start(keywords) else { throw ServerError(.server, "out of memory for a connection") }
        do {
            // The server's part of a failure is then its code alone, without values. Notices are dropped, because libpq
            // would print them.
            PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
            PQsetNoticeReceiver(handle, { _, _ in }, nil)
            try waitForConnection(handle, host: host, address: address, secrets: secrets)
            PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
            guard PQsetnonblocking(handle, 1) == 0 else { throw ServerError(.unavailable, "the connection was lost") }
            try checkServer(handle)
        } catch {
            PQfinish(handle)
            throw error
        }
        let connection = PostgresConnection(handle, to: host, of: address)
        try connection.setTimeouts()
        return connection
    }

    private static func start(_ keywords: [(name: String, value: String)]) -> OpaquePointer? {
        func withTerminated<R>(
            _ strings: [String], body: (UnsafePointer<UnsafePointer<CChar>?>?) -> R
        ) -> R {
            let copies = strings.map { strdup($0) }
            defer { for copy in copies { free(copy) } }
            let list = copies.map { UnsafePointer($0) } + [nil]
            return list.withUnsafeBufferPointer { body($0.baseAddress) }
        }
        return withTerminated(keywords.map(\.name)) { names in
            // The name of the database must not be read as an address of its own.
            withTerminated(keywords.map(\.value)) { values in PQconnectStartParams(names, values, 0) }
        }
    }

    private static func waitForConnection(
        _ handle: OpaquePointer, host: PostgresAddress.Host, address: PostgresAddress, secrets: [String]
    ) throws {
        let end = address.timeouts.connection.map { ContinuousClock.now.advanced(by: $0) }
        var state = PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard state != PGRES_POLLING_FAILED else {
                throw connectionFailure(handle, host: host, address: address, secrets: secrets)
            }
            let events = state == PGRES_POLLING_READING ? Socket.input : Socket.output
            guard Socket.wait(PQsocket(handle), for: events, until: end) != .timedOut else {
                throw ServerError(
                    .unavailable,
                    "the server at \(host) did not answer within \(address.timeouts.connection ?? .zero)")
            }
            state = PQconnectPoll(handle)
        }
    }

    private static func connectionFailure(
        _ handle: OpaquePointer, host: PostgresAddress.Host, address: PostgresAddress, secrets: [String]
    ) -> ServerError {
        let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        if let state = code(in: text) {
            let kind = ServerError.Kind(state)
            let user = address.user.map { " as user \"\($0)\"" } ?? ""
            let database = address.database.map { " to database \"\($0)\"" } ?? ""
            return ServerError(
                kind, "cannot connect to the server at \(host)\(database)\(user): \(state.explanation)", state: state)
        }
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        var reason = lines.joined(separator: " ")
        // libpq does not print passwords here. If it ever does, its text is not used.
        if reason.isEmpty || secrets.contains(where: { !$0.isEmpty && reason.contains($0) }) {
            reason = "libpq reports no reason"
        }
        let needsPassword = PQconnectionNeedsPassword(handle) == 1
        return ServerError(
            needsPassword ? .permission : .unavailable, "cannot connect to the server at \(host): \(reason)")
    }

    /// Returns the server's code at the end of a message, where libpq writes it behind the severity.
    private static func code(in message: String) -> SQLState? {
        let line = message.split(separator: "\n").last?.trimmingCharacters(in: .whitespaces) ?? ""
        guard let space = line.lastIndex(of: " "), line[..<space].last(where: { $0 != " " }) == ":" else { return nil }
        let code = line[line.index(after: space)...]
        guard code.utf8.count == 5, code.utf8.allSatisfy({ isCodeByte($0) }) else { return nil }
        return SQLState(rawValue: String(code))
    }

    private static func isCodeByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
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

    /// Sets the session's timeouts, where a session is the connection's own.
    private func setTimeouts() throws {
        guard address.pooler == .none else { return }
        let timeouts = TransactionOptions.settings(address.timeouts)
        _ = try exchange(timeouts.map { Command(.command("SET " + $0)) })
    }
}
#endif
