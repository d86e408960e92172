import Foundation

extension BinaryPropertyList {
    /// How deep the collections of a property list may be inside one another.
    static let depthLimit = 100
    /// The largest number of objects that a list may have when every reference to an object counts as one of its own.
    static let objectLimit = 1_000_000

    /// Returns the list as Foundation's objects: strings, numbers, dates, data, arrays and dictionaries.
    ///
    /// - Throws: An error for a set, a reference of an archive or a null, which no property list has, and for a list that contains
    ///   itself or would be too large.
    func objects() throws(ArchiveError) -> Any {
        var builder = ObjectBuilder(list: self)
        return try builder.object(root, depth: 0).object
    }
}

/// Makes the objects of a binary property list, each once: several collections may refer to the same object.
private struct ObjectBuilder {
    typealias Built = (object: Any, count: Int)

    let list: BinaryPropertyList
    private var built: [Int: Built] = [:]

    init(list: BinaryPropertyList) { self.list = list }

    mutating func object(_ number: Int, depth: Int) throws(ArchiveError) -> Built {
        if let known = built[number] { return known }
        // A list that contains itself has no end of depth.
        guard depth < BinaryPropertyList.depthLimit else {
            throw ArchiveError("the property list has collections more than \(BinaryPropertyList.depthLimit) deep")
        }
        let made = try make(list.node(number), depth: depth)
        guard made.count <= BinaryPropertyList.objectLimit else {
            throw ArchiveError("the property list has more than \(BinaryPropertyList.objectLimit) objects")
        }
        built[number] = made
        return made
    }

    private mutating func make(_ node: BinaryPropertyList.Node, depth: Int) throws(ArchiveError) -> Built {
        switch node {
        case .bool(let value): return (NSNumber(value: value), 1)
        case .int(let value): return (NSNumber(value: value), 1)
        case .real(let value): return (NSNumber(value: value), 1)
        case .date(let seconds): return (try PropertyList.date(seconds), 1)
        case .data(let data): return (data, 1)
        case .string(let string): return (string, 1)
        case .array(let numbers):
            var (objects, count): ([Any], Int) = ([], 1)
            objects.reserveCapacity(numbers.count)
            for number in numbers {
                let element = try object(number, depth: depth + 1)
                objects.append(element.object)
                count += element.count
            }
            return (objects, count)
        case .dictionary(let keys, let values):
            var (objects, count): ([String: Any], Int) = ([:], 1)
            for (key, value) in zip(keys, values) {
                guard case .string(let name) = list.node(key) else {
                    throw ArchiveError("the property list has a dictionary with a key that is not a string")
                }
                let element = try object(value, depth: depth + 1)
                objects[name] = element.object
                count += element.count
            }
            return (objects, count)
        case .set: throw ArchiveError("the property list has a set")
        case .uid: throw ArchiveError("the property list has a reference of a keyed archive")
        case .null: throw ArchiveError("the property list has a null")
        }
    }
}
