import Foundation
import SwormPredicates
import SwormStore

/// The string representations of values in model files.
enum ModelXMLValue {
    /// Returns the value that a string represents, or nil if the type has no such value or no string representation.
    static func value(_ text: String, type: AttributeType) -> AttributeValue? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch type {
        case .integer16, .integer32, .integer64:
            if let number = Int64(trimmed) { return AttributeDefault.value(number, as: type) }
            return number(trimmed).flatMap { AttributeDefault.value($0, as: type) }
        case .boolean: return flag(trimmed).map { .bool($0) }
        case .double, .float: return number(trimmed).flatMap { AttributeDefault.value($0, as: type) }
        case .decimal:
            // `Decimal` parses the longest valid prefix, so the whole string is checked first.
            guard number(trimmed) != nil, let decimal = Decimal(string: trimmed), decimal.isFinite else { return nil }
            return .decimal(decimal)
        case .string: return .string(text)
        case .uuid: return UUID(uuidString: trimmed).map { .uuid($0) }
        case .uri: return URL(string: trimmed).map { .url($0) }
        case .date: return number(trimmed).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .binaryData, .transformable, .objectID, .composite, .undefined: return .null
        }
    }

    static func flag(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "1": true
        case "no", "false", "0": false
        default: nil
        }
    }

    /// Returns whether a string starts like a number.
    static func beginsAsNumber(_ text: String) -> Bool {
        text.drop { $0.isWhitespace || "+-.".contains($0) }.first?.isWholeNumber ?? false
    }

    /// Returns a finite number in decimal digits.
    private static func number(_ text: String) -> Double? {
        let allowed = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.eE".utf8.contains(byte)
        }
        guard allowed, let number = Double(text), number.isFinite else { return nil }
        return number
    }
}

extension ModelXMLReader {
    /// Returns a YES or NO value; NO if it is missing.
    mutating func flag(_ key: String, of element: XMLTree, owner: String) -> Bool {
        guard let text = element.attributes[key], !text.isEmpty else { return false }
        if let flag = ModelXMLValue.flag(text) { return flag }
        report("'\(text.prefix(80))', the \(key) of \(owner), must be YES or NO.", at: element)
        return false
    }

    /// Returns a count; 0 if it is missing.
    mutating func count(_ key: String, of element: XMLTree, owner: String) -> Int {
        guard let text = element.attributes[key], !text.isEmpty else { return 0 }
        if let count = Int32(text) { return Int(count) }
        report("'\(text.prefix(80))', the \(key) of \(owner), must be a whole number.", at: element)
        return 0
    }
}
