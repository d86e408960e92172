import Foundation
import SwormPredicates

extension KeyedArchiveWriter {
    /// Archives a Foundation value, or returns nil for a value of an unsupported class.
    package mutating func value(_ any: Any) -> PropertyListValue? {
        guard let value = AttributeValue(any: any) else {
            if let list = any as? [Any] {
                let elements = list.compactMap { self.value($0) }
                return elements.count == list.count ? array(elements) : nil
            }
            guard let fields = any as? [String: Any] else { return nil }
            let pairs = fields.sorted { $0.key < $1.key }.compactMap { key, value in
                self.value(value).map { (key: key, value: $0) }
            }
            return pairs.count == fields.count ? dictionary(pairs, isMutable: true) : nil
        }
        switch value {
        case .null: return Self.null
        case .bool(let flag): return plain(.bool(flag))
        case .int(let number): return plain(.int(number))
        case .double(let number): return plain(.real(number))
        case .string(let text): return string(text)
        case .date(let date):
            return object(["NSDate", "NSObject"], fields: ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
        case .data(let data): return object(["NSData", "NSObject"], fields: ["NS.data": .data(data)])
        case .uuid(let uuid):
            return object(
                ["NSUUID", "NSObject"], fields: ["NS.uuidbytes": .data(withUnsafeBytes(of: uuid.uuid) { Data($0) })])
        case .url(let url):
            return object(
                ["NSURL", "NSObject"], fields: ["NS.base": Self.null, "NS.relative": string(url.absoluteString)])
        case .decimal(let number): return decimal(number)
        case .object: return nil
        }
    }

    private mutating func decimal(_ number: Decimal) -> PropertyListValue? {
        guard number.isFinite else { return nil }
        // The digits as a whole number, in words of sixteen bits, lowest first.
        var digits = number.significand.magnitude
        var words: [UInt16] = []
        while digits > 0, words.count < 8 {
            var quotient = digits / 65_536
            var whole = Decimal()
            NSDecimalRound(&whole, &quotient, 0, .down)
            let word = NSDecimalNumber(decimal: digits - whole * 65_536).uint32Value
            words.append(UInt16(truncatingIfNeeded: word))
            digits = whole
        }
        let mantissa = (words + Array(repeating: 0, count: 8 - words.count)).flatMap {
            [UInt8($0 & 0xFF), UInt8($0 >> 8)]
        }
        return object(
            ["NSDecimalNumber", "NSNumber", "NSValue", "NSObject"],
            fields: [
                "NS.mantissa": .data(Data(mantissa)), "NS.mantissa.bo": .int(1),
                "NS.exponent": .int(Int64(number.exponent)), "NS.length": .int(Int64(words.count)),
                "NS.negative": .bool(number.sign == .minus), "NS.compact": .bool(true),
            ])
    }
}
