/// A string to search for at the start, at the end or anywhere. It is built once and used many times.
///
/// An empty string is never found, as in Foundation's searches. The time grows with the sum of both lengths.
package struct TextPattern: Sendable {
    package enum Position: Sendable, Hashable { case beginning, end, anywhere }

    private let needle: [UInt8]
    private let position: Position
    private let options: ComparisonOptions
    /// For each byte of a long needle, the length of the longest proper prefix of the needle that ends at this byte;
    /// nil for a short needle.
    private let borders: [Int32]?

    /// The maximum length of a needle, in bytes, that is compared separately at each position.
    private static let shortNeedle = 64

    package init(_ text: String, at position: Position, options: ComparisonOptions = []) {
        needle = Array(folded(text, options: options).utf8)
        self.position = position
        self.options = options
        borders = position == .anywhere && needle.count > Self.shortNeedle ? Self.borders(of: needle) : nil
    }

    package func matches(_ text: String) -> Bool {
        withFoldedUTF8(text, options: options) { find($0) }
    }

    private func find(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = needle.first, needle.count <= text.count else { return false }
        switch position {
        case .beginning: return isFound(in: text, at: 0)
        case .end: return isFound(in: text, at: text.count - needle.count)
        case .anywhere:
            if let borders { return find(in: text, borders: borders) }
            var steps = 0
            for start in 0...(text.count - needle.count) where text[start] == first {
                let length = matchingLength(in: text, at: start)
                if length == needle.count { return true }
                steps += length + 1
                guard steps > LongWork.stepsBetweenLooks else { continue }
                if LongWork.stops { return false }
                steps = 0
            }
            return false
        }
    }

    /// Searches with the algorithm of Knuth, Morris and Pratt. The previous comparisons determine how far the needle
    /// can be moved, so that no byte of the string is read again.
    private func find(in text: UnsafeBufferPointer<UInt8>, borders: [Int32]) -> Bool {
        var length = 0
        for (place, byte) in text.enumerated() {
            if place % LongWork.stepsBetweenLooks == LongWork.stepsBetweenLooks - 1, LongWork.stops { return false }
            while length > 0, needle[length] != byte { length = Int(borders[length - 1]) }
            if needle[length] == byte { length += 1 }
            if length == needle.count { return true }
        }
        return false
    }

    private static func borders(of needle: [UInt8]) -> [Int32] {
        var borders = [Int32](repeating: 0, count: needle.count)
        var length = 0
        for place in needle.indices.dropFirst() {
            while length > 0, needle[length] != needle[place] { length = Int(borders[length - 1]) }
            if needle[length] == needle[place] { length += 1 }
            borders[place] = Int32(truncatingIfNeeded: length)
        }
        return borders
    }

    /// Returns whether the needle occurs at the given start. It must fit between the start and the end of the buffer,
    /// because release builds do not check buffer indexes.
    private func isFound(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        matchingLength(in: text, at: start) == needle.count
    }

    /// Returns the number of leading bytes of the needle that match at the given start.
    private func matchingLength(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
        needle.withUnsafeBufferPointer { needle in
            for index in 0..<needle.count where text[start + index] != needle[index] { return index }
            return needle.count
        }
    }
}
