#if PostgreSQL
extension AddressReader {
    /// Parameters of libpq that the driver does not accept, because it sets them itself or does something else.
    private static let unsupported: [String: String] = [
        "client_encoding": "the driver always uses UTF8",
        "fallback_application_name": "write application_name",
        "load_balance_hosts": "hosts are tried in the order of the address",
        "replication": "the driver cannot replicate",
        "requiressl": "write sslmode",
        "service": "write the parameters of the service into the address",
        "ssl": "write sslmode",
        "sslcompression": "connections are never compressed",
    ]

    /// Sets a parameter of an address that is read.
    ///
    /// Neither the name nor the value appears in an error: with a password that is not encoded, both may be parts of it.
    mutating func set(
        _ name: String, number: Int, to value: String
    ) throws(ServerError) {
        if let parameter = AddressParameter.all[name] {
            guard parameter.apply(&self, value) else {
                throw .address("its parameter \(parameter.name) must be \(parameter.expectation)")
            }
        } else if let entry = Self.unsupported.first(where: { $0.key == name }) {
            throw .address("its parameter \(entry.key) is not supported: \(entry.value)")
        } else {
            let nearest = AddressParameter.all.keys.sorted().first { Self.isNear($0, to: name) }
            throw .address(
                "its parameter number \(number) is not known" + (nearest.map { "; did you mean \($0)?" } ?? ""))
        }
    }

    /// Whether one character is missing, added or replaced, or a sign between words is.
    private static func isNear(_ known: String, to name: String) -> Bool {
        let plain = name.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        let other = known.utf8.filter { $0 != UInt8(ascii: "_") }
        guard abs(plain.count - other.count) <= 1 else { return false }
        let start = zip(plain, other).prefix { $0 == $1 }.count
        let end = zip(plain.reversed(), other.reversed()).prefix { $0 == $1 }.count
        return start + end >= max(plain.count, other.count) - 1
    }
}
#endif
