/// A text to look for at the beginning, at the end or anywhere. Built once, asked many times.
///
/// An empty text is found nowhere, as in Foundation's searches.
package struct TextPattern: Sendable {
    package enum Position: Sendable, Hashable { case beginning, end, anywhere }

    private let needle: [UInt8]
    private let position: Position
    private let options: ComparisonOptions

    package init(_ text: String, at position: Position, options: ComparisonOptions = []) {
        needle = Array(folded(text, options).utf8)
        self.position = position
        self.options = options
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
