import Foundation
import SwormPredicates

// Key paths, which may lead through collections and their operators.
extension NSManagedObject {
    /// Returns the value of a key path; nil if a step of the path has no value.
    ///
    /// ```swift
    /// author.value(forKeyPath: "publisher.name")
    /// author.value(forKeyPath: "books.title")         // A set of titles
    /// author.value(forKeyPath: "books.@max.year")
    /// ```
    /// Behind a to-many relationship, a path gives a set with the values of its members, or an `NSOrderedSet` if the
    /// relationship is ordered; missing values are left out.
    ///
    /// A key that begins with an `@` is an operator on a collection. The rest of the path is applied to each member:
    ///
    /// - `@count` is the number of members.
    /// - `@sum` and `@avg` count missing values as zero. `@min` and `@max` ignore them, and are nil for values without an
    ///   order.
    /// - `@unionOfObjects` is an array of the values, and `@distinctUnionOfObjects` contains each value once.
    /// - `@unionOfArrays` and `@distinctUnionOfArrays` are arrays of the elements of the values, which are collections
    ///   themselves; `@unionOfSets` and `@distinctUnionOfSets` are sets of them.
    ///
    /// - Parameter keyPath: Names of properties, and operators, separated by dots. An unknown operator is passed to
    ///   ``value(forUndefinedKey:)``, as an unknown name is.
    public final func value(forKeyPath keyPath: String) -> Any? {
        value(of: self, at: keyPath.split(separator: ".")[...])
    }

    /// Sets the property at the end of a key path.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - keyPath: Names of relationships, followed by the name of any property, or of a composite attribute and its
    ///     element. Behind a to-many relationship, the property of each member is set. Nothing happens if a step of the
    ///     path has no value.
    public final func setValue(_ value: Any?, forKeyPath keyPath: String) {
        guard let dot = keyPath.firstIndex(of: ".") else { return setValue(value, forKey: keyPath) }
        let (key, rest) = (String(keyPath[..<dot]), String(keyPath[keyPath.index(after: dot)...]))
        if compiledEntity.composites[key] != nil { return setElement(value, of: key, at: rest) }
        let next = self.value(forKey: key)
        let objects = (next as? NSManagedObject).map { [$0] } ?? KeyedCollection(next)?.elements ?? []
        for case let object as NSManagedObject in objects { object.setValue(value, forKeyPath: rest) }
    }

    /// Returns the value at the end of a path that starts at an object, a collection or a dictionary.
    private func value(of start: Any?, at path: ArraySlice<Substring>) -> Any? {
        var current = start
        var rest = path
        while let key = rest.popFirst() {
            if let object = current as? NSManagedObject {
                current = object.step(String(key))
            } else if let collection = KeyedCollection(current) {
                if key.hasPrefix("@") { return result(of: String(key), on: collection, at: rest) }
                current = key == "self" ? current : collection.mapped { value(of: $0, at: [key]) }
            } else if let dictionary = current as? [String: Any] {
                current = key == "@count" ? NSNumber(value: dictionary.count) : dictionary[String(key)]
            } else if key != "self" {
                return nil
            }
        }
        return current
    }

    /// Returns the value of a single key of the object.
    private func step(_ key: String) -> Any? {
        if key == "self" || key == "objectID", compiledEntity.slot(named: key) == nil {
            return key == "self" ? self : objectID
        }
        return value(forKey: key)
    }

    /// Returns the result of an operator.
    private func result(of key: String, on collection: KeyedCollection, at path: ArraySlice<Substring>) -> Any? {
        if key == "@count" { return NSNumber(value: collection.elements.count) }
        guard !path.isEmpty, let operation = KeyedOperator(key) else { return value(forUndefinedKey: key) }
        let values = collection.elements.map { value(of: $0, at: path) }
        switch operation {
        case .aggregate(let aggregate):
            let known = values.compactMap { AttributeValue(any: $0) }
            // Key-value coding has no result for objects.
            return known.count == values.count ? aggregate.result(of: known)?.cocoaValue : nil
        case .union(let form, let isDistinct):
            var found = values.compactMap { $0 }
            if form != .objects { found = found.flatMap { KeyedCollection($0)?.elements ?? [] } }
            if form == .sets { return KeyedCollection.set(found).value }
            return isDistinct ? KeyedCollection.distinct(found) : found
        }
    }
}

/// An operator on a collection, other than `@count`.
private enum KeyedOperator {
    enum Form { case objects, arrays, sets }

    case aggregate(KeyedAggregate)
    case union(Form, isDistinct: Bool)

    init?(_ key: String) {
        switch key {
        case "@unionOfObjects": self = .union(.objects, isDistinct: false)
        case "@distinctUnionOfObjects": self = .union(.objects, isDistinct: true)
        case "@unionOfArrays": self = .union(.arrays, isDistinct: false)
        case "@distinctUnionOfArrays": self = .union(.arrays, isDistinct: true)
        case "@unionOfSets", "@distinctUnionOfSets": self = .union(.sets, isDistinct: true)
        default:
            guard let aggregate = KeyedAggregate(rawValue: key) else { return nil }
            self = .aggregate(aggregate)
        }
    }
}

/// A collection at a step of a key path.
private enum KeyedCollection {
    case set([Any])
    case orderedSet([Any])
    case array([Any])

    init?(_ value: Any?) {
        switch value {
        case let objects as Set<NSManagedObject>: self = .set(Array(objects))
        case let ordered as NSOrderedSet: self = .orderedSet(ordered.array)
        case let set as NSSet: self = .set(set.allObjects)
        case let set as Set<AnyHashable>: self = .set(set.map(\.base))
        case let array as NSArray: self = .array((0..<array.count).map { array.object(at: $0) })
        case let array as [Any]: self = .array(array)
        default: return nil
        }
    }

    var elements: [Any] {
        switch self {
        case .set(let elements), .orderedSet(let elements), .array(let elements): elements
        }
    }

    /// Returns the collection with other elements. Only an array has an element for nil, which is `NSNull`.
    func mapped(_ transform: (Any) -> Any?) -> Any? {
        switch self {
        case .set(let elements): KeyedCollection.set(elements.compactMap(transform)).value
        case .orderedSet(let elements): KeyedCollection.orderedSet(elements.compactMap(transform)).value
        case .array(let elements): KeyedCollection.array(elements.map { transform($0) ?? NSNull() }).value
        }
    }

    /// The collection in the type that key-value coding has for it.
    var value: Any {
        switch self {
        case .set(let elements): Set(Self.distinct(elements).compactMap(Self.member))
        case .orderedSet(let elements): NSOrderedSet(array: Self.distinct(elements))
        case .array(let elements): elements
        }
    }

    /// Returns the first of equal values each.
    static func distinct(_ values: [Any]) -> [Any] {
        var seen: Set<AnyHashable> = []
        return values.filter { value in
            // Equal ordered sets of Foundation may have different hashes, so they are compared as lists.
            let key = (value as? NSOrderedSet).map { NSArray(array: $0.array) } ?? member(value)
            return key.map { seen.insert($0).inserted } ?? true
        }
    }

    /// Returns a value as a member of a set.
    static func member(_ value: Any) -> AnyHashable? {
        switch value {
        case let member as AnyHashable: member
        case let dictionary as [String: Any]: NSDictionary(dictionary: dictionary)
        case let array as [Any]: NSArray(array: array)
        default: nil
        }
    }
}
