import Foundation
import SwormPredicates

// Default values, which dictionaries and arrays can be, too.
extension ModelJSON {
    /// Returns a default value as JSON. Equal values have the same JSON: the members of dictionaries and the elements of
    /// sets are sorted.
    ///
    /// An object that is neither a plain value nor a collection is represented by its type.
    static func plain(any: Any?) -> JSONValue {
        if let value = AttributeValue(any: any) { return plain(value) }
        switch any {
        case let dictionary as [AnyHashable: Any]:
            return members(dictionary.map { Member(name: "\($0.key.base)", value: plain(any: $0.value)) })
        case let dictionary as NSDictionary:
            return members(
                dictionary.allKeys.map { Member(name: "\($0)", value: plain(any: dictionary.object(forKey: $0))) })
        case let array as [Any]: return .array(array.map { plain(any: $0) })
        case let array as NSArray: return .array(array.map { plain(any: $0) })
        case let set as NSOrderedSet: return .array(set.array.map { plain(any: $0) })
        case let set as Set<AnyHashable>: return sorted(set.map { plain(any: $0.base) })
        case let set as NSSet: return sorted(set.allObjects.map { plain(any: $0) })
        case let number as any BinaryInteger: return .string("\(number)")
        case let number as NSNumber: return .string(number.stringValue)
        case let value?: return .string("\(type(of: value))")
        case nil: return .null
        }
    }

    private struct Member {
        let name: String
        let value: JSONValue
    }

    private static func members(_ members: [Member]) -> JSONValue {
        let sorted = members.sorted { one, other in
            one.name == other.name ? text(one.value) < text(other.value) : one.name < other.name
        }
        return .object(sorted.map { ($0.name, $0.value) })
    }

    private static func sorted(_ elements: [JSONValue]) -> JSONValue {
        .array(elements.sorted { text($0) < text($1) })
    }

    /// Returns the text of a value, on one line.
    static func text(_ value: JSONValue) -> String {
        let sink = ByteSink()
        value.write(to: sink, indent: nil)
        return sink.text
    }
}
