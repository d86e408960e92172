#if PostgreSQL
extension AddressReader {
    /// Reads `host=db user=shop password='it\'s'`, with libpq's rules: blanks around `=` are ignored, a value with blanks is
    /// written in single quotes, and a backslash precedes a quote or a backslash.
    mutating func readKeywords(_ text: String) throws(ServerError) {
        var rest = text[...].utf8
        var number = 0
        guard rest.contains(UInt8(ascii: "=")) else {
            throw .address(
                "it is neither a URI such as postgres://user@host/database nor a list such as host=… dbname=…")
        }
        while true {
            rest = rest.drop(while: Self.isBlank)
            guard !rest.isEmpty else { return }
            number += 1
            let name = rest.prefix { $0 != UInt8(ascii: "=") && !Self.isBlank($0) }
            rest = rest[name.endIndex...].drop(while: Self.isBlank)
            guard rest.first == UInt8(ascii: "="), !name.isEmpty else {
                throw .address(
                    "its parameter number \(number) is not followed by =; a value with blanks must be in single quotes")
            }
            rest = rest.dropFirst().drop(while: Self.isBlank)
            let value = try Self.value(&rest)
            guard !value.contains(0), let decoded = String(validating: value, as: UTF8.self) else {
                throw .address("its parameter number \(number) contains NUL")
            }
            try set(String(Substring(name)), number: number, to: decoded)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func value(_ rest: inout Substring.UTF8View) throws(ServerError) -> [UInt8] {
        let quote = UInt8(ascii: "'")
        let isQuoted = rest.first == quote
        if isQuoted { rest = rest.dropFirst() }
        var value: [UInt8] = []
        while let byte = rest.first {
            if isQuoted ? byte == quote : isBlank(byte) { break }
            rest = rest.dropFirst()
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { break }
            value.append(escaped)
        }
        guard isQuoted else { return value }
        guard rest.popFirst() == quote else { throw .address("a value in quotes has no closing quote") }
        return value
    }
}
#endif
