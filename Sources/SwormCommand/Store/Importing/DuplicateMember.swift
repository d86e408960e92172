import Foundation

/// A search for duplicate members in a JSON object. Foundation keeps one of the two and silently drops the other.
enum DuplicateMember {
    /// Returns the name of the first duplicate member in valid JSON, or nil if all names are unique.
    static func name(in json: Data) -> String? {
        json.withUnsafeBytes { bytes in
            var open: [Set<String>] = []
            var last = 0..<0
            var start: Int?
            var index = 0
            // Release builds do not check indexes into raw bytes: `index` is only used below the count, and `last` is
            // before it.
            while index < bytes.count {
                switch (bytes[index], start) {
                case (UInt8(ascii: "\\"), _?): index += 1
                case (UInt8(ascii: "\""), let begin?):
                    last = begin..<index
                    start = nil
                case (UInt8(ascii: "\""), nil): start = index + 1
                case (UInt8(ascii: "{"), nil): open.append([])
                case (UInt8(ascii: "}"), nil): _ = open.popLast()
                case (UInt8(ascii: ":"), nil) where !open.isEmpty:
                    let name = text(bytes[last])
                    guard open[open.count - 1].insert(name).inserted else { return name }
                default: break
                }
                index += 1
            }
            return nil
        }
    }

    /// The same characters may be escaped at one position and not at another.
    private static func text(_ raw: Slice<UnsafeRawBufferPointer>) -> String {
        guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
        let quoted = Data([UInt8(ascii: "\"")] + raw + [UInt8(ascii: "\"")])
        let decoded = try? JSONSerialization.jsonObject(with: quoted, options: .fragmentsAllowed) as? String
        return decoded ?? String(decoding: raw, as: UTF8.self)
    }
}
