#if PostgreSQL
import Foundation

/// The form of `numeric` values in messages: a header of four numbers of 16 bits, and digits to the base 10,000.
///
/// Decimals are converted exactly or not at all.
enum NumericFormat {
    private static let negative: UInt16 = 0x4000
    /// The digits of a decimal of 128 bits, all of which are exact.
    private static let exactDigits = 38
    private static let exponents = -128...127

    /// The parts of a value.
    struct Parts {
        let digits: UnsafeRawBufferPointer
        /// The exponent of the first digit, to the base 10,000.
        let weight: Int
        let isNegative: Bool
        /// The number of decimal digits behind the point.
        let scale: Int
        /// The name of a value that is not a number, or not a finite one.
        let name: String?

        /// Reads the header; nil if the bytes have another form.
        init?(_ bytes: UnsafeRawBufferPointer) {
            func word(_ offset: Int) -> UInt16 {
                UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            }
            guard bytes.count >= 8, bytes.count == 8 + 2 * Int(word(0)) else { return nil }
            digits = UnsafeRawBufferPointer(rebasing: bytes[8...])
            weight = Int(Int16(bitPattern: word(2)))
            scale = Int(word(6) & 0x3FFF)
            isNegative = word(4) == NumericFormat.negative
            switch word(4) {
            case 0, NumericFormat.negative: name = nil
            case 0xD000: name = "Infinity"
            case 0xF000: name = "-Infinity"
            default: name = "NaN"
            }
            // A digit above 9,999 comes from no server.
            guard (0..<count).allSatisfy({ digit($0) < 10_000 }) else { return nil }
        }

        var count: Int { digits.count / 2 }

        /// The digit at an index, or 0 beyond the last one.
        func digit(_ index: Int) -> UInt64 {
            guard index >= 0, index < count else { return 0 }
            return UInt64(UInt16(bigEndian: digits.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)))
        }
    }

    // MARK: Reading

    /// Returns the value, or nil for one that a decimal cannot hold exactly.
    static func decimal(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
        guard let parts = Parts(bytes), parts.name == nil else { return nil }
        guard parts.count > 0 else { return 0 }
        guard parts.count <= 4 else { return decimal(text: text(parts)) }
        var significand: UInt64 = 0
        for index in 0..<parts.count { significand = significand * 10_000 + parts.digit(index) }
        guard significand > 0 else { return 0 }
        var exponent = (parts.weight - parts.count + 1) * 4
        // The form with the fewest digits is the one that Foundation makes of a string.
        while significand.isMultiple(of: 10) { (significand, exponent) = (significand / 10, exponent + 1) }
        guard exponents.contains(exponent) else { return decimal(text: text(parts)) }
        return Decimal(sign: parts.isNegative ? .minus : .plus, exponent: exponent, significand: Decimal(significand))
    }

    /// Returns the decimal of a number with a point and without an exponent, or nil if a decimal would round it.
    private static func decimal(text: String) -> Decimal? {
        guard let value = Decimal(string: text, locale: nil), !value.isNaN else { return nil }
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        // Zeros at the end fit into the exponent. Foundation rounds a number with more digits than it can store, and one
        // below the smallest one, without an error: such a number reads differently when it is printed.
        let zeros = significant.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        if significant.count - zeros <= exactDigits, value != 0 || significant.isEmpty, fits(value) { return value }
        return trimmed(value.description) == trimmed(text) ? value : nil
    }

    private static func fits(_ value: Decimal) -> Bool { value.exponent > exponents.lowerBound }

    /// Removes the zeros behind the last digit of a fraction.
    private static func trimmed(_ text: String) -> Substring {
        guard text.utf8.contains(UInt8(ascii: ".")) else { return text[...] }
        var rest = text[...]
        while rest.utf8.last == UInt8(ascii: "0") { rest.removeLast() }
        if rest.utf8.last == UInt8(ascii: ".") { rest.removeLast() }
        return rest
    }

    /// Returns the value as the server prints it, or nil if the bytes have another form.
    static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard let parts = Parts(bytes) else { return nil }
        return parts.name ?? text(parts)
    }

    /// Returns the nearest real number; nil for one whose magnitude is out of the range, and if the bytes have another form.
    static func double(_ bytes: UnsafeRawBufferPointer) -> Double? {
        guard let parts = Parts(bytes), let value = Double(parts.name ?? text(parts)) else { return nil }
        return value.isInfinite && parts.name == nil ? nil : value
    }

    private static func text(_ parts: Parts) -> String {
        var text: [UInt8] = parts.isNegative ? [UInt8(ascii: "-")] : []
        func group(_ digit: UInt64) -> [UInt8] {
            [digit / 1000, digit / 100 % 10, digit / 10 % 10, digit % 10].map { UInt8(ascii: "0") + UInt8($0) }
        }
        if parts.weight < 0 {
            text.append(UInt8(ascii: "0"))
        } else {
            let first = group(parts.digit(0)).drop { $0 == UInt8(ascii: "0") }
            text += first.isEmpty ? [UInt8(ascii: "0")] : Array(first)
            for index in 0..<parts.weight { text += group(parts.digit(index + 1)) }
        }
        if parts.scale > 0 {
            text.append(UInt8(ascii: "."))
            var fraction: [UInt8] = []
            var index = parts.weight + 1
            while fraction.count < parts.scale {
                fraction += group(parts.digit(index))
                index += 1
            }
            text += fraction.prefix(parts.scale)
        }
        return String(decoding: text, as: UTF8.self)
    }

    // MARK: Writing

    /// Writes a decimal without its length. Returns false for NaN.
    static func write(_ value: Decimal, to buffer: inout WireBuffer) -> Bool {
        guard !value.isNaN else { return false }
        // Foundation prints all digits, and no exponent.
        var text = value.description[...]
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        if isNegative { text.removeFirst() }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count <= 2 else { return false }
        let fraction = parts.count == 2 ? Array(parts[1]) : []
        // Filled up to whole groups on both sides of the point.
        let zero = UInt8(ascii: "0")
        var digits = [UInt8](repeating: zero, count: (4 - whole.count % 4) % 4) + whole
        var weight = digits.count / 4 - 1
        digits += fraction + [UInt8](repeating: zero, count: (4 - fraction.count % 4) % 4)
        var groups = stride(from: 0, to: digits.count, by: 4).map { start in
            digits[start..<start + 4].reduce(0 as UInt16) { $0 &* 10 &+ UInt16($1 &- zero) }
        }
        while let first = groups.first, first == 0 {
            groups.removeFirst()
            weight -= 1
        }
        while groups.last == 0 { groups.removeLast() }
        buffer.put(UInt16(groups.count))
        buffer.put(Int16(groups.isEmpty ? 0 : weight))
        buffer.put(isNegative && !groups.isEmpty ? negative : 0)
        buffer.put(UInt16(fraction.count))
        for group in groups { buffer.put(group) }
        return true
    }
}
#endif
