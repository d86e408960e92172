import Foundation

/// A parsed binary property list.
///
/// The objects of a list refer to each other by number, so nothing is nested here, and a list that contains itself
/// needs no special treatment. No two objects may share bytes, so the result is never larger than the list.
struct BinaryPropertyList {
    enum Node: Hashable {
        case null
        case bool(Bool)
        case int(Int64)
        /// An integer above the largest `Int64`.
        case unsigned(UInt64)
        case real(Double)
        /// A date in seconds since 2001.
        case date(Double)
        case data(Data)
        case string(String)
        /// The number by which an archive refers to one of its objects.
        case uid(Int)
        case array([Int])
        /// A set. No known framework writes one.
        case set([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    static let magic = Data("bplist00".utf8)
    /// The maximum size of a list, in bytes.
    static let sizeLimit = 64 << 20

    private(set) var nodes: [Node]
    /// The number of the object that contains all other objects.
    let root: Int

    init(_ data: Data) throws(ArchiveError) {
        var reader = try Reader(data)
        nodes = try reader.nodes()
        root = reader.root
    }

    /// Returns a node; `null` for a number without an object.
    func node(_ number: Int) -> Node { nodes.indices.contains(number) ? nodes[number] : .null }
}

private struct Reader {
    private let bytes: [UInt8]
    private let count: Int
    private let referenceSize: Int
    private let offsetSize: Int
    private let table: Int
    let root: Int
    /// The number of bytes that the remaining objects may use.
    private var budget: Int

    init(_ data: Data) throws(ArchiveError) {
        guard data.count <= BinaryPropertyList.sizeLimit else {
            throw ArchiveError("the property list has \(data.count) bytes and is too large")
        }
        guard data.count >= 40, data.starts(with: BinaryPropertyList.magic) else {
            throw ArchiveError("it is not a binary property list")
        }
        let bytes = [UInt8](data)
        let trailer = bytes.count - 32
        func number(_ start: Int, _ size: Int) -> Int? {
            Int(exactly: bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = number(trailer + 8, 8), let root = number(trailer + 16, 8),
            let table = number(trailer + 24, 8), count > 0, count <= bytes.count, root < count,
            table >= 8, table <= trailer, count <= (trailer - table) / offsetSize
        else { throw ArchiveError("the trailer of the property list is invalid") }
        self.bytes = bytes
        self.count = count
        self.root = root
        self.table = table
        budget = table
    }

    mutating func nodes() throws(ArchiveError) -> [BinaryPropertyList.Node] {
        var nodes: [BinaryPropertyList.Node] = []
        nodes.reserveCapacity(count)
        for index in 0..<count {
            let start = try unsigned(table + index * offsetSize, size: offsetSize)
            guard start >= 8, start < table else { throw ArchiveError("object \(index) is out of bounds") }
            nodes.append(try node(start))
        }
        return nodes
    }

    private mutating func node(_ start: Int) throws(ArchiveError) -> BinaryPropertyList.Node {
        let marker = bytes[start]
        let low = Int(marker & 0x0F)
        let body = start + 1
        switch marker >> 4 {
        case 0x0:
            try take(1)
            switch marker {
            case 0x00: return .null
            case 0x08: return .bool(false)
            case 0x09: return .bool(true)
            default: throw unknown(marker)
            }
        case 0x1:
            guard low <= 4 else { throw unknown(marker) }
            try take(1 + 1 << low, from: start)
            // The upper eight of sixteen bytes only repeat the sign, or are zero.
            if low == 4, try bits(body, size: 8) == 0, try signed(body + 8) < 0 {
                return .unsigned(try bits(body + 8, size: 8))
            }
            return low == 4
                ? .int(try signed(body + 8))
                : .int(low == 3 ? try signed(body) : Int64(try unsigned(body, size: 1 << low)))
        case 0x2:
            try take(1 + 1 << low, from: start)
            switch low {
            case 2: return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(body, size: 4)))))
            case 3: return .real(Double(bitPattern: try bits(body, size: 8)))
            default: throw unknown(marker)
            }
        case 0x3:
            guard low == 3 else { throw unknown(marker) }
            try take(9, from: start)
            return .date(Double(bitPattern: try bits(body, size: 8)))
        case 0x4:
            let range = try range(start, low: low, unit: 1)
            return .data(Data(bytes[range]))
        case 0x5, 0x7:
            let range = try range(start, low: low, unit: 1)
            return .string(String(decoding: bytes[range], as: UTF8.self))
        case 0x6:
            let range = try range(start, low: low, unit: 2)
            let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return .string(String(decoding: units, as: UTF16.self))
        case 0x8:
            try take(2 + low, from: start)
            guard low < 8 else { throw unknown(marker) }
            return .uid(try unsigned(body, size: low + 1))
        case 0xA: return .array(try references(try range(start, low: low, unit: referenceSize)))
        case 0xB, 0xC: return .set(try references(try range(start, low: low, unit: referenceSize)))
        case 0xD:
            let both = try references(try range(start, low: low, unit: referenceSize * 2))
            let half = both.count / 2
            return .dictionary(keys: Array(both[..<half]), values: Array(both[half...]))
        default: throw unknown(marker)
        }
    }

    private func unknown(_ marker: UInt8) -> ArchiveError {
        ArchiveError("the property list has an object of the unknown kind \(marker)")
    }

    /// Returns the bytes of an object with several units, which follow its marker and its count.
    private mutating func range(_ start: Int, low: Int, unit: Int) throws(ArchiveError) -> Range<Int> {
        var body = start + 1
        var units = low
        if low == 0xF {
            guard body < table, bytes[body] >> 4 == 0x1, bytes[body] & 0x0F <= 3 else {
                throw ArchiveError("an object of the property list has no count")
            }
            let size = 1 << Int(bytes[body] & 0x0F)
            guard body + size < table else { throw ArchiveError("an object of the property list is truncated") }
            units = try unsigned(body + 1, size: size)
            body += 1 + size
        }
        guard units <= (table - body) / unit else { throw ArchiveError("an object of the property list is truncated") }
        try take(body - start + units * unit, from: start)
        return body..<body + units * unit
    }

    private func references(_ range: Range<Int>) throws(ArchiveError) -> [Int] {
        var result: [Int] = []
        result.reserveCapacity(range.count / referenceSize)
        for start in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
            let number = try unsigned(start, size: referenceSize)
            guard number < count else {
                throw ArchiveError("the property list refers to the missing object \(number)")
            }
            result.append(number)
        }
        return result
    }

    private mutating func take(_ size: Int, from start: Int = 0) throws(ArchiveError) {
        guard start + size <= table else { throw ArchiveError("an object of the property list is truncated") }
        budget -= size
        guard budget >= -8 else { throw ArchiveError("objects of the property list share their bytes") }
    }

    private func bits(_ start: Int, size: Int) throws(ArchiveError) -> UInt64 {
        guard start >= 0, start + size <= bytes.count else { throw ArchiveError("the property list is truncated") }
        var number: UInt64 = 0
        for index in start..<start + size { number = number << 8 | UInt64(bytes[index]) }
        return number
    }

    private func signed(_ start: Int) throws(ArchiveError) -> Int64 { Int64(bitPattern: try bits(start, size: 8)) }

    private func unsigned(_ start: Int, size: Int) throws(ArchiveError) -> Int {
        guard let number = Int(exactly: try bits(start, size: size)) else {
            throw ArchiveError("a number of the property list is too large")
        }
        return number
    }
}
