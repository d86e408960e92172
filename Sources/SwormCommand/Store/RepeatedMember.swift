import Foundation

/// Finds a member that an object of JSON has twice. Foundation keeps one of the two, and loses the other without a word.
enum RepeatedMember {
    /// The name of the first such member in sound JSON; nil where there is none.
    static func name(in json: Data) -> String? {
        json.withUnsafeBytes { bytes in
            var open: [Set<String>] = []
            var last = 0..<0
            var start: Int?
            var index = 0
            // A release does not check the places in raw bytes: `index` is asked for below the count only, and `last` lies
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

    /// The same letters may be escaped in one place and not in another.
    private static func text(_ raw: Slice<UnsafeRawBufferPointer>) -> String {
        guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
        let quoted = Data([UInt8(ascii: "\"")] + raw + [UInt8(ascii: "\"")])
        let decoded = try? JSONSerialization.jsonObject(with: quoted, options: .fragmentsAllowed) as? String
        return decoded ?? String(decoding: raw, as: UTF8.self)
    }
}
