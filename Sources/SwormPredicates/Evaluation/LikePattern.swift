/// A pattern of LIKE: `*` matches any run of characters, `?` matches exactly one Unicode scalar.
///
/// A backslash makes a following wildcard or backslash literal. The pattern must match the whole string. In the worst
/// case, the time grows with the product of both lengths.
package struct LikePattern: Sendable {
    private enum Element: Sendable {
        case byte(UInt8)
        case one
        case run
    }

    private let elements: [Element]
    private let options: ComparisonOptions

    /// The string that the pattern matches, if it has no wildcard.
    package let literal: String?

    /// The required prefix, if the only wildcard is a star at the end.
    package let prefix: String?

    package init(_ pattern: String, options: ComparisonOptions = []) {
        self.options = options
        var elements: [Element] = []
        var text = ""
        var isLiteral = true
        var wholeText = ""
        func flush() {
            elements += folded(text, options: options).utf8.map(Element.byte)
            wholeText += text
            text = ""
        }
        var scalars = pattern.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "*", "?":
                flush()
                isLiteral = false
                if scalar == "?" {
                    elements.append(.one)
                } else if case .run? = elements.last {
                    // Two stars are equivalent to one.
                } else {
                    elements.append(.run)
                }
            case "\\":
                if let next = scalars.first, next == "*" || next == "?" || next == "\\" {
                    scalars.removeFirst()
                    text.unicodeScalars.append(next)
                } else {
                    text.unicodeScalars.append(scalar)
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        flush()
        self.elements = elements
        literal = isLiteral ? wholeText : nil
        let wildcards = elements.count { if case .byte = $0 { false } else { true } }
        if wildcards == 1, case .run? = elements.last {
            prefix = wholeText
        } else {
            prefix = nil
        }
    }

    package func matches(_ text: String) -> Bool {
        withFoldedUTF8(text, options: options) { text in
            elements.withUnsafeBufferPointer { Self.match(text, against: $0) }
        }
    }

    /// Matches greedily and backtracks only to the last star, because an earlier one cannot yield a better match.
    ///
    /// Release builds do not check the indexes of buffers: both indexes are compared with the counts before each use.
    private static func match(_ text: UnsafeBufferPointer<UInt8>, against elements: UnsafeBufferPointer<Element>)
        -> Bool
    {
        var position = 0
        var element = 0
        var star: (element: Int, position: Int)?
        var steps = 0
        while position < text.count {
            if element < elements.count {
                switch elements[element] {
                case .run:
                    element += 1
                    star = (element, position)
                    continue
                case .one:
                    position = next(after: position, in: text)
                    element += 1
                    continue
                case .byte(let byte) where byte == text[position]:
                    position += 1
                    element += 1
                    continue
                case .byte: break
                }
            }
            guard let back = star else { return false }
            steps += element - back.element + 1
            if steps > LongWork.stepsBetweenLooks {
                if LongWork.stops { return false }
                steps = 0
            }
            position = next(after: back.position, in: text)
            element = back.element
            star = (element, position)
        }
        while element < elements.count, case .run = elements[element] { element += 1 }
        return element == elements.count
    }

    /// Returns the start of the scalar that follows the one at a position.
    private static func next(after position: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
        var position = position + 1
        while position < text.count, text[position] & 0xC0 == 0x80 { position += 1 }
        return position
    }
}
