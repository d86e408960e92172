package import Foundation

/// The object that a keyed archive contains, if it is of a property list class: a string, a number, a date, data, a UUID,
/// a URL, `NSNull`, or an array, a set or a dictionary of such objects.
///
/// The archive is read as data. No class is looked up or instantiated, whatever the archive names.
package struct ArchivedValue {
    /// The object: `String`, `NSNumber`, `Date`, `Data`, `UUID`, `URL`, `NSNull`, `[Any]`, `Set<AnyHashable>`, or
    /// `[String: Any]`, which is `[AnyHashable: Any]` if a key is not a string.
    package let value: Any
    /// The name of its immutable class, such as `NSArray`.
    package let className: String

    /// Returns whether data begins like an archive.
    package static func mayBeArchive(_ data: Data) -> Bool { data.starts(with: BinaryPropertyList.magic) }

    /// Reads an archive.
    ///
    /// - Returns: nil for an archive of nil.
    /// - Throws: An ``ArchiveError`` for data that is not a keyed archive, and for an object of any other class.
    package init?(archive data: Data) throws(ArchiveError) {
        let archive = try KeyedArchive(data)
        if case .null = archive.content { return nil }
        var reader = Reader(archive, size: data.count)
        let result = try reader.read(archive.content, depth: 0)
        (value, className) = (result.value, result.className)
    }
}

private struct Reader {
    struct Result {
        var value: Any
        var className: String
        /// The number of values in it, each counted as often as it occurs.
        var size = 1
        /// The depth of the nested objects, including this one. A plain value is not an object.
        var height = 0
    }

    private let archive: KeyedArchive
    /// The objects that were read. They may occur often, and are read once.
    private var known: [Int: Result] = [:]
    /// The objects that are being read.
    private var open: Set<Int> = []
    /// The largest size of a collection, and the largest number of elements that are read. Collections that contain a
    /// collection several times, and collections that share one list of elements, can grow without limit.
    private let largest: Int
    /// The number of elements, keys and values that were read.
    private var elementCount = 0
    /// The largest number of bytes of the strings that are created. Objects that share one string can grow without limit.
    private let longest: Int
    /// The number of bytes of the strings that were created.
    private var textSize = 0
    /// The largest number of bytes of the members and keys that are hashed. Each use of a long string hashes all of it,
    /// and costs the archive a few bytes.
    private let mostHashed: Int
    /// The number of bytes of the members and keys that were hashed.
    private var hashedSize = 0
    /// The number of hashed data by the part that their hash depends on.
    private var hashedData: [DataHead: Int] = [:]
    private static let deepest = 64

    private static var tooDeep: ArchiveError {
        ArchiveError("the collections in the archive are nested more than \(deepest) levels deep")
    }

    init(_ archive: KeyedArchive, size: Int) {
        self.archive = archive
        largest = max(1 << 20, size)
        // A byte of an archive can become three bytes of text.
        longest = max(16 << 20, 4 * size)
        mostHashed = max(256 << 20, 4 * size)
    }

    mutating func read(_ value: KeyedArchive.Value, depth: Int) throws(ArchiveError) -> Result {
        switch value {
        case .bool(let flag): return Result(value: NSNumber(value: flag), className: "NSNumber")
        case .int(let number): return Result(value: NSNumber(value: number), className: "NSNumber")
        case .real(let number): return Result(value: NSNumber(value: number), className: "NSNumber")
        case .string(let text): return Result(value: text, className: "NSString")
        case .data(let data): return Result(value: data, className: "NSData")
        case .object(let object): return try read(object, depth: depth)
        case .null: throw ArchiveError("a value in the archive is missing, or is a number out of range")
        case .list: throw ArchiveError("a list in the archive is not an archived object")
        }
    }

    private mutating func read(_ object: KeyedArchive.Object, depth: Int) throws(ArchiveError) -> Result {
        if let result = known[object.number] {
            // A collection that was read at a lower depth may be too deep here.
            guard depth + result.height <= Self.deepest else { throw Self.tooDeep }
            return result
        }
        guard depth < Self.deepest else { throw Self.tooDeep }
        guard open.insert(object.number).inserted else {
            throw ArchiveError("a collection in the archive contains itself")
        }
        defer { open.remove(object.number) }
        var result: Result
        switch object.className {
        case "NSArray", "NSMutableArray":
            let elements = try elements(of: object, depth: depth)
            result = try collection(elements.map(\.value), className: "NSArray", parts: elements)
        case "NSSet", "NSMutableSet":
            let elements = try elements(of: object, depth: depth)
            var members: Set<AnyHashable> = []
            for element in elements { members.insert(try hashable(element)) }
            result = try collection(members, className: "NSSet", parts: elements)
        case "NSDictionary", "NSMutableDictionary": result = try dictionary(object, depth: depth)
        case "NSNull": result = Result(value: NSNull(), className: "NSNull")
        default: result = try leaf(object)
        }
        result.height = max(1, result.height)
        known[object.number] = result
        return result
    }

    private mutating func leaf(_ object: KeyedArchive.Object) throws(ArchiveError) -> Result {
        guard let value = archive.leaf(object) else {
            throw ArchiveError(
                "the archive contains an object of the class '\(object.className.prefix(80))', which is not a property list class, or lacks its fields"
            )
        }
        switch value {
        case let date as Date:
            return Result(value: try PropertyList.date(date.timeIntervalSinceReferenceDate), className: "NSDate")
        case let number as Decimal: return Result(value: NSDecimalNumber(decimal: number), className: "NSDecimalNumber")
        case is UUID: return Result(value: value, className: "NSUUID")
        case let url as URL:
            try countText(Self.size(of: url))
            return Result(value: url, className: "NSURL")
        case is Data: return Result(value: value, className: "NSData")
        default:
            try countText((value as? String)?.utf8.count ?? 0)
            return Result(value: value, className: "NSString")
        }
    }

    /// Counts the bytes of a text that was created.
    private mutating func countText(_ size: Int) throws(ArchiveError) {
        textSize += size
        guard textSize <= longest else { throw ArchiveError("the archive has more than \(longest) bytes of text") }
    }

    /// Counts elements that are to be read.
    private mutating func countElements(_ count: Int) throws(ArchiveError) {
        elementCount += count
        guard elementCount <= largest else {
            throw ArchiveError("the collections in the archive have more than \(largest) elements")
        }
    }

    private mutating func dictionary(_ object: KeyedArchive.Object, depth: Int) throws(ArchiveError) -> Result {
        guard case .list(let keys) = archive[object, "NS.keys"], case .list(let values) = archive[object, "NS.objects"],
            keys.count == values.count
        else { throw ArchiveError("a dictionary in the archive lacks its keys or values") }
        try countElements(2 * keys.count)
        var parts: [Result] = []
        var texts: [String: Any] = [:]
        var pairs: [AnyHashable: Any] = [:]
        for (key, value) in zip(keys, values) {
            let (key, value) = (try read(key, depth: depth + 1), try read(value, depth: depth + 1))
            pairs[try hashable(key)] = value.value
            if let text = key.value as? String { texts[text] = value.value }
            parts += [key, value]
        }
        let value: Any = texts.count == pairs.count ? texts : pairs
        return try collection(value, className: "NSDictionary", parts: parts)
    }

    private mutating func elements(of object: KeyedArchive.Object, depth: Int) throws(ArchiveError) -> [Result] {
        guard case .list(let values) = archive[object, "NS.objects"] else {
            throw ArchiveError("a collection in the archive lacks its elements")
        }
        try countElements(values.count)
        var results: [Result] = []
        results.reserveCapacity(values.count)
        for value in values { results.append(try read(value, depth: depth + 1)) }
        return results
    }

    private func collection(
        _ value: Any, className: String, parts: [Result]
    ) throws(ArchiveError) -> Result {
        var result = Result(value: value, className: className, height: 1)
        for part in parts {
            result.size += part.size
            result.height = max(result.height, part.height + 1)
        }
        guard result.size <= largest else {
            throw ArchiveError("the collections in the archive contain each other too often")
        }
        return result
    }

    /// Returns a value as a member of a set, or as a key. Collections are not members: their hash is that of their count.
    private mutating func hashable(_ result: Result) throws(ArchiveError) -> AnyHashable {
        guard !["NSArray", "NSSet", "NSDictionary"].contains(result.className), let value = result.value as? AnyHashable
        else { throw ArchiveError("a member of a set, or a key, in the archive is a collection") }
        switch result.value {
        case let text as String: hashedSize += text.utf8.count
        case let url as URL: hashedSize += Self.size(of: url)
        case let data as Data where data.count > DataHead.length:
            let count = hashedData[DataHead(data), default: 0] + 1
            guard count <= 1000 else {
                throw ArchiveError("too many members or keys in the archive are data with the same beginning")
            }
            hashedData[DataHead(data)] = count
        default: break
        }
        guard hashedSize <= mostHashed else {
            throw ArchiveError("the members and keys in the archive have more than \(mostHashed) bytes of text")
        }
        return value
    }

    private static func size(of url: URL) -> Int {
        url.relativeString.utf8.count + (url.baseURL?.absoluteString.utf8.count ?? 0)
    }
}

/// The part of data that its hash depends on. Data that differ after it have the same hash, and are compared with each
/// other.
private struct DataHead: Hashable {
    static let length = 80

    let count: Int
    let bytes: Data

    init(_ data: Data) {
        count = data.count
        bytes = data.prefix(Self.length)
    }
}
