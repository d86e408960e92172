#if PostgreSQL
import CSwormPQ
import Foundation

extension PostgresAddress {
    /// Returns the hosts to try: those of the address, else those of libpq's environment variables, else its socket.
    ///
    /// The variables are read here, and not by libpq, because hosts are encrypted by default and sockets are not.
    ///
    /// - Throws: ``ServerError`` if a variable would let libpq connect to another server than the address names.
    func resolvedHosts(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> [Host] {
        guard environment["PGSERVICE"] == nil else {
            throw ServerError(
                .address,
                "PGSERVICE is set, which lets libpq connect to another server than the address names; unset it, and write the parameters of the service into the address"
            )
        }
        if hosts.contains(where: { !$0.name.isEmpty || $0.address != nil }) {
            let isAmbiguous = environment["PGHOSTADDR"]?.isEmpty == false && hosts.contains { $0.address == nil }
            guard !isAmbiguous else {
                throw ServerError(
                    .address,
                    "PGHOSTADDR is set, which lets libpq connect to another server than the address names; unset it, or write hostaddr into the address"
                )
            }
            return hosts
        }
        var lists = AddressReader()
        guard environment["PGHOST"].map({ lists.readNames($0) }) ?? true,
            environment["PGHOSTADDR"].map({ lists.readAddresses($0) }) ?? true,
            environment["PGPORT"].map({ lists.readPorts($0) }) ?? true
        else { throw ServerError.address("PGHOST, PGHOSTADDR or PGPORT is no list of hosts or ports") }
        let found = try lists.hosts()
        guard let port = hosts.first?.port else { return found.isEmpty ? [Host("")] : found }
        return found.isEmpty
            ? [Host("", port: port)] : found.map { Host($0.name, address: $0.address, port: port) }
    }

    /// Returns libpq's parameters for a connection to one host.
    func keywords(for host: Host, password: String?, target: Target) -> [(name: String, value: String)] {
        var all = parameters
        all["host"] = host.name.isEmpty ? nil : host.name
        all["hostaddr"] = host.address
        all["port"] = host.port.map(String.init)
        all["dbname"] = database
        all["user"] = user
        all["password"] = password
        all["client_encoding"] = "UTF8"
        all["fallback_application_name"] = "sworm"
        all["target_session_attrs"] = target.rawValue
        all["channel_binding"] = channelBinding.rawValue
        // A peer that is no longer there is noticed after about a minute.
        let standard = [
            "gssencmode": "disable", "keepalives_idle": "30", "keepalives_interval": "10", "keepalives_count": "3",
            "tcp_user_timeout": "60000",
        ]
        all.merge(standard) { given, _ in given }
        if host.isSocket {
            all["sslmode"] = TLSMode.disable.rawValue
        } else {
            let mode = tls ?? .verifyFull
            all["sslmode"] = mode.rawValue
            if mode == .verifyFull || mode == .verifyCA, all["sslrootcert"] == nil {
                all["sslrootcert"] = TrustedRoots.standard(for: mode)
            }
        }
        return all.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }
}

/// The certificates of the authorities that are trusted where an address names none.
enum TrustedRoots {
    /// Bundles of the certificates that a system trusts, by their usual paths.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// Returns the value of libpq's `sslrootcert`; nil where the user has named certificates in libpq's own ways.
    static func standard(for mode: PostgresAddress.TLSMode) -> String? {
        let environment = ProcessInfo.processInfo.environment
        if environment["PGSSLROOTCERT"] != nil { return nil }
        let own = environment["HOME"].map { $0 + "/.postgresql/root.crt" }
        if let own, FileManager.default.fileExists(atPath: own) { return nil }
        // libpq accepts "system" only with the strictest mode, and since version 16.
        if mode == .verifyFull, PQlibVersion() >= 160_000 { return "system" }
        return bundles.first { FileManager.default.fileExists(atPath: $0) }
    }
}
#endif
