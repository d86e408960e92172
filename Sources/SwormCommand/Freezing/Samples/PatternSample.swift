/// Strings that a regular expression matches, for the usual elements of such patterns.
///
/// A pattern with other elements, such as a look-ahead, has none. Whether a string really matches is for the caller to
/// check.
struct PatternSample {
    private indirect enum Node {
        case text(String)
        case characters([Character])
        case sequence([Node])
        case choice([Node])
        case repetition(Node, low: Int, high: Int)
    }

    private let root: Node

    /// The length of the longest strings, more or less, and the highest number of repetitions.
    static let longest = 4096

    init?(_ pattern: String) {
        var parser = Parser(pattern)
        guard let root = parser.choice(depth: 0), parser.isAtEnd else { return nil }
        self.root = root
    }

    /// Returns a string; nil if it would be too long.
    ///
    /// - Parameters:
    ///   - number: A number that varies the string.
    ///   - extra: How often more than necessary an element is repeated.
    func text(_ number: Int, extra: Int) -> String? {
        var writer = Writer(number: max(number, 0), extra: min(max(extra, 0), Self.longest))
        return writer.write(root) ? writer.text : nil
    }

    // MARK: Writing

    private struct Writer {
        var number: Int
        var extra: Int
        var text = ""
        private var steps = 0

        init(number: Int, extra: Int) { (self.number, self.extra) = (number, extra) }

        /// - Returns: False if the text becomes too long.
        mutating func write(_ node: Node) -> Bool {
            steps += 1
            guard text.utf8.count < PatternSample.longest, steps < 100_000 else { return false }
            switch node {
            case .text(let part): text += part
            case .characters(let characters):
                if !characters.isEmpty { text.append(characters[take(characters.count)]) }
            case .sequence(let nodes): return nodes.allSatisfy { write($0) }
            case .choice(let nodes): return nodes.isEmpty || write(nodes[take(nodes.count)])
            case .repetition(let inner, let low, let high):
                for _ in 0..<min(high, low + extra) where !write(inner) { return false }
            }
            return true
        }

        /// Takes a digit off the number, so that different numbers give different strings.
        private mutating func take(_ count: Int) -> Int {
            defer { number /= count }
            return number % count
        }
    }

    // MARK: Parsing

    private struct Parser {
        private let pattern: [Character]
        private var index = 0

        private static let digits = Array("0123456789")
        private static let lower = Array("abcdefghijklmnopqrstuvwxyz")
        private static let upper = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        private static let all = characters(from: 0x20, to: 0x7E)

        init(_ pattern: String) { self.pattern = Array(pattern) }

        var isAtEnd: Bool { index == pattern.count }
        private var next: Character? { index < pattern.count ? pattern[index] : nil }

        private mutating func take(_ character: Character) -> Bool {
            guard next == character else { return false }
            index += 1
            return true
        }

        mutating func choice(depth: Int) -> Node? {
            guard depth < 50 else { return nil }
            var parts: [Node] = []
            repeat {
                guard let part = sequence(depth: depth) else { return nil }
                parts.append(part)
            } while take("|")
            return parts.count == 1 ? parts[0] : .choice(parts)
        }

        private mutating func sequence(depth: Int) -> Node? {
            var nodes: [Node] = []
            while let character = next, character != "|", character != ")" {
                guard let atom = atom(depth: depth) else { return nil }
                guard let repeated = repeated(atom) else { return nil }
                nodes.append(repeated)
            }
            return .sequence(nodes)
        }

        private mutating func atom(depth: Int) -> Node? {
            guard let character = next else { return nil }
            index += 1
            switch character {
            case "(": return group(depth: depth)
            case "[": return set().map(Node.characters)
            case ".": return .characters(Self.lower)
            case "^", "$": return .text("")
            case "*", "+", "?": return nil
            case "\\": return escape()
            default: return .text(String(character))
            }
        }

        private mutating func group(depth: Int) -> Node? {
            if take("?") {
                // Flags apply to what follows; only groups without a name and without a condition are known.
                while let flag = next, "imsx-".contains(flag) { index += 1 }
                if take(")") { return .text("") }
                guard take(":") else { return nil }
            }
            guard let inner = choice(depth: depth + 1), take(")") else { return nil }
            return inner
        }

        private mutating func escape() -> Node? {
            guard let character = next else { return nil }
            index += 1
            if let characters = Self.named(character) { return .characters(characters) }
            switch character {
            case "b", "B", "A", "z", "Z", "G": return .text("")
            case "p": return property().map(Node.characters)
            case "t": return .text("\t")
            case "n": return .text("\n")
            case "x": return code(digits: 2)
            case "u": return code(digits: 4)
            default: return character.isLetter || character.isNumber ? nil : .text(String(character))
            }
        }

        private static func named(_ character: Character) -> [Character]? {
            switch character {
            case "d": digits
            case "w": lower + digits
            case "s": [" "]
            case "D", "S": lower
            case "W": ["-", "."]
            default: nil
            }
        }

        private mutating func code(digits: Int) -> Node? {
            guard index + digits <= pattern.count else { return nil }
            let text = String(pattern[index..<index + digits])
            index += digits
            guard let scalar = UInt32(text, radix: 16).flatMap({ Unicode.Scalar($0) }) else { return nil }
            return .text(String(Character(scalar)))
        }

        /// Reads the braces of `\p{L}`.
        private mutating func property() -> [Character]? {
            guard take("{"), let end = pattern[index...].firstIndex(of: "}") else { return nil }
            let name = String(pattern[index..<end])
            index = end + 1
            switch name {
            case "L", "Letter", "Alphabetic", "Ll", "Lower": return Self.lower
            case "Lu", "Upper": return Self.upper
            case "N", "Nd": return Self.digits
            default: return nil
            }
        }

        private mutating func set() -> [Character]? {
            let isNegated = take("^")
            var members: [Character] = []
            while let character = next, character != "]" || members.isEmpty {
                index += 1
                var first = [character]
                if character == "\\" {
                    guard let escaped = next else { return nil }
                    index += 1
                    if escaped == "p" {
                        first = property() ?? []
                    } else {
                        first = Self.named(escaped) ?? [escaped == "t" ? "\t" : escaped]
                    }
                } else if character == "[" {
                    return nil
                }
                guard first.count == 1, next == "-", index + 1 < pattern.count, pattern[index + 1] != "]" else {
                    members += first
                    continue
                }
                index += 1
                guard let range = range(from: first[0]) else { return nil }
                members += range
            }
            guard take("]") else { return nil }
            return isNegated ? Self.all.filter { !members.contains($0) && $0 != " " } : members
        }

        private mutating func range(from start: Character) -> [Character]? {
            guard var end = next else { return nil }
            index += 1
            if end == "\\" {
                guard let escaped = next else { return nil }
                index += 1
                end = escaped
            }
            guard let low = start.unicodeScalars.first?.value, let high = end.unicodeScalars.first?.value, low <= high,
                high - low < 1000
            else { return nil }
            return Self.characters(from: low, to: high)
        }

        private static func characters(from low: UInt32, to high: UInt32) -> [Character] {
            (low...high).compactMap { Unicode.Scalar($0) }.map { Character($0) }
        }

        /// Returns the node with the quantifier that follows it.
        private mutating func repeated(_ node: Node) -> Node? {
            var bounds: (low: Int, high: Int)?
            if take("*") {
                bounds = (0, .max)
            } else if take("+") {
                bounds = (1, .max)
            } else if take("?") {
                bounds = (0, 1)
            } else if next == "{" {
                bounds = self.bounds()
                guard bounds != nil else { return nil }
            }
            guard let bounds else { return node }
            // A lazy or possessive quantifier.
            if !take("?") { _ = take("+") }
            guard bounds.low <= PatternSample.longest else { return nil }
            return .repetition(node, low: bounds.low, high: bounds.high)
        }

        private mutating func bounds() -> (low: Int, high: Int)? {
            guard take("{"), let end = pattern[index...].firstIndex(of: "}") else { return nil }
            let parts = String(pattern[index..<end]).split(separator: ",", omittingEmptySubsequences: false)
            index = end + 1
            guard let first = parts.first, let low = Self.count(first), parts.count <= 2 else { return nil }
            guard parts.count == 2 else { return (low, low) }
            if parts[1].isEmpty { return (low, .max) }
            return Self.count(parts[1]).flatMap { low <= $0 ? (low, $0) : nil }
        }

        /// Returns the number of repetitions, which has no sign.
        private static func count(_ text: Substring) -> Int? {
            text.allSatisfy { digits.contains($0) } ? Int(text) : nil
        }
    }
}
