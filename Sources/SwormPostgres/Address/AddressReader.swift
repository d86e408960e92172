#if PostgreSQL
import Foundation

/// A reader of addresses.
struct AddressReader {
    /// The address so far, without its hosts.
    var address = PostgresAddress(hosts: [])
    // The hosts, in libpq's three lists.
    var names: [String]?
    var addresses: [String]?
    var ports: [Int?]?

    /// Reads an address as a URI or in libpq's keyword form.
    ///
    /// - Throws: ``ServerError``, which contains no part of the text.
    static func address(of text: String) throws(ServerError) -> PostgresAddress {
        var reader = AddressReader()
        let scheme = text.prefix { $0 != ":" }.lowercased()
        if scheme == "postgres" || scheme == "postgresql" {
            try reader.readURI(text)
        } else {
            try reader.readKeywords(text)
        }
        reader.address.hosts = try reader.hosts()
        return reader.address
    }

    /// Returns the hosts of the lists.
    ///
    /// - Throws: ``ServerError`` if the lists differ in length.
    func hosts() throws(ServerError) -> [PostgresAddress.Host] {
        let count = max(names?.count ?? 0, addresses?.count ?? 0)
        guard count > 0 else {
            guard let ports, let port = ports.first else { return [] }
            guard ports.count == 1 else { throw .address("it has several ports and no hosts") }
            return port == nil ? [] : [PostgresAddress.Host("", port: port)]
        }
        if let names, names.count != count { throw .address("host and hostaddr differ in length") }
        if let addresses, addresses.count != count { throw .address("host and hostaddr differ in length") }
        let ports = ports ?? [nil]
        guard ports.count == 1 || ports.count == count else {
            throw .address("it has \(ports.count) ports for \(count) hosts")
        }
        return (0..<count).map { index in
            let address = addresses?[index] ?? ""
            return PostgresAddress.Host(
                names?[index] ?? "", address: address.isEmpty ? nil : address,
                port: ports.count == 1 ? ports[0] : ports[index])
        }
    }

    /// Reads the list of libpq's parameter `host`.
    ///
    /// - Returns: False if a name contains characters that no host has.
    mutating func readNames(_ text: String) -> Bool {
        let list = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        names = list
        return list.allSatisfy(Self.isHost)
    }

    mutating func readAddresses(_ text: String) -> Bool {
        let list = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        addresses = list
        return list.allSatisfy { $0.isEmpty || Self.isAddress($0) }
    }

    mutating func readPorts(_ text: String) -> Bool {
        var list: [Int?] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let port = Self.port(part) else { return false }
            list.append(port)
        }
        ports = list
        return true
    }

    /// Returns a port, or a value of nil for an empty string; nil for anything else.
    static func port(_ text: Substring) -> Int?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.count <= 5, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = Int(text), (1...65_535).contains(port)
        else { return nil }
        return port
    }

    /// Whether a string may be a host's name, or the folder of a socket, which may contain spaces.
    static func isHost(_ name: String) -> Bool {
        let isPath = name.hasPrefix("/") || name.hasPrefix("@")
        return name.utf8.allSatisfy { byte in
            byte > 0x20 && byte != 0x7F && byte != UInt8(ascii: ",") || isPath && byte == 0x20
        }
            && (isPath || !name.utf8.contains(UInt8(ascii: "/")) && !name.utf8.contains(UInt8(ascii: "@")))
    }

    /// Whether a string is an IP address, which may have a zone.
    static func isAddress(_ text: String) -> Bool {
        var buffer = in6_addr()
        let address =
            text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
        return inet_pton(AF_INET6, address, &buffer) == 1 || inet_pton(AF_INET, text, &buffer) == 1
    }
}
#endif
