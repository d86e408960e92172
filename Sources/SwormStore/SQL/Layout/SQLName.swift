/// The rules by which names of a model become names in SQL.
package enum SQLName {
    /// Returns a name as Core Data spells it in a file: ASCII letters in upper case, all other characters unchanged.
    package static func uppercased(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            let isLower = scalar.value >= 0x61 && scalar.value <= 0x7A
            result.append(isLower ? Unicode.Scalar(UInt8(scalar.value - 0x20)) : scalar)
        }
        return String(result)
    }

    /// Returns a name in quotes in any case, because the names of third-party objects may be SQL keywords.
    static func alwaysQuoted(_ name: String) -> String {
        "\"\(doubling("\"", in: name))\""
    }

    /// Returns a name in the form that SQL text uses. Like Core Data, this function quotes a name only if it is not
    /// plain.
    ///
    /// Every name that this package creates starts with `Z` or is `REFLEXIVE`, so an unquoted name is never a keyword.
    package static func quoted(_ name: String) -> String {
        isPlain(name) ? name : alwaysQuoted(name)
    }

    /// Returns a name as a string literal in SQL.
    static func literal(_ name: String) -> String {
        "'\(doubling("'", in: name))'"
    }

    /// Returns a string with each of its quotes doubled, also those that a combining mark follows, which are not characters.
    static func doubling(_ quote: Unicode.Scalar, in text: String) -> String {
        guard text.unicodeScalars.contains(quote) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            result.append(scalar)
            if scalar == quote { result.append(scalar) }
        }
        return String(result)
    }

    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, !isDigit(first) else { return false }
        return name.utf8.allSatisfy { byte in
            isDigit(byte) || byte == UInt8(ascii: "_") || (byte >= 0x41 && byte <= 0x5A)
                || (byte >= 0x61 && byte <= 0x7A)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// Returns whether one name precedes another in Core Data's order of properties, which compares bytes.
    static func precedes(_ first: String, _ second: String) -> Bool {
        first.utf8.lexicographicallyPrecedes(second.utf8)
    }
}

/// The names that are used in one table. A duplicate name gets the lowest free number as a suffix.
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
