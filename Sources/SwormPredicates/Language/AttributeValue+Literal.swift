import Foundation

extension AttributeValue {
    /// The value as a literal in a format string. Parsing it returns the same value.
    package var literal: String {
        switch self {
        case .null: "nil"
        case .bool(let value): value ? "YES" : "NO"
        case .int(let value): "\(value)"
        case .double(let value): value.isFinite ? "\(value)" : cast("\(value)", to: .number)
        case .decimal(let value): cast("\(value)", to: .decimal)
        case .string(let value): quoted(value)
        case .date(let value): date(value.timeIntervalSinceReferenceDate)
        case .data(let value): cast(value.base64EncodedString(), to: .data)
        case .uuid(let value): cast(value.uuidString, to: .uuid)
        case .url(let value): cast(value.absoluteString, to: .url)
        case .object(let value): cast(value.uriText, to: .object)
        }
    }

    private func cast(_ text: String, to type: ValueCast) -> String {
        "CAST(\(quoted(text)), \"\(type.rawValue)\")"
    }

    private func date(_ seconds: Double) -> String {
        "CAST(\(AttributeValue.double(seconds).literal), \"\(ValueCast.date.rawValue)\")"
    }

    private func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\" + String(Character(scalar))
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
