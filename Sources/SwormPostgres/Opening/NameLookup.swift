#if PostgreSQL
import Foundation
import SwormRows

/// A look-up of the IP addresses of a host, which can be given up. The system's own one has no limit.
///
/// @unchecked: the outcome is accessed only while the lock of the condition is held.
final class NameLookup: @unchecked Sendable {
    private let condition = NSCondition()
    private var outcome: Result<[String], ServerError>?

    /// Returns the addresses of a host in the order in which they are to be tried.
    ///
    /// - Throws: ``ServerError`` if the host has none, or if a limit is reached first. The thread that waits for the system
    ///   then ends later.
    static func addresses(
        of host: PostgresAddress.Host, within limits: OpeningLimits,
        by find: @escaping @Sendable (String) -> Result<[String], ServerError> = { system($0) }
    ) throws -> [String] {
        let lookup = NameLookup()
        let name = host.name
        let thread = Thread { lookup.end(with: find(name)) }
        thread.name = "Sworm look-up"
        thread.start()
        return try lookup.wait(for: host, within: limits)
    }

    private func end(with outcome: Result<[String], ServerError>) {
        condition.withLock {
            self.outcome = outcome
            condition.signal()
        }
    }

    private func wait(for host: PostgresAddress.Host, within limits: OpeningLimits) throws -> [String] {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if let outcome { return try outcome.get() }
            try limits.check(host)
            let look = limits.nextLook.map { Date(timeIntervalSinceNow: $0.secondsLeft + 0.001) } ?? .distantFuture
            _ = condition.wait(until: look)
        }
    }

    /// Asks the system for the addresses of a host.
    private static func system(_ name: String) -> Result<[String], ServerError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
        hints.ai_socktype = SOCK_STREAM
        #else
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard code == 0 else {
            let reason = gai_strerror(code).map { String(cString: $0) } ?? "error \(code)"
            return .failure(ServerError(.unavailable, "the host is not known: \(reason)"))
        }
        var addresses: [String] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let isText = getnameinfo(
                entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if isText == 0, !addresses.contains(address) { addresses.append(address) }
        }
        guard !addresses.isEmpty else { return .failure(ServerError(.unavailable, "the host has no addresses")) }
        return .success(addresses)
    }
}
#endif
