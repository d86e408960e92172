#if PostgreSQL
/// A parameter that an address may have.
struct AddressParameter: Sendable {
    let name: String
    /// The values that the parameter accepts, for messages.
    let expectation: String
    /// Changes the address of a reader. Returns false if the value is not accepted.
    let apply: @Sendable (inout AddressReader, String) -> Bool

    static let all: [String: AddressParameter] = Dictionary(
        uniqueKeysWithValues: (hosts + own + durations + passed).map { ($0.name, $0) })

    private static let hosts: [AddressParameter] = [
        AddressParameter(name: "host", expectation: "names, IP addresses or folders of sockets") { $0.readNames($1) },
        AddressParameter(name: "hostaddr", expectation: "IP addresses") { $0.readAddresses($1) },
        AddressParameter(name: "port", expectation: "numbers from 1 to 65535") { $0.readPorts($1) },
    ]

    private static let own: [AddressParameter] = [
        AddressParameter(name: "dbname", expectation: "a name") { reader, value in
            reader.address.database = value.isEmpty ? nil : value
            // libpq would read such a name as an address of its own.
            return !value.contains("=") && !value.contains("://")
        },
        AddressParameter(name: "user", expectation: "a name") { reader, value in
            reader.address.user = value.isEmpty ? nil : value
            return true
        },
        AddressParameter(name: "password", expectation: "a password") { reader, value in
            reader.address.password = value.isEmpty ? .standard : .fixed(value)
            return true
        },
        AddressParameter(name: "schema", expectation: "a name of at most 63 bytes") { reader, value in
            reader.address.schema = value
            return (1...63).contains(value.utf8.count)
        },
        AddressParameter(name: "connections", expectation: "a number from 1 to 10000") { reader, value in
            guard let count = Int(value), (1...10_000).contains(count) else { return false }
            reader.address.connections = count
            return true
        },
        choice("pooler") { $0.pooler = $1 },
        choice("sslmode") { (address, mode: PostgresAddress.TLSMode) in address.tls = mode },
        choice("channel_binding") { $0.channelBinding = $1 },
        choice("target_session_attrs") { $0.target = $1 },
    ]

    private static let durations: [AddressParameter] = [
        AddressParameter(name: "connect_timeout", expectation: "a number of seconds, or 0 for none") {
            reader, value in
            guard let seconds = Int(value), (0...86_400).contains(seconds) else { return false }
            reader.address.timeouts.connection = seconds == 0 ? nil : .seconds(seconds)
            return true
        },
        duration("statement_timeout") { $0.statement = $1 },
        duration("lock_timeout") { $0.lock = $1 },
        duration("idle_in_transaction_session_timeout") { $0.idle = $1 },
        duration("write_timeout") { $0.write = $1 },
    ]

    /// The parameters that libpq gets as they are.
    private static let passed: [AddressParameter] = [
        "application_name", "gssencmode", "gsslib", "keepalives", "keepalives_count", "keepalives_idle",
        "keepalives_interval", "krbsrvname", "options", "passfile", "require_auth", "ssl_max_protocol_version",
        "ssl_min_protocol_version", "sslcert", "sslcertmode", "sslcrl", "sslcrldir", "sslkey", "sslpassword",
        "sslrootcert", "sslsni", "tcp_user_timeout",
    ].map { name in
        AddressParameter(name: name, expectation: "a value that libpq accepts") { reader, value in
            reader.address.parameters[name] = value
            return true
        }
    }

    private static func choice<Value>(
        _ name: String, set: @escaping @Sendable (inout PostgresAddress, Value) -> Void
    ) -> AddressParameter where Value: RawRepresentable<String> & CaseIterable & Sendable {
        let values = Value.allCases.map(\.rawValue).joined(separator: ", ")
        return AddressParameter(name: name, expectation: "one of \(values)") { reader, value in
            guard let value = Value(rawValue: value) else { return false }
            set(&reader.address, value)
            return true
        }
    }

    /// A duration as PostgreSQL's settings have it: milliseconds, or a number with a unit.
    private static func duration(
        _ name: String, set: @escaping @Sendable (inout PostgresAddress.Timeouts, Duration?) -> Void
    ) -> AddressParameter {
        let expectation = "a number of milliseconds, or a number with ms, s, min or h, or 0 for none"
        return AddressParameter(name: name, expectation: expectation) { reader, value in
            let digits = value.prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits), number <= 86_400_000 else { return false }
            let units = ["": 1, "ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000]
            guard let unit = units[value.dropFirst(digits.count).trimmingSpaces()] else { return false }
            // The server's settings are numbers of 32 bits.
            let milliseconds = number * unit
            guard milliseconds <= Int(Int32.max) else { return false }
            set(&reader.address.timeouts, number == 0 ? nil : .milliseconds(milliseconds))
            return true
        }
    }
}

extension Substring {
    fileprivate func trimmingSpaces() -> String { String(drop { $0 == " " }) }
}
#endif
