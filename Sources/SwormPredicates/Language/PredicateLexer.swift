/// A lexer that splits a format string into tokens, one at a time.
///
/// It works on UTF-8 bytes and stores no tokens, so that a long text uses no more memory than its own size.
struct PredicateLexer: Sendable {
    let bytes: [UInt8]
    private(set) var position = 0

    init(_ format: String) throws {
        guard format.utf8.count <= PredicateLimits.formatSize else {
            throw QueryError(
                .limit,
                "the format string has \(format.utf8.count) bytes; at most \(PredicateLimits.formatSize) are allowed")
        }
        bytes = Array(format.utf8)
    }

    mutating func next() throws -> PredicateToken {
        while position < bytes.count, isSpace(bytes[position]) { position += 1 }
        let start = position
        guard let byte = peek() else { return PredicateToken(kind: .end, start: start, end: start) }
        let kind: PredicateToken.Kind
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): kind = try number()
        case UInt8(ascii: "\""), UInt8(ascii: "'"): kind = .string(try string())
        case UInt8(ascii: "#"): kind = .escaped(try escapedName())
        case UInt8(ascii: "$"):
            position += 1
            kind = .variable(try name(behind: "$"))
        case UInt8(ascii: "@"):
            position += 1
            kind = .collectionOperator("@" + (try name(behind: "@")))
        case UInt8(ascii: "%"): kind = .argument(try argument())
        default:
            if let word = scanName() {
                kind = wordOrSelector(word, from: start)
            } else {
                kind = .symbol(try symbol())
            }
        }
        return PredicateToken(kind: kind, start: start, end: position)
    }

    /// Returns the part of the format string between two offsets.
    func text(from start: Int, to end: Int) -> String {
        String(decoding: bytes[max(0, start)..<min(max(start, end), bytes.count)], as: UTF8.self)
    }

    /// Returns the column of a byte offset, in characters from 1.
    func column(of offset: Int) -> Int {
        text(from: 0, to: offset).count + 1
    }

    func issue(_ message: String, at offset: Int) -> QueryError {
        QueryError(.syntax, message, column: column(of: offset))
    }

    func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    mutating func advance(_ count: Int = 1) { position += count }

    private func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (byte >= 0x09 && byte <= 0x0D && byte != 0x0B)
    }

    // MARK: Names

    /// Reads a name: a letter or `_`, then letters, digits and `_`. Letters of every script count.
    private mutating func scanName() -> String? {
        let start = position
        while let byte = peek() {
            if isNameByte(byte) {
                if position == start, byte <= UInt8(ascii: "9") { return nil }
                position += 1
            } else if byte >= 0x80, let length = letterLength(first: position == start) {
                position += length
            } else {
                break
            }
        }
        return position > start ? text(from: start, to: position) : nil
    }

    private func isNameByte(_ byte: UInt8) -> Bool {
        (byte >= 0x61 && byte <= 0x7A) || (byte >= 0x41 && byte <= 0x5A) || byte == 0x5F
            || (byte >= 0x30 && byte <= 0x39)
    }

    private func letterLength(first: Bool) -> Int? {
        let head = text(from: position, to: position + 4).unicodeScalars.first
        guard let head else { return nil }
        let properties = head.properties
        guard first ? properties.isIDStart : properties.isIDContinue else { return nil }
        return UTF8.width(head)
    }

    private mutating func name(behind sign: String) throws -> String {
        guard let name = scanName() else { throw issue("expected a name after `\(sign)`", at: position - 1) }
        return name
    }

    /// Reads `#name`. A name that is not an identifier may be quoted after the sign.
    private mutating func escapedName() throws -> String {
        let start = position
        position += 1
        guard peek() == UInt8(ascii: "\"") || peek() == UInt8(ascii: "'") else { return try name(behind: "#") }
        let name = try string()
        guard !name.isEmpty else { throw issue("the name after `#` is empty", at: start) }
        return name
    }

    private mutating func wordOrSelector(_ word: String, from start: Int) -> PredicateToken.Kind {
        if word.utf8.count == 3, word.lowercased() == "uti", peek() == UInt8(ascii: "-") {
            for keyword in [PredicateKeyword.utiConformsTo, .utiEquals] {
                let length = keyword.rawValue.utf8.count
                if text(from: start, to: start + length).lowercased() == keyword.rawValue {
                    position = start + length
                    return .word(text(from: start, to: position), keyword)
                }
            }
        }
        if peek() == UInt8(ascii: ":"), let selector = scanSelector(from: start) { return .selector(selector) }
        return .word(word, PredicateKeyword.named(word))
    }

    /// Reads the rest of `name:name:` if a bracket follows; otherwise does not move.
    private mutating func scanSelector(from start: Int) -> String? {
        let back = position
        while peek() == UInt8(ascii: ":"), peek(1) != UInt8(ascii: "=") {
            position += 1
            if peek() == UInt8(ascii: "(") { return text(from: start, to: position) }
            guard scanName() != nil else { break }
        }
        position = back
        return nil
    }

    // MARK: Arguments and signs

    private mutating func argument() throws -> PredicateToken.ArgumentMark {
        let start = position
        position += 1
        if peek() == UInt8(ascii: "@") {
            position += 1
            return .value
        }
        if peek() == UInt8(ascii: "K") {
            position += 1
            return .key
        }
        while let byte = peek(), "hlqLzt".utf8.contains(byte) { position += 1 }
        let letter = peek().map { Character(Unicode.Scalar($0)) }
        position += 1
        switch letter {
        case "d", "D", "i", "u", "U", "x", "X", "o", "O", "f", "F", "e", "E", "g", "G", "a", "A": return .number
        case "s", "S": return .text
        case "c", "C": return .character
        default:
            throw issue("expected %@, %K or a printf form such as %d; write a percent sign in quotes", at: start)
        }
    }

    private mutating func symbol() throws -> PredicateSymbol {
        for length in [2, 1] where position + length <= bytes.count {
            if let symbol = PredicateSymbol(rawValue: text(from: position, to: position + length)) {
                position += length
                return symbol
            }
        }
        let shown = text(from: position, to: position + 4).first.map(String.init) ?? ""
        throw issue("unexpected `\(shown)`", at: position)
    }
}
