/// The pattern of LIKE: `*` stands for any run of characters, `?` for exactly one Unicode scalar.
///
/// A backslash makes a wildcard or a backslash behind it literal. The whole text must match. The time grows with the
/// product of both lengths at worst.
package struct LikePattern: Sendable {
    private enum Element: Sendable {
        case byte(UInt8)
        case one
        case run
    }

    private let elements: [Element]
    private let options: ComparisonOptions

    /// The text that the pattern matches, if it has no wildcard.
    package let literal: String?

    /// The text that the pattern wants at the beginning, if a star at its end is its only wildcard.
    package let prefix: String?

    package init(_ pattern: String, options: ComparisonOptions = []) {
        self.options = options
        var elements: [Element] = []
        var text = ""
        var isLiteral = true
        var wholeText = ""
        func flush() {
            elements += folded(text, options).utf8.map(Element.byte)
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
                    // Two stars mean no more than one.
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
        var text = folded(text, options)
        return text.withUTF8 { text in elements.withUnsafeBufferPointer { Self.match(text, $0) } }
    }

    /// Goes on greedily, and back only to the last star: an earlier one cannot do better.
    ///
    /// A release does not check the places in buffers: both are compared with their counts before each use.
    private static func match(_ text: UnsafeBufferPointer<UInt8>, _ elements: UnsafeBufferPointer<Element>) -> Bool {
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
                    position = next(position, text)
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
            position = next(back.position, text)
            element = back.element
            star = (element, position)
        }
        while element < elements.count, case .run = elements[element] { element += 1 }
        return element == elements.count
    }

    /// The start of the scalar behind the one at a position.
    private static func next(_ position: Int, _ text: UnsafeBufferPointer<UInt8>) -> Int {
        var position = position + 1
        while position < text.count, text[position] & 0xC0 == 0x80 { position += 1 }
        return position
    }
}
