/// JSON arrays, which pass many values in one parameter.
enum JSONText {
    static func array(of keys: [Int64]) -> String {
        var text: [UInt8] = [UInt8(ascii: "[")]
        text.reserveCapacity(keys.count * 8)
        var digits: [UInt8] = []
        for (index, key) in keys.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            if key < 0 { text.append(UInt8(ascii: "-")) }
            var rest = key.magnitude
            repeat {
                digits.append(UInt8(ascii: "0") + UInt8(rest % 10))
                rest /= 10
            } while rest > 0
            text.append(contentsOf: digits.reversed())
            digits.removeAll(keepingCapacity: true)
        }
        text.append(UInt8(ascii: "]"))
        return String(decoding: text, as: UTF8.self)
    }

    static func array(of strings: [String]) -> String {
        var text: [UInt8] = [UInt8(ascii: "[")]
        text.reserveCapacity(strings.reduce(2) { $0 + $1.utf8.count + 3 })
        let digits = Array("0123456789abcdef".utf8)
        for (index, var string) in strings.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.append(UInt8(ascii: "\""))
            string.withUTF8 { bytes in
                // Only these characters are escaped, and each of them is one byte.
                func isEscaped(_ byte: UInt8) -> Bool {
                    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
                }
                guard bytes.contains(where: isEscaped) else { return text.append(contentsOf: bytes) }
                for byte in bytes {
                    if byte < 0x20 {
                        text.append(contentsOf: "\\u00".utf8)
                        text.append(digits[Int(byte >> 4)])
                        text.append(digits[Int(byte & 15)])
                        continue
                    }
                    if isEscaped(byte) { text.append(UInt8(ascii: "\\")) }
                    text.append(byte)
                }
            }
            text.append(UInt8(ascii: "\""))
        }
        text.append(UInt8(ascii: "]"))
        return String(decoding: text, as: UTF8.self)
    }
}
