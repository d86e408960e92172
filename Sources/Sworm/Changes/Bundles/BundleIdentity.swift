import Foundation
import SwormPredicates

/// The identity of an object as text, which records are found by. It contains only ASCII characters, so that strings that
/// differ in bytes differ in this text.
struct BundleIdentity: Sendable, Hashable {
    let entity: String
    let key: String

    init(entity: String, key: String) {
        self.entity = entity
        self.key = key
    }

    init(_ key: ChangeBundle.Key) throws {
        entity = key.entity
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(key.values.map(BundleValue.init)), as: UTF8.self)
        var ascii = ""
        for unit in text.utf16 {
            if unit < 0x80 {
                ascii.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            } else {
                let digits = String(unit, radix: 16)
                ascii += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        self.key = ascii
    }

    /// The identity in one string, for the content of a record.
    var text: String { "\(entity)/\(key)" }

    init?(text: String) {
        guard let slash = text.firstIndex(of: "/") else { return nil }
        entity = String(text[..<slash])
        key = String(text[text.index(after: slash)...])
    }

    var values: [AttributeValue]? {
        (try? JSONDecoder().decode([BundleValue].self, from: Data(key.utf8)))?.map(\.value)
    }

    var bundleKey: ChangeBundle.Key { ChangeBundle.Key(entity: entity, values: values ?? []) }
}
