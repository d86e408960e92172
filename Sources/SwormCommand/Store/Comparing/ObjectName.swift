import Foundation

/// The identity of an object in its store: `Book/p1`.
struct ObjectName: Hashable, CustomStringConvertible {
    /// The entity in the name of an object that does not exist.
    static let unknownEntity = "?"

    var entity: String
    var key: Int64

    var description: String { "\(entity)/p\(key)" }

    init(entity: String, key: Int64) {
        self.entity = entity
        self.key = key
    }

    /// Parses the output of `description`.
    init?(_ text: String) {
        guard let slash = text.lastIndex(of: "/") else { return nil }
        let number = text[text.index(after: slash)...]
        guard number.hasPrefix("p"), let key = Int64(number.dropFirst()) else { return nil }
        entity = String(text[..<slash])
        self.key = key
    }

    /// The name of the object for people and in URLs: `Book/1`.
    var shown: String { "\(entity)/\(key)" }

    /// Parses the name of an object as a user writes it: `Book/1`, `Book/p1`, or the object's URI.
    init?(operand text: String) {
        var text = text.trimmingCharacters(in: .whitespaces)[...]
        if text.hasPrefix("x-coredata:") {
            // The last two components of the path are the entity and the key.
            guard let url = URL(string: String(text)), url.pathComponents.count >= 3 else { return nil }
            text = url.pathComponents.suffix(2).joined(separator: "/")[...]
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        let digits = parts[1].hasPrefix("p") ? parts[1].dropFirst() : parts[1]
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let key = Int64(digits), key > 0 else { return nil }
        self.init(entity: String(parts[0]), key: key)
    }
}
