/// Fields in the format of RFC 4180.
enum CSVText {
    static func write(_ bytes: UnsafeBufferPointer<UInt8>, to sink: ByteSink) {
        // Quotes distinguish an empty string from a missing one.
        let needsQuotes =
            bytes.isEmpty
            || bytes.contains { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }
        guard needsQuotes else { return sink.write(bytes) }
        sink.write(UInt8(ascii: "\""))
        var rest = bytes[...]
        while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
            sink.write(UnsafeBufferPointer(rebasing: rest[...quote]))
            sink.write(UInt8(ascii: "\""))
            rest = rest[(quote + 1)...]
        }
        sink.write(UnsafeBufferPointer(rebasing: rest))
        sink.write(UInt8(ascii: "\""))
    }

    static func write(_ text: String, to sink: ByteSink) {
        var text = text
        text.withUTF8 { write($0, to: sink) }
    }
}
