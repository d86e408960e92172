import Foundation

extension PredicateLexer {
    // MARK: Numbers

    mutating func number() throws -> PredicateToken.Kind {
        let start = position
        if peek() == UInt8(ascii: "0"), let mark = peek(1), let radix = radix(mark) {
            advance(2)
            return try prefixedInteger(radix, from: start)
        }
        skipDigits()
        var isReal = false
        if peek() == UInt8(ascii: "."), let next = peek(1), isDigit(next) {
            isReal = true
            advance()
            skipDigits()
        }
        if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
            let signed = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-")
            if let digit = peek(signed ? 2 : 1), isDigit(digit) {
                isReal = true
                advance(signed ? 2 : 1)
                skipDigits()
            }
        }
        let digits = text(from: start, to: position)
        try refuseLetters(behind: digits, from: start)
        if !isReal, let value = UInt64(digits) { return .integer(value) }
        guard let value = Double(digits), value.isFinite else {
            throw issue("the number `\(digits.prefix(40))` is too large", at: start)
        }
        // A comparison with the nearest representable number would find that number.
        guard isReal || isExact(value, digits: digits) else { throw tooLarge(digits, at: start) }
        guard value != 0 || isZero(digits) else {
            throw issue(
                "the number `\(digits.prefix(40))` is smaller than the smallest floating-point number; write 0",
                at: start)
        }
        return .real(value)
    }

    /// Returns the error for an integer that is neither a 64-bit integer nor exactly a floating-point number.
    func tooLarge(_ digits: String, at start: Int) -> QueryError {
        issue(
            "the integer `\(digits.prefix(40))` does not fit in 64 bits; write it with a decimal point to compare with the nearest floating-point number",
            at: start)
    }

    private func isExact(_ value: Double, digits: String) -> Bool {
        String(format: "%.0f", value) == digits.drop { $0 == "0" }
    }

    private func isZero(_ digits: String) -> Bool {
        digits.prefix { $0 != "e" && $0 != "E" }.allSatisfy { $0 == "0" || $0 == "." }
    }

    private func radix(_ mark: UInt8) -> Int? {
        switch mark {
        case UInt8(ascii: "x"), UInt8(ascii: "X"): 16
        case UInt8(ascii: "o"), UInt8(ascii: "O"): 8
        case UInt8(ascii: "b"), UInt8(ascii: "B"): 2
        default: nil
        }
    }

    private mutating func prefixedInteger(_ radix: Int, from start: Int) throws -> PredicateToken.Kind {
        let first = position
        while let byte = peek(), hexValue(byte).map({ $0 < radix }) == true { advance() }
        let digits = text(from: first, to: position)
        guard !digits.isEmpty else { throw issue("expected digits after `\(text(from: start, to: first))`", at: start) }
        try refuseLetters(behind: text(from: start, to: position), from: start)
        guard let value = UInt64(digits, radix: radix) else {
            throw issue("the number `\(text(from: start, to: position).prefix(40))` does not fit in 64 bits", at: start)
        }
        return .integer(value)
    }

    private func refuseLetters(behind number: String, from start: Int) throws {
        guard let byte = peek() else { return }
        if isDigit(byte) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A) || byte == 0x5F {
            throw issue("a letter or digit cannot follow the number `\(number.prefix(40))`", at: start)
        }
    }

    private mutating func skipDigits() {
        while let byte = peek(), isDigit(byte) { advance() }
    }

    private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private func hexValue(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46: Int(byte) - 0x41 + 10
        case 0x61...0x66: Int(byte) - 0x61 + 10
        default: nil
        }
    }

    // MARK: Strings

    /// Reads a quoted string. Nothing is substituted inside it.
    mutating func string() throws -> String {
        let start = position
        let quote = peek()
        advance()
        var content: [UInt8] = []
        while let byte = peek() {
            advance()
            if byte == quote { return String(decoding: content, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                try appendEscape(to: &content, from: position - 1)
            } else {
                content.append(byte)
            }
        }
        throw issue("the quote that opens this string is never closed", at: start)
    }

    private mutating func appendEscape(to content: inout [UInt8], from start: Int) throws {
        guard let byte = peek() else { return }
        if let octal = digits(3, radix: 8, at: 0), let scalar = Unicode.Scalar(octal) {
            advance(3)
            content.append(contentsOf: String(Character(scalar)).utf8)
            return
        }
        advance()
        switch byte {
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "a"): content.append(0x07)
        case UInt8(ascii: "v"): content.append(0x0B)
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            guard let value = digits(2, radix: 16, at: 0), let scalar = Unicode.Scalar(value) else {
                throw issue("expected two hexadecimal digits after `\\x`", at: start)
            }
            advance(2)
            content.append(contentsOf: String(Character(scalar)).utf8)
        case UInt8(ascii: "u"), UInt8(ascii: "U"):
            content.append(contentsOf: String(Character(try unicodeEscape(from: start))).utf8)
        default: content.append(byte)
        }
    }

    /// Reads four digits, or twice four that form a surrogate pair.
    private mutating func unicodeEscape(from start: Int) throws -> Unicode.Scalar {
        guard let high = digits(4, radix: 16, at: 0) else {
            throw issue("expected four hexadecimal digits after `\\u`", at: start)
        }
        advance(4)
        if let scalar = Unicode.Scalar(high) { return scalar }
        if high < 0xDC00, peek() == UInt8(ascii: "\\"), let mark = peek(1), mark | 0x20 == UInt8(ascii: "u"),
            let low = digits(4, radix: 16, at: 2), low >= 0xDC00, low <= 0xDFFF,
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        {
            advance(6)
            return scalar
        }
        throw issue("`\\u` is one half of a surrogate pair, and the other half is missing", at: start)
    }

    private func digits(_ count: Int, radix: UInt32, at distance: Int) -> UInt32? {
        var value: UInt32 = 0
        for index in 0..<count {
            guard let byte = peek(distance + index), let digit = hexValue(byte), digit < radix else { return nil }
            value = value * radix + UInt32(digit)
        }
        return value
    }
}
