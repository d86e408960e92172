#if PostgreSQL
import CSwormPQ
import Foundation

/// An attempt to connect to one host of an address.
struct OpeningAttempt {
    private let host: PostgresAddress.Host
    private let address: PostgresAddress
    private let password: String?
    private let target: PostgresAddress.Target

    init(
        _ host: PostgresAddress.Host, of address: PostgresAddress, password: String?, target: PostgresAddress.Target
    ) {
        self.host = host
        self.address = address
        self.password = password
        self.target = target
    }

    /// Connects to the first IP address of the host that answers.
    func run(within limits: OpeningLimits) throws -> PostgresConnection {
        if host.isSocket || host.address != nil { return try connect(to: host, within: limits) }
        let found = try addresses(within: limits)
        var failure: ServerError?
        for (index, address) in found.enumerated() {
            var endpoint = host
            endpoint.address = address
            do {
                return try connect(to: endpoint, within: limits.share(of: found.count - index))
            } catch let error as ServerError {
                guard error.kind == .unavailable else { throw error }
                failure = error
            }
        }
        throw failure ?? ServerError(.unavailable, "cannot connect to the server at \(host): the host has no addresses")
    }

    private func addresses(within limits: OpeningLimits) throws -> [String] {
        guard !AddressReader.isAddress(host.name) else { return [host.name] }
        do {
            return try NameLookup.addresses(of: host, within: limits)
        } catch var error as ServerError {
            if error.kind == .unavailable {
                error.message = "cannot connect to the server at \(host): \(error.message)"
            }
            throw error
        }
    }

    /// Connects to a socket, or to one IP address of the host.
    private func connect(
        to endpoint: PostgresAddress.Host, within limits: OpeningLimits
    ) throws -> PostgresConnection {
        let keywords = address.keywords(for: endpoint, password: password, target: target)
        guard !keywords.contains(where: { $0.value.utf8.contains(0) }) else {
            throw ServerError.address("a value contains NUL")
        }
        guard let handle = Self.start(keywords) else { throw ServerError(.server, "out of memory for a connection") }
        do {
            // The server's part of a failure is then its code alone, without values. Notices are dropped, because libpq
            // would print them.
            PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE)
            PQsetNoticeReceiver(handle, { _, _ in }, nil)
            // Nothing has been sent yet.
            try Self.check(handle, leadsTo: endpoint)
            try wait(for: handle, within: limits)
            PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        } catch {
            PQfinish(handle)
            throw error
        }
        return try PostgresConnection.opened(handle, to: host, of: address, within: limits)
    }

    static func start(_ keywords: [(name: String, value: String)]) -> OpaquePointer? {
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

    /// Throws if libpq connects to another server than the address names, because of something in its environment. The
    /// encryption was chosen for the server that was named.
    static func check(_ handle: OpaquePointer, leadsTo endpoint: PostgresAddress.Host) throws {
        guard let options = PQconninfo(handle) else { throw ServerError(.server, "out of memory for a connection") }
        defer { PQconninfoFree(options) }
        var found: [String: String] = [:]
        var next = options
        while let keyword = next.pointee.keyword {
            let name = String(cString: keyword)
            // The other values may be secrets.
            if ["host", "hostaddr", "port"].contains(name), let value = next.pointee.val {
                found[name] = String(cString: value)
            }
            next += 1
        }
        // Without a name, an IP address says where to connect to; a name of the environment is only compared with the
        // certificate.
        let isNamed = !endpoint.name.isEmpty || endpoint.address == nil
        let isSame =
            (!isNamed || found["host"] ?? "" == endpoint.name) && found["hostaddr"] ?? "" == endpoint.address ?? ""
            && (endpoint.port.map { found["port"] == String($0) } ?? true)
        guard isSame else {
            throw ServerError(
                .address,
                "libpq would connect to another server than the address names, because of its environment; unset PGHOSTADDR and PGSERVICE"
            )
        }
    }

    private func wait(for handle: OpaquePointer, within limits: OpeningLimits) throws {
        var state = PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard state != PGRES_POLLING_FAILED else { throw failure(of: handle) }
            let events = state == PGRES_POLLING_READING ? Socket.input : Socket.output
            while Socket.wait(PQsocket(handle), for: events, until: limits.nextLook) == .timedOut {
                try limits.check(host)
            }
            state = PQconnectPoll(handle)
        }
    }

    // MARK: Failures

    private func failure(of handle: OpaquePointer) -> ServerError {
        let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        if let state = Self.code(in: text) {
            let kind = ServerError.Kind(state)
            let user = address.user.map { " as user \"\($0)\"" } ?? ""
            let database = address.database.map { " to database \"\($0)\"" } ?? ""
            return ServerError(
                kind, "cannot connect to the server at \(host)\(database)\(user): \(state.explanation)", state: state)
        }
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        var reason = lines.joined(separator: " ")
        // libpq does not print passwords here. If it ever does, its text is not used.
        let secrets = [password, address.parameters["sslpassword"]].compactMap(\.self)
        if reason.isEmpty || secrets.contains(where: { !$0.isEmpty && reason.contains($0) }) {
            reason = "libpq reports no reason"
        }
        if reason.hasSuffix("server does not support SSL, but SSL was required") {
            reason += "; write sslmode=disable to connect without encryption, or let the server encrypt connections"
        }
        let needsPassword = PQconnectionNeedsPassword(handle) == 1
        return ServerError(
            needsPassword ? .permission : .unavailable, "cannot connect to the server at \(host): \(reason)")
    }

    /// Returns the server's code, which libpq writes behind the severity. A line of libpq about the password file may follow.
    static func code(in message: String) -> SQLState? {
        for line in message.split(separator: "\n").reversed() {
            let line = line.trimmingCharacters(in: .whitespaces)
            guard let space = line.lastIndex(of: " "), line[..<space].last(where: { $0 != " " }) == ":" else {
                continue
            }
            let code = line[line.index(after: space)...]
            if code.utf8.count == 5, code.utf8.allSatisfy({ isCodeByte($0) }) {
                return SQLState(rawValue: String(code))
            }
        }
        return nil
    }

    private static func isCodeByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }
}
#endif
