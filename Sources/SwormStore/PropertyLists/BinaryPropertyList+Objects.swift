import Foundation

extension BinaryPropertyList {
    /// The maximum depth of nested collections in a property list.
    static let depthLimit = 100
    /// The maximum number of objects in a list if every reference to an object is counted separately.
    static let objectLimit = 1_000_000

    /// Returns the list as Foundation objects: strings, numbers, dates, data, arrays and dictionaries.
    ///
    /// - Throws: An error for a set, a reference of an archive or a null, which no property list contains, and for a
    ///   list that contains itself or would be too large.
    func objects() throws(ArchiveError) -> Any {
        var builder = ObjectBuilder(list: self)
        return try builder.object(root, depth: 0).object
    }
}

/// A builder that creates each object of a binary property list once, because several collections may refer to the
/// same object.
private struct ObjectBuilder {
    struct Built {
        var object: Any
        var count = 1
        /// The depth of the nested collections, including this one.
        var height = 0
    }

    let list: BinaryPropertyList
    private var built: [Int: Built] = [:]

    init(list: BinaryPropertyList) { self.list = list }

    private static var tooDeep: ArchiveError {
        ArchiveError("the property list has collections more than \(BinaryPropertyList.depthLimit) deep")
    }

    mutating func object(_ number: Int, depth: Int) throws(ArchiveError) -> Built {
        if let known = built[number] {
            guard depth + known.height <= BinaryPropertyList.depthLimit else { throw Self.tooDeep }
            return known
        }
        // A list that contains itself has an infinite depth.
        guard depth < BinaryPropertyList.depthLimit else { throw Self.tooDeep }
        let made = try make(list.node(number), depth: depth)
        guard made.count <= BinaryPropertyList.objectLimit else {
            throw ArchiveError("the property list has more than \(BinaryPropertyList.objectLimit) objects")
        }
        built[number] = made
        return made
    }

    private mutating func make(_ node: BinaryPropertyList.Node, depth: Int) throws(ArchiveError) -> Built {
        switch node {
        case .bool(let value): return Built(object: NSNumber(value: value))
        case .unsigned(let value): return Built(object: NSNumber(value: value))
        case .int(let value): return Built(object: NSNumber(value: value))
        case .real(let value): return Built(object: NSNumber(value: value))
        case .date(let seconds): return Built(object: try PropertyList.date(seconds))
        case .data(let data): return Built(object: data)
        case .string(let string): return Built(object: string)
        case .array(let numbers):
            var (objects, count, height): ([Any], Int, Int) = ([], 1, 0)
            objects.reserveCapacity(numbers.count)
            for number in numbers {
                let element = try object(number, depth: depth + 1)
                objects.append(element.object)
                count += element.count
                height = max(height, element.height)
            }
            return Built(object: objects, count: count, height: height + 1)
        case .dictionary(let keys, let values):
            var (objects, count, height): ([String: Any], Int, Int) = ([:], 1, 0)
            for (key, value) in zip(keys, values) {
                guard case .string(let name) = list.node(key) else {
                    throw ArchiveError("the property list has a dictionary with a key that is not a string")
                }
                let element = try object(value, depth: depth + 1)
                objects[name] = element.object
                count += element.count
                height = max(height, element.height)
            }
            return Built(object: objects, count: count, height: height + 1)
        case .set: throw ArchiveError("the property list has a set")
        case .uid: throw ArchiveError("the property list has a reference of a keyed archive")
        case .null: throw ArchiveError("the property list has a null")
        }
    }
}
