/// How names of a model become names in SQL.
package enum SQLName {
    /// A name as Core Data spells it in a file: ASCII letters in upper case, everything else as it is.
    package static func uppercased(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            let isLower = scalar.value >= 0x61 && scalar.value <= 0x7A
            result.append(isLower ? Unicode.Scalar(UInt8(scalar.value - 0x20)) : scalar)
        }
        return String(result)
    }

    /// A name in quotes, whatever it is: the names of third-party objects may be words of SQL.
    package static func alwaysQuoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// A name as it stands in SQL text. Plain names stand bare, as Core Data writes them; any other is quoted.
    ///
    /// Every name that we make begins with `Z` or is `REFLEXIVE`, so a bare one is never a keyword.
    package static func quoted(_ name: String) -> String {
        isPlain(name)
            ? name
            : "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// A name as a text in SQL.
    static func literal(_ name: String) -> String {
        "'" + name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, !isDigit(first) else { return false }
        return name.utf8.allSatisfy { byte in
            isDigit(byte) || byte == UInt8(ascii: "_") || (byte >= 0x41 && byte <= 0x5A)
                || (byte >= 0x61 && byte <= 0x7A)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// Whether one name stands before another in Core Data's order of properties: by bytes.
    static func precedes(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }
}

/// The names taken in one table. A name that is taken already gets the lowest free number behind it.
struct SQLNameRegister {
    private var taken: Set<String>

    init(_ reserved: Set<String> = []) { taken = reserved }

    mutating func claim(_ name: String) -> String {
        var result = name
        var number = 0
        while !taken.insert(result).inserted {
            number += 1
            result = name + String(number)
        }
        return result
    }
}
