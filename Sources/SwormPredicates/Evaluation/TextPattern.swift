/// A text to look for at the beginning, at the end or anywhere. Built once, asked many times.
///
/// An empty text is found nowhere, as in Foundation's searches. The time grows with the sum of both lengths.
package struct TextPattern: Sendable {
    package enum Position: Sendable, Hashable { case beginning, end, anywhere }

    private let needle: [UInt8]
    private let position: Position
    private let options: ComparisonOptions
    /// For each byte of a long needle, how many bytes before it, and itself, are a beginning of the needle; nil for a short one.
    private let borders: [Int32]?

    /// A needle of no more bytes is compared at each position by itself.
    private static let shortNeedle = 64

    package init(_ text: String, at position: Position, options: ComparisonOptions = []) {
        needle = Array(folded(text, options).utf8)
        self.position = position
        self.options = options
        borders = position == .anywhere && needle.count > Self.shortNeedle ? Self.borders(of: needle) : nil
    }

    package func matches(_ text: String) -> Bool {
        var text = folded(text, options)
        return text.withUTF8(find)
    }

    private func find(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = needle.first, needle.count <= text.count else { return false }
        switch position {
        case .beginning: return isFound(in: text, at: 0)
        case .end: return isFound(in: text, at: text.count - needle.count)
        case .anywhere:
            if let borders { return find(text, borders) }
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

    /// Knuth, Morris and Pratt's search: from what was compared follows how far the needle can be moved, so that no byte of
    /// the text is looked at again.
    private func find(_ text: UnsafeBufferPointer<UInt8>, _ borders: [Int32]) -> Bool {
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

    /// The needle must fit behind the start: a release does not check the places in buffers.
    private func isFound(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
        matchingLength(in: text, at: start) == needle.count
    }

    /// How many bytes of the needle are found at a start.
    private func matchingLength(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
        needle.withUnsafeBufferPointer { needle in
            for index in 0..<needle.count where text[start + index] != needle[index] { return index }
            return needle.count
        }
    }
}
