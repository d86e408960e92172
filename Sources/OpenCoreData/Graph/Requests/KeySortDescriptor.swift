public import Foundation
import SwormPredicates
import SwormStore

/// A protocol of the sort descriptor class, for members that Foundation's own sort descriptors lack on this platform.
public protocol SortKeyPathing {}

extension NSSortDescriptor: SortKeyPathing {}

extension SortKeyPathing where Self == NSSortDescriptor {
    /// Creates a descriptor that sorts by a key path. Strings are ordered by their bytes.
    ///
    /// - Parameters:
    ///   - key: An attribute, or the names of to-one relationships and of an attribute joined by dots.
    ///   - ascending: Whether small values come first. Nil is the smallest value.
    public init(key: String?, ascending: Bool) {
        self = KeySortDescriptor(key: key ?? "", ascending: ascending, selector: nil)
    }

    /// Creates a descriptor that sorts by a key path, with a comparison of strings.
    ///
    /// The order of a store and that of objects in memory are the same. The locale of the process has no influence on
    /// it: the comparisons whose names begin with `localized` use the root collation of Unicode.
    ///
    /// | comparison | order |
    /// | --- | --- |
    /// | `compare:` | by bytes |
    /// | `caseInsensitiveCompare:` | by bytes, without differences of letter case |
    /// | `localizedCompare:` | by the collation |
    /// | `localizedCaseInsensitiveCompare:` | by the collation, without differences of letter case |
    /// | `localizedStandardCompare:` | by the collation, without differences of letter case, digits as numbers |
    ///
    /// A fetch throws an error for any other comparison.
    ///
    /// - Parameters:
    ///   - key: An attribute, or the names of to-one relationships and of an attribute joined by dots.
    ///   - ascending: Whether small values come first. Nil is the smallest value.
    ///   - selector: The comparison of strings; nil for `compare:`. It has no effect on other values.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        self = KeySortDescriptor(key: key ?? "", ascending: ascending, selector: selector)
    }
}

extension SortKeyPathing {
    /// The key path to sort by; nil if the descriptor was created from a Swift key path.
    public var key: String? { (self as? KeySortDescriptor)?.path }

    /// The comparison of strings; nil if the descriptor was created from a Swift key path.
    public var selector: Selector? { (self as? KeySortDescriptor)?.comparison }
}

/// A sort descriptor that stores the key path as a string.
final class KeySortDescriptor: NSSortDescriptor {
    let path: String
    let comparison: Selector

    init(key: String, ascending: Bool, selector: Selector?) {
        path = key
        comparison = selector ?? "compare:"
        super.init(keyPath: \String.count, ascending: ascending)
    }

    /// Not supported, because a descriptor is created from its key.
    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

    /// The descriptor for the opposite order.
    override var reversedSortDescriptor: Any {
        KeySortDescriptor(key: path, ascending: !ascending, selector: comparison)
    }

    /// Returns the descriptor itself, because it is immutable.
    override func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns the order of two managed objects, dictionaries or plain values. An object without a value for the key is
    /// the smallest; an unknown comparison is replaced by `compare:`.
    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        let (one, other) = (value(of: object1), value(of: object2))
        let order = compareForSort(one, other, options: comparison.textOptions ?? [])
        switch order {
        case .orderedAscending where !ascending: return .orderedDescending
        case .orderedDescending where !ascending: return .orderedAscending
        default: return order
        }
    }

    /// The names of the key path.
    var keys: [String] { path.split(separator: ".").map(String.init) }

    private func value(of object: Any) -> AttributeValue {
        if let object = object as? NSManagedObject { return (try? object.sortValue(keys)) ?? .null }
        var current: Any? = object
        for key in keys where key != "self" {
            if let object = current as? NSManagedObject {
                current = object.value(forKey: key)
            } else if let dictionary = current as? [String: Any] {
                current = dictionary[key]
            } else if let dictionary = current as? NSDictionary {
                current = dictionary.object(forKey: NSString(string: key))
            } else {
                return .null
            }
        }
        return AttributeValue(any: current) ?? .null
    }
}

extension Selector {
    /// The options of a comparison of strings; nil for any other method.
    fileprivate var textOptions: ComparisonOptions? {
        switch description {
        case "compare:": []
        case "caseInsensitiveCompare:": .caseInsensitive
        case "localizedCompare:": .localeSensitive
        case "localizedCaseInsensitiveCompare:": [.caseInsensitive, .localeSensitive]
        case "localizedStandardCompare:": [.caseInsensitive, .localeSensitive, .numeric]
        default: nil
        }
    }
}

extension NSSortDescriptor {
    /// Returns the descriptor as a value.
    func sort() throws -> FetchSpecification.Sort {
        guard let descriptor = self as? KeySortDescriptor, !descriptor.path.isEmpty else {
            throw CoreDataError(
                NSPersistentStoreUnsupportedRequestTypeError,
                "A fetch cannot use a sort descriptor made from a Swift key path or a closure. Use `NSSortDescriptor(key:ascending:)`."
            )
        }
        guard let options = descriptor.comparison.textOptions else {
            throw CoreDataError(
                NSPersistentStoreUnsupportedRequestTypeError,
                "A fetch cannot sort '\(descriptor.path)' by the comparison '\(descriptor.comparison)'. Use compare:, caseInsensitiveCompare:, localizedCompare:, localizedCaseInsensitiveCompare: or localizedStandardCompare:.",
                key: descriptor.path)
        }
        return FetchSpecification.Sort(path: descriptor.keys, ascending: descriptor.ascending, options: options)
    }
}
