import Foundation
import SwormPredicates

extension KeyedArchiveWriter {
    /// Archives a Foundation value, or returns nil for a value of an unsupported class, and for collections that are
    /// nested too deeply.
    package mutating func value(_ any: Any) -> PropertyListValue? { value(any, depth: 0) }

    /// The depth to which collections may be nested. A mutable collection may contain itself.
    private static let deepest = 64

    private mutating func value(_ any: Any, depth: Int) -> PropertyListValue? {
        if let value = AttributeValue(any: any) { return attribute(value) }
        guard depth < Self.deepest else { return nil }
        switch any {
        case let list as [Any]: return elements(list, depth: depth).map { array($0) }
        case let list as NSArray:
            return elements((0..<list.count).map { list.object(at: $0) }, depth: depth).map { array($0) }
        case let members as Set<AnyHashable>: return set(members.map(\.base), depth: depth)
        case let members as NSSet: return set(members.allObjects, depth: depth)
        case let pairs as [AnyHashable: Any]:
            return dictionary(pairs.map { (key: $0.key.base, value: $0.value) }, depth: depth)
        case let pairs as NSDictionary:
            return dictionary(pairs.map { (key: $0.key, value: $0.value) }, depth: depth)
        default: return nil
        }
    }

    /// Archives a dictionary, always in the same order.
    private mutating func dictionary(_ pairs: [(key: Any, value: Any)], depth: Int) -> PropertyListValue? {
        let sorted = Self.sorted(pairs) { $0.key }
        guard let keys = elements(sorted.map(\.key), depth: depth),
            let values = elements(sorted.map(\.value), depth: depth)
        else { return nil }
        return dictionary(keys: keys, values: values, isMutable: true)
    }

    /// Archives the members of a set, always in the same order.
    private mutating func set(_ members: [Any], depth: Int) -> PropertyListValue? {
        elements(Self.sorted(members) { $0 }, depth: depth).map { set($0) }
    }

    private static func sorted<Element>(_ elements: [Element], by key: (Element) -> Any) -> [Element] {
        let named = elements.map { element in
            let subject = key(element)
            return (name: subject as? String ?? AttributeValue(any: subject)?.description ?? "", element: element)
        }
        return named.sorted { $0.name < $1.name }.map(\.element)
    }

    /// Archives the elements of a collection, which has an object for nil.
    private mutating func elements(_ elements: [Any], depth: Int) -> [PropertyListValue]? {
        var archived: [PropertyListValue] = []
        archived.reserveCapacity(elements.count)
        for element in elements {
            if AttributeValue(any: element) == .null {
                archived.append(object(["NSNull", "NSObject"], fields: [:]))
            } else if let written = value(element, depth: depth + 1) {
                archived.append(written)
            } else {
                return nil
            }
        }
        return archived
    }

    private mutating func attribute(_ value: AttributeValue) -> PropertyListValue? {
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
