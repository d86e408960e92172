/// A check for valid UTF-8.
@usableFromInline
package enum UTF8Check {
    @inlinable
    static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    @usableFromInline

    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        let count = bytes.count
        var index = 0
        // Most strings are ASCII, so eight bytes are checked at a time.
        while index + 8 <= count {
            if base.loadUnaligned(fromByteOffset: index, as: UInt64.self) & highBits != 0 { break }
            index += 8
        }
        while index < count {
            let length = sequenceLength(at: base + index, available: count - index)
            if length == 0 { return false }
            index += length
        }
        return true
    }

    /// Returns the length of the well-formed sequence at the start, or 0. `available` is at least 1.
    @inline(__always)
    private static func sequenceLength(at start: UnsafeRawPointer, available: Int) -> Int {
        let lead = start.load(as: UInt8.self)
        if lead < 0x80 { return 1 }
        func byte(_ offset: Int) -> UInt8 { start.load(fromByteOffset: offset, as: UInt8.self) }
        func continues(_ offset: Int) -> Bool { byte(offset) & 0xC0 == 0x80 }
        switch lead {
        case 0xC2...0xDF:
            return available >= 2 && continues(1) ? 2 : 0
        case 0xE0...0xEF:
            guard available >= 3, continues(1), continues(2) else { return 0 }
            // No overlong forms, no surrogates.
            if lead == 0xE0 && byte(1) < 0xA0 || lead == 0xED && byte(1) > 0x9F { return 0 }
            return 3
        case 0xF0...0xF4:
            guard available >= 4, continues(1), continues(2), continues(3) else { return 0 }
            // No overlong forms, nothing above U+10FFFF.
            if lead == 0xF0 && byte(1) < 0x90 || lead == 0xF4 && byte(1) > 0x8F { return 0 }
            return 4
        default:
            return 0
        }
    }

    /// Returns a string of the bytes, or nil if they are invalid UTF-8.
    ///
    /// `String(decoding:)` checks them anyway and inserts U+FFFD, of three bytes, for each invalid part. Such parts
    /// are one or two bytes long, which makes the string longer, except for the three bytes of a truncated sequence of
    /// four. The full check is therefore only needed if there is a byte that starts such a sequence.
    @inlinable @inline(__always)
    package static func string(start: UnsafePointer<UInt8>, count: Int) -> String? {
        let string = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        if string.utf8.count != count { return nil }
        if count > 2, hasLongLead(start: start, count: count),
            !isValid(UnsafeRawBufferPointer(start: start, count: count))
        {
            return nil
        }
        return string
    }

    /// Returns whether there is a byte with its four upper bits set.
    @inlinable @inline(__always)
    static func hasLongLead(start: UnsafePointer<UInt8>, count: Int) -> Bool {
        let base = UnsafeRawPointer(start)
        var found: UInt64 = 0
        if count >= 8 {
            var index = 0
            repeat {
                found |= leads(base.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                index += 8
            } while index + 8 <= count
            // Checks the remaining bytes together with bytes that were already checked.
            found |= leads(base.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
        } else {
            for index in 0..<count { found |= start[index] >= 0xF0 ? 1 : 0 }
        }
        return found != 0
    }

    /// Returns a bit for each byte of the word that has its four upper bits set.
    @inlinable @inline(__always)
    static func leads(_ word: UInt64) -> UInt64 {
        word & (word << 1) & (word << 2) & (word << 3) & highBits
    }
}
