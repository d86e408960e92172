import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// The default value and the validation rules of an attribute, as attributes of its XML element.
enum ModelXMLRules {
    /// - Returns: The XML attributes, and descriptions of the rules that they cannot express.
    static func attributes(of attribute: NSAttributeDescription) -> (said: [(String, String)], unsaid: [String]) {
        var said: [(String, String)] = []
        var unsaid: [String] = []
        let isDate = attribute.attributeType == .dateAttributeType
        if let value = attribute.defaultValue {
            if let text = AttributeValue(any: value).flatMap({ text($0, of: attribute) }) {
                said.append((isDate ? "defaultDateTimeInterval" : "defaultValueString", text))
            } else {
                unsaid.append("its default cannot be written here")
            }
        }
        for rule in attribute.validationRules {
            switch rule {
            case .minimum(let bound): said.append((isDate ? "minDateTimeInterval" : "minValueString", number(bound)))
            case .maximum(let bound): said.append((isDate ? "maxDateTimeInterval" : "maxValueString", number(bound)))
            case .minimumLength(let count): said.append(("minValueString", "\(count)"))
            case .maximumLength(let count): said.append(("maxValueString", "\(count)"))
            case .pattern(let pattern): said.append(("regularExpressionString", pattern))
            case .predicate(_, let text): unsaid.append("validated by \(text)")
            }
        }
        return (said, unsaid)
    }

    private static func text(_ value: AttributeValue, of attribute: NSAttributeDescription) -> String? {
        switch value {
        case .bool(let flag): flag ? "YES" : "NO"
        // The `NSNumber` values 0 and 1 can also be Booleans.
        case .int(let number) where attribute.attributeType == .booleanAttributeType: number == 0 ? "NO" : "YES"
        case .int, .double, .decimal, .date: number(value)
        case .string(let text): text
        case .uuid(let uuid): uuid.uuidString
        case .url(let url): url.absoluteString
        case .null, .data, .object: nil
        }
    }

    private static func number(_ value: AttributeValue) -> String {
        switch value {
        case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
        default: "\(value)"
        }
    }
}
