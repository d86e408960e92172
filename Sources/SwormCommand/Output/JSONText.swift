import Foundation

/// JSON output that is written to a sink piece by piece.
extension ByteSink {
    /// Writes a string with its quotes.
    func writeJSON(_ text: String) {
        var text = text
        text.withUTF8 { writeJSON(utf8: $0, isValid: true) }
    }

    /// Writes UTF-8 bytes as a string with quotes. Invalid UTF-8 is replaced by replacement characters.
    func writeJSON(utf8 bytes: UnsafeBufferPointer<UInt8>, isValid: Bool = false) {
        if !isValid, !bytes.isASCII, String(validating: bytes, as: UTF8.self) == nil {
            return writeJSON(String(decoding: bytes, as: UTF8.self))
        }
        write(UInt8(ascii: "\""))
        var start = 0
        for (index, byte) in bytes.enumerated()
        where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F {
            write(UnsafeBufferPointer(rebasing: bytes[start..<index]))
            start = index + 1
            writeEscape(byte)
        }
        write(UnsafeBufferPointer(rebasing: bytes[start...]))
        write(UInt8(ascii: "\""))
    }

    private func writeEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): write("\\\"" as StaticString)
        case UInt8(ascii: "\\"): write("\\\\" as StaticString)
        case 0x0A: write("\\n" as StaticString)
        case 0x0D: write("\\r" as StaticString)
        case 0x09: write("\\t" as StaticString)
        default:
            write("\\u00" as StaticString)
            let digits: StaticString = "0123456789abcdef"
            write(digits.utf8Start[Int(byte >> 4)])
            write(digits.utf8Start[Int(byte & 15)])
        }
    }

    /// Writes a number. JSON has no infinity, so infinity is written as a string.
    func writeJSON(_ number: Double) {
        if number.isFinite {
            write(number.description)
        } else {
            writeJSON(number.description)
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    var isASCII: Bool { allSatisfy { $0 < 0x80 } }
}

/// A JSON value that is built before it is written: the result of `--json`.
enum JSONValue {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    /// The members in their order.
    case object([(String, JSONValue)])
    /// A value that is JSON already.
    case encoded(String)

    static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    static func count(_ number: Int) -> JSONValue { .int(Int64(number)) }

    /// Writes the value. With an indent, each member is on its own line.
    func write(to sink: ByteSink, indent: Int? = 0) {
        switch self {
        case .null: sink.write("null" as StaticString)
        case .bool(let flag): sink.write(flag ? "true" as StaticString : "false")
        case .int(let number): sink.write(number: number)
        case .double(let number): sink.writeJSON(number)
        case .string(let text): sink.writeJSON(text)
        case .encoded(let json): sink.write(json)
        case .array(let items):
            Self.write(count: items.count, open: "[", close: "]", to: sink, indent: indent) { index, inner in
                items[index].write(to: sink, indent: inner)
            }
        case .object(let members):
            Self.write(count: members.count, open: "{", close: "}", to: sink, indent: indent) { index, inner in
                sink.writeJSON(members[index].0)
                sink.write(inner == nil ? ":" as StaticString : ": ")
                members[index].1.write(to: sink, indent: inner)
            }
        }
    }

    private static func write(
        count: Int, open: StaticString, close: StaticString, to sink: ByteSink, indent: Int?,
        _ body: (Int, Int?) -> Void
    ) {
        sink.write(open)
        let inner = indent.map { $0 + 2 }
        for index in 0..<count {
            if index > 0 { sink.write(UInt8(ascii: ",")) }
            if let inner { sink.write("\n" + String(repeating: " ", count: inner)) }
            body(index, inner)
        }
        if let indent, count > 0 { sink.write("\n" + String(repeating: " ", count: indent)) }
        sink.write(close)
    }
}

extension Console {
    /// Writes one value as the complete result.
    func answer(_ value: JSONValue) {
        value.write(to: out)
        out.write(UInt8(ascii: "\n"))
    }
}
