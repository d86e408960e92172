package import Foundation

/// The types of `CAST(value, "type")`.
package enum ValueCast: String, Sendable, Hashable, CaseIterable {
    case number = "NSNumber"
    case decimal = "NSDecimalNumber"
    case string = "NSString"
    case date = "NSDate"
    case uuid = "NSUUID"
    case url = "NSURL"
    /// Data, from Base64 text.
    case data = "NSData"
    /// An object, from its URI.
    case object = "NSManagedObjectID"

    /// Returns the value as this type, null if the value does not represent one, or nil if such a value never can.
    package func apply(_ value: AttributeValue) -> AttributeValue? {
        if case .null = value { return .null }
        switch self {
        case .number: return number(value)
        case .decimal: return decimal(value)
        case .string: return string(value)
        case .date:
            if case .date = value { return value }
            return value.numericDouble.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .uuid:
            if case .uuid = value { return value }
            guard case .string(let text) = value else { return nil }
            return UUID(uuidString: text).map(AttributeValue.uuid) ?? .null
        case .url:
            if case .url = value { return value }
            guard case .string(let text) = value else { return nil }
            return URL(string: text).map(AttributeValue.url) ?? .null
        case .data:
            if case .data = value { return value }
            guard case .string(let text) = value else { return nil }
            return Data(base64Encoded: text).map(AttributeValue.data) ?? .null
        case .object:
            if case .object = value { return value }
            guard case .string(let text) = value else { return nil }
            return ObjectReference(uriText: text).map(AttributeValue.object) ?? .null
        }
    }

    private func number(_ value: AttributeValue) -> AttributeValue? {
        switch value {
        case .bool, .int, .double, .decimal: return value
        case .date(let date): return .double(date.timeIntervalSinceReferenceDate)
        case .string(let text):
            if let integer = Int64(text) { return .int(integer) }
            return Double(text).map(AttributeValue.double) ?? .null
        default: return nil
        }
    }

    private func decimal(_ value: AttributeValue) -> AttributeValue? {
        switch value {
        case .bool(let flag): return .decimal(flag ? 1 : 0)
        case .int(let integer): return .decimal(Decimal(integer))
        case .double(let double):
            // A number beyond the range of decimals is not converted.
            guard double.isFinite, let decimal = Decimal(string: "\(double)", locale: posix), !decimal.isNaN else {
                return double.isNaN ? .null : value
            }
            return .decimal(decimal)
        case .date(let date): return decimal(.double(date.timeIntervalSinceReferenceDate))
        case .decimal: return value
        case .string(let text):
            if text == "NaN" { return .decimal(.nan) }
            return Decimal(string: text, locale: posix).map(AttributeValue.decimal) ?? .null
        default: return nil
        }
    }

    private var posix: Locale { Locale(identifier: "en_US_POSIX") }

    private func string(_ value: AttributeValue) -> AttributeValue? {
        switch value {
        case .bool(let flag): .string(flag ? "1" : "0")
        case .int(let integer): .string("\(integer)")
        case .double(let double): .string("\(double)")
        case .decimal(let decimal): .string("\(decimal)")
        case .string: value
        case .uuid(let uuid): .string(uuid.uuidString)
        case .url(let url): .string(url.absoluteString)
        default: nil
        }
    }
}

/// Creates a cast. A cast of a constant becomes its result.
func makeCast(of operand: ExpressionTree, to typeName: String) -> Result<ExpressionTree, QueryError> {
    guard let cast = ValueCast(rawValue: typeName) else {
        let known = ValueCast.allCases.map(\.rawValue).joined(separator: ", ")
        return .failure(
            QueryError(.unsupported, "a cast to '\(typeName)' is not supported; the supported types are \(known)"))
    }
    guard case .value(let value) = operand else { return .success(.cast(operand, typeName)) }
    guard let result = cast.apply(value) else {
        return .failure(QueryError(.typeMismatch, "\(value.literal) cannot be cast to '\(typeName)'"))
    }
    if case .null = result, value != .null {
        return .failure(QueryError(.typeMismatch, "\(value.literal) is not a value of the type '\(typeName)'"))
    }
    return .success(.value(result))
}

extension AttributeValue {
    /// The value as a number in SQL; nil for text, bytes, objects and null. A date is converted to its seconds since
    /// 2001.
    package var numericDouble: Double? {
        switch self {
        case .bool(let value): value ? 1 : 0
        case .int(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): value.nearestDouble
        case .date(let value): value.timeIntervalSinceReferenceDate
        default: nil
        }
    }
}

extension Decimal {
    /// The double closest to the decimal. `NSDecimalNumber.doubleValue` may differ in the last bit.
    package var nearestDouble: Double { Double(description) ?? .nan }

    /// The decimal as an integer, or nil for a fraction and for a number out of range.
    package var wholeNumber: Int64? { Int64(description) }
}

extension ObjectReference {
    /// Parses `x-coredata://store/Entity/p12`, or `x-coredata:///Entity/t12` for an object that was never saved.
    init?(uriText: String) {
        let scheme = "x-coredata://"
        guard uriText.hasPrefix(scheme) else { return nil }
        let parts = uriText.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty, let key = Int64(parts[2].dropFirst()) else { return nil }
        switch (parts[0].isEmpty, parts[2].first) {
        case (false, "p"): self.init(storeIdentifier: String(parts[0]), entityName: String(parts[1]), key: key)
        case (true, "t"): self.init(storeIdentifier: nil, entityName: String(parts[1]), key: key)
        default: return nil
        }
    }

    /// The string that ``init(uriText:)`` parses.
    var uriText: String {
        "x-coredata://\(storeIdentifier ?? "")/\(entityName)/\(isTemporary ? "t" : "p")\(key)"
    }
}
