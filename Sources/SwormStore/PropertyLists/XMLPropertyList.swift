import Foundation

/// A reader of property lists in XML, in UTF-8, that do not declare entities.
struct XMLPropertyList {
    /// The maximum size of a list, in bytes.
    static let sizeLimit = 16 << 20

    /// Returns the list as Foundation objects.
    static func objects(_ data: Data) throws(ArchiveError) -> Any {
        guard data.count <= sizeLimit else {
            throw ArchiveError("the property list has \(data.count) bytes and is too large")
        }
        guard String(data: data, encoding: .utf8) != nil else {
            throw ArchiveError("it is neither a binary property list nor UTF-8")
        }
        var parser = XMLPropertyList(bytes: [UInt8](data))
        return try parser.list()
    }

    private let bytes: [UInt8]
    private var place = 0

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func issue(_ what: String) -> ArchiveError {
        let line = bytes[..<min(place, bytes.count)].reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
        return ArchiveError("line \(line) of the property list \(what)")
    }

    // MARK: Structure

    private mutating func list() throws(ArchiveError) -> Any {
        if starts(with: "\u{FEFF}") { place += 3 }
        try skipBetween()
        if starts(with: "<!DOCTYPE") {
            let end = try place(after: ">")
            guard !bytes[place..<end].contains(UInt8(ascii: "[")) else { throw issue("declares entities") }
            place = end
        }
        try skipBetween()
        guard case .start("plist", let isEmpty) = try tag(), !isEmpty else { throw issue("is not a property list") }
        guard case .start(let name, let isEmpty) = try tag() else { throw issue("ends without a value") }
        let object = try value(name, isEmpty: isEmpty, depth: 0)
        guard case .end("plist") = try tag() else { throw issue("has more than one value") }
        try skipBetween()
        guard place == bytes.count else { throw issue("continues after its end") }
        return object
    }

    private mutating func value(_ name: String, isEmpty: Bool, depth: Int) throws(ArchiveError) -> Any {
        guard depth < BinaryPropertyList.depthLimit else {
            throw issue("has collections more than \(BinaryPropertyList.depthLimit) deep")
        }
        switch name {
        case "dict": return isEmpty ? [String: Any]() : try dictionary(depth)
        case "array": return isEmpty ? [Any]() : try array(depth)
        case "true", "false":
            if !isEmpty { guard try text(name).isEmpty else { throw issue("has a value in \(name)") } }
            return NSNumber(value: name == "true")
        case "string": return isEmpty ? "" : try text(name)
        case "data":
            guard let data = Data(base64Encoded: isEmpty ? "" : try text(name), options: .ignoreUnknownCharacters)
            else {
                throw issue("has data that is not base64")
            }
            return data
        case "integer": return try integer(isEmpty ? "" : text(name))
        case "real":
            let trimmed = (isEmpty ? "" : try text(name)).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let number = Double(trimmed) else { throw issue("has a real that is not a number") }
            return NSNumber(value: number)
        case "date": return try date(isEmpty ? "" : text(name))
        default: throw issue("has the unknown element '\(name.prefix(40))'")
        }
    }

    private mutating func dictionary(_ depth: Int) throws(ArchiveError) -> [String: Any] {
        var result: [String: Any] = [:]
        while true {
            switch try tag() {
            case .end("dict"): return result
            case .start("key", let isEmpty):
                let key = isEmpty ? "" : try text("key")
                guard case .start(let name, let isEmpty) = try tag() else { throw issue("has a key without a value") }
                result[key] = try value(name, isEmpty: isEmpty, depth: depth + 1)
            default: throw issue("has a dictionary with a value that has no key")
            }
        }
    }

    private mutating func array(_ depth: Int) throws(ArchiveError) -> [Any] {
        var result: [Any] = []
        while true {
            switch try tag() {
            case .end("array"): return result
            case .start(let name, let isEmpty): result.append(try value(name, isEmpty: isEmpty, depth: depth + 1))
            case .end: throw issue("has an array that does not end")
            }
        }
    }

    // MARK: Tags and text

    private enum Tag {
        case start(String, isEmpty: Bool)
        case end(String)
    }

    private func starts(with text: String) -> Bool { bytes[place...].starts(with: text.utf8) }

    private func place(after text: String) throws(ArchiveError) -> Int {
        let mark = Array(text.utf8)
        var index = place
        while index + mark.count <= bytes.count {
            if bytes[index..<index + mark.count].elementsEqual(mark) { return index + mark.count }
            index += 1
        }
        throw issue("is truncated")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Skips spaces, comments and instructions.
    private mutating func skipBetween() throws(ArchiveError) {
        while place < bytes.count {
            if Self.isSpace(bytes[place]) {
                place += 1
            } else if starts(with: "<!--") {
                place = try place(after: "-->")
            } else if starts(with: "<?") {
                place = try place(after: "?>")
            } else {
                return
            }
        }
    }

    private mutating func tag() throws(ArchiveError) -> Tag {
        try skipBetween()
        guard starts(with: "<") else { throw issue(place < bytes.count ? "has text between values" : "is truncated") }
        let end = try place(after: ">")
        var content = bytes[place + 1..<end - 1]
        place = end
        let isEnd = content.first == UInt8(ascii: "/")
        let isEmpty = content.last == UInt8(ascii: "/")
        if isEnd { content = content.dropFirst() } else if isEmpty { content = content.dropLast() }
        let name = String(decoding: content.prefix { !Self.isSpace($0) }, as: UTF8.self)
        return isEnd ? .end(name) : .start(name, isEmpty: isEmpty)
    }

    /// Reads the text of an element, through the tag that ends it.
    private mutating func text(_ name: String) throws(ArchiveError) -> String {
        var result: [UInt8] = []
        while place < bytes.count {
            if starts(with: "</") {
                guard case .end(name) = try tag() else { throw issue("has a \(name) that does not end") }
                return String(decoding: result, as: UTF8.self)
            }
            if starts(with: "<![CDATA[") {
                let start = place + 9
                place = try place(after: "]]>")
                guard start <= place - 3 else { throw issue("is truncated") }
                result += bytes[start..<place - 3]
            } else if starts(with: "<!--") {
                place = try place(after: "-->")
            } else if bytes[place] == UInt8(ascii: "<") {
                throw issue("has an element inside a \(name)")
            } else if bytes[place] == UInt8(ascii: "&") {
                let end = try place(after: ";")
                result += try character(String(decoding: bytes[place + 1..<end - 1], as: UTF8.self)).utf8
                place = end
            } else {
                result.append(bytes[place])
                place += 1
            }
        }
        throw issue("is truncated")
    }

    private func character(_ entity: String) throws(ArchiveError) -> String {
        switch entity {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "apos": return "'"
        case "quot": return "\""
        default:
            let digits = entity.dropFirst(entity.hasPrefix("#x") ? 2 : 1)
            guard entity.hasPrefix("#"), digits.count <= 8,
                let scalar = UInt32(digits, radix: entity.hasPrefix("#x") ? 16 : 10).flatMap(Unicode.Scalar.init)
            else { throw issue("has the unknown entity '\(entity.prefix(20))'") }
            return String(Character(scalar))
        }
    }

    // MARK: Values

    private func integer(_ text: String) throws(ArchiveError) -> NSNumber {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let isNegative = trimmed.hasPrefix("-")
        let digits = trimmed.drop { $0 == "-" || $0 == "+" }
        let isHexadecimal = digits.lowercased().hasPrefix("0x")
        let number = (isNegative ? "-" : "") + (isHexadecimal ? digits.dropFirst(2) : digits)
        if let value = Int64(number, radix: isHexadecimal ? 16 : 10) { return NSNumber(value: value) }
        if let value = UInt64(number, radix: isHexadecimal ? 16 : 10) { return NSNumber(value: value) }
        throw issue("has an integer that does not fit in 64 bits")
    }

    /// Parses a date of the form 2001-01-01T00:00:00Z.
    private func date(_ text: String) throws(ArchiveError) -> Date {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let parts = trimmed.split(whereSeparator: { "-T:Z".contains($0) }).map { Int($0) ?? -1 }
        guard trimmed.hasSuffix("Z"), trimmed.utf8.count <= 24, parts.count == 6, parts.allSatisfy({ $0 >= 0 }),
            parts[0] <= 9999, (1...12).contains(parts[1]), (1...31).contains(parts[2]), parts[3] < 24, parts[4] < 60,
            parts[5] < 61
        else { throw issue("has a date that is not of the form 2001-01-01T00:00:00Z") }
        // The days since March 1 of the year 0, so that leap days are the last days of their years.
        let year = parts[1] > 2 ? parts[0] : parts[0] - 1
        let month = (parts[1] + 9) % 12
        let days =
            365 * year + (year >= 0 ? year / 4 - year / 100 + year / 400 : -1) + (153 * month + 2) / 5 + parts[2] - 1
        let seconds = Double(days - 730_791) * 86_400 + Double(parts[3] * 3600 + parts[4] * 60 + parts[5])
        return try PropertyList.date(seconds)
    }
}
