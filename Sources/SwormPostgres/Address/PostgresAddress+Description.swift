#if PostgreSQL
import Foundation

extension PostgresAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The address as a URI, without the password and the parameters.
    package var description: String {
        let user = user.map { Self.encoded($0) + "@" } ?? ""
        return
            "postgres://\(user)\(hosts.map(\.inURI).joined(separator: ","))/\(database.map(Self.encoded) ?? "")"
    }

    package var debugDescription: String { description }

    /// A mirror without the password, for `dump`.
    package var customMirror: Mirror { Mirror(self, children: ["address": description]) }

    fileprivate static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-", "_", ".", "~"])) ?? ""
    }
}

extension PostgresAddress.Host: CustomStringConvertible {
    /// The host as in a URI, and the folder of a socket as a path.
    package var description: String { name.hasPrefix("/") ? name + (port.map { ":\($0)" } ?? "") : inURI }

    fileprivate var inURI: String {
        let shown = name.isEmpty ? address ?? "" : name
        let isBracketed = shown.contains(":") && AddressReader.isAddress(shown)
        return (isBracketed ? "[\(shown.replacing("%", with: "%25"))]" : PostgresAddress.encoded(shown))
            + (port.map { ":\($0)" } ?? "")
    }
}
#endif
