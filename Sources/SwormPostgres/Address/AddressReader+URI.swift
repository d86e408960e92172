#if PostgreSQL
extension AddressReader {
    private static let encoding =
        "characters such as @ : / ? # [ ] and % in a user, a password or a database must be percent-encoded, as in %40 for @"

    /// Reads `postgres://user:password@host:port,host:port/database?name=value&name=value`.
    mutating func readURI(_ text: String) throws(ServerError) {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
            throw .address("behind its scheme it has no ://")
        }
        let rest = text[text.index(colon, offsetBy: 3)...]
        guard !rest.utf8.contains(UInt8(ascii: "#")) else { throw .address(Self.encoding) }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let location = (parts.first ?? "").split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        // A password with a slash ends the hosts too early. The rest must not become the name of a database, which is shown.
        if location.count == 2, location[1].utf8.contains(where: { "/@:[]".utf8.contains($0) }) {
            throw .address(Self.encoding)
        }
        try readAuthority(location.first ?? "")
        if location.count == 2, !location[1].isEmpty {
            address.database = try Self.decoded(location[1], of: "the database")
        }
        if parts.count == 2, !parts[1].isEmpty { try readQuery(parts[1]) }
    }

    private mutating func readAuthority(_ text: Substring) throws(ServerError) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { throw .address(Self.encoding) }
        if parts.count == 2 {
            let names = parts[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if let name = names.first, !name.isEmpty { address.user = try Self.decoded(name, of: "the user") }
            if names.count == 2, !names[1].isEmpty {
                address.password = .fixed(try Self.decoded(names[1], of: "the password"))
            }
        }
        guard let hosts = parts.last, !hosts.isEmpty else { return }
        var (names, ports): ([String], [Int?]) = ([], [])
        for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
            let (name, port) = try Self.host(host)
            names.append(name)
            ports.append(port)
        }
        self.names = names
        self.ports = ports
    }

    private static func host(_ text: Substring) throws(ServerError) -> (name: String, port: Int?) {
        var name = text
        var rest = text[text.endIndex...]
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw .address("an IPv6 address has no closing bracket") }
            name = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw .address("an IPv6 address is not followed by a port")
            }
        } else if let colon = text.firstIndex(of: ":") {
            name = text[..<colon]
            rest = text[colon...]
        }
        guard let port = Self.port(rest.dropFirst()) else {
            throw .address("a port is not a number from 1 to 65535; \(encoding)")
        }
        let decoded = try decoded(name, of: "a host")
        guard Self.isHost(decoded) else { throw .address("a host contains characters that no host has") }
        return (decoded, port)
    }

    private mutating func readQuery(_ text: Substring) throws(ServerError) {
        for (index, part) in text.split(separator: "&", omittingEmptySubsequences: false).enumerated() {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false)
            guard pair.count == 2 else {
                throw .address("its parameter number \(index + 1) is not written as name=value; \(Self.encoding)")
            }
            let name = try Self.decoded(pair[0], of: "a parameter")
            try set(name, number: index + 1, to: try Self.decoded(pair[1], of: "a parameter"))
        }
    }

    /// Decodes percent-encoded bytes.
    private static func decoded(_ text: Substring, of part: String) throws(ServerError) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexadecimal), let low = rest.popFirst().flatMap(hexadecimal) else {
                throw .address("\(part) has a % that two hexadecimal digits do not follow; \(encoding)")
            }
            bytes.append(high << 4 | low)
        }
        guard !bytes.contains(0), let decoded = String(validating: bytes, as: UTF8.self) else {
            throw .address("\(part) is not UTF-8 when it is decoded, or contains NUL")
        }
        return decoded
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
#endif
