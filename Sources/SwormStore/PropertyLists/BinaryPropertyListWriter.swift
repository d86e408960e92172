package import Foundation

/// A value of a property list to write.
package enum PropertyListValue: Hashable, Sendable {
    case bool(Bool)
    case int(Int64)
    case real(Double)
    case string(String)
    case data(Data)
    /// The number by which an archive refers to one of its objects.
    case uid(Int)
    case array([PropertyListValue])
    case dictionary([String: PropertyListValue])
}

/// A writer of binary property lists that may contain references to the objects of an archive, which Foundation cannot
/// write.
struct BinaryPropertyListWriter {
    private enum Node {
        case plain(PropertyListValue)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
    }

    private var nodes: [Node] = []
    private var known: [PropertyListValue: Int] = [:]

    static func data(_ value: PropertyListValue) -> Data {
        var writer = BinaryPropertyListWriter()
        let root = writer.add(value)
        return writer.bytes(root: root)
    }

    /// Returns the number of a value. Equal strings and numbers are written once.
    private mutating func add(_ value: PropertyListValue) -> Int {
        switch value {
        case .array(let elements):
            let place = reserve()
            nodes[place] = .array(elements.map { add($0) })
            return place
        case .dictionary(let fields):
            let place = reserve()
            let sorted = fields.sorted { $0.key < $1.key }
            let keys = sorted.map { add(.string($0.key)) }
            nodes[place] = .dictionary(keys: keys, values: sorted.map { add($0.value) })
            return place
        default:
            if let place = known[value] { return place }
            let place = reserve()
            nodes[place] = .plain(value)
            known[value] = place
            return place
        }
    }

    private mutating func reserve() -> Int {
        nodes.append(.array([]))
        return nodes.count - 1
    }

    private func bytes(root: Int) -> Data {
        var out = BinaryPropertyList.magic
        let referenceSize = Self.size(of: nodes.count)
        var offsets: [Int] = []
        for node in nodes {
            offsets.append(out.count)
            switch node {
            case .plain(let value): Self.append(value, to: &out)
            case .array(let elements):
                Self.appendMarker(0xA0, count: elements.count, to: &out)
                for element in elements { Self.append(element, size: referenceSize, to: &out) }
            case .dictionary(let keys, let values):
                Self.appendMarker(0xD0, count: keys.count, to: &out)
                for element in keys + values { Self.append(element, size: referenceSize, to: &out) }
            }
        }
        let table = out.count
        let offsetSize = Self.size(of: table)
        for offset in offsets { Self.append(offset, size: offsetSize, to: &out) }
        out.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)])
        for number in [nodes.count, root, table] { Self.append(number, size: 8, to: &out) }
        return out
    }

    private static func append(_ value: PropertyListValue, to out: inout Data) {
        switch value {
        case .bool(let flag): out.append(flag ? 0x09 : 0x08)
        case .int(let number):
            // Negative numbers always use eight bytes.
            let size = number < 0 ? 8 : self.size(of: Int(number))
            out.append(0x10 | UInt8(size.trailingZeroBitCount))
            append(Int(number), size: size, to: &out)
        case .real(let number):
            out.append(0x23)
            append(Int(bitPattern: UInt(number.bitPattern)), size: 8, to: &out)
        case .string(let text):
            if text.utf8.allSatisfy({ $0 < 0x80 }) {
                appendMarker(0x50, count: text.utf8.count, to: &out)
                out.append(contentsOf: text.utf8)
            } else {
                appendMarker(0x60, count: text.utf16.count, to: &out)
                for unit in text.utf16 { append(Int(unit), size: 2, to: &out) }
            }
        case .data(let data):
            appendMarker(0x40, count: data.count, to: &out)
            out.append(data)
        case .uid(let number):
            let size = self.size(of: number)
            out.append(0x80 | UInt8(size - 1))
            append(number, size: size, to: &out)
        case .array, .dictionary: break
        }
    }

    private static func appendMarker(_ kind: UInt8, count: Int, to out: inout Data) {
        if count < 15 {
            out.append(kind | UInt8(count))
        } else {
            out.append(kind | 0x0F)
            append(.int(Int64(count)), to: &out)
        }
    }

    /// Returns the number of bytes, a power of two, that a number needs.
    private static func size(of number: Int) -> Int {
        switch number {
        case 0..<0x100: 1
        case 0..<0x1_0000: 2
        case 0..<0x1_0000_0000: 4
        default: 8
        }
    }

    private static func append(_ number: Int, size: Int, to out: inout Data) {
        for shift in stride(from: size * 8 - 8, through: 0, by: -8) {
            out.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
