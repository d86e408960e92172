/// The rules of one folding for all Unicode scalars, for a search in constant time.
///
/// A table is created when it is first used, and shared by all threads.
struct FoldingTable: Sendable {
    /// The rule of a scalar that does not fold to itself, or that marks can follow.
    struct Rule: Hashable, Sendable {
        /// The UTF-8 bytes of the folding, from the lowest bits to the highest, if `count` is not zero.
        var bytes: UInt64 = 0
        /// The number of bytes; zero for a scalar that folds to itself.
        var count: UInt8 = 0
        var combiningClass: UInt8 = 0
        var marks = FoldingMarkRule.ignored
        var kind = Kind.letter
    }

    enum Kind: UInt8, Sendable {
        case letter, mark
        /// A mark that a letter loses if it is the first one.
        case lowMark
    }

    /// The rules, of which the first one applies to most letters.
    let rules: [Rule]
    /// For each run of 64 scalars, the offset of their rules' indexes in this same array.
    let indexes: [UInt16]
    let foldsLetterCase: Bool
    /// The parts of marks that are decomposed behind a letter.
    let decompositions: [UInt32: [UInt32]]

    static let letterCase = Self(.letterCase)
    static let diacritics = Self(.diacritics)
    static let letterCaseAndDiacritics = Self(.letterCaseAndDiacritics)

    /// The number of scalars that share an offset: those that differ in the last byte of their UTF-8 only.
    private static let pageLength = 64
    private static let pageCount = 0x110000 / pageLength

    private init(_ folding: TextFolding) {
        let mappings = FoldingMappings()
        func rule(of scalar: UInt32) -> Rule {
            var rule = Rule()
            if let replacement = mappings.replacement(of: scalar, folding) { rule.setBytes(replacement) }
            guard folding.foldsDiacritics else { return rule }
            rule.marks = mappings.markRule(of: scalar, folding)
            if let combiningClass = mappings.marks[scalar] {
                rule.kind = mappings.isDroppedFirst(scalar) ? .lowMark : .mark
                rule.combiningClass = combiningClass
            } else {
                rule.combiningClass = mappings.letterClasses[scalar] ?? 0
            }
            return rule
        }
        var scalars = Set(mappings.letterCase.keys).union(0..<TextFolding.scriptsEnd)
        if folding.foldsDiacritics {
            scalars.formUnion(mappings.baseLetters.keys)
            scalars.formUnion(mappings.marks.keys)
            scalars.formUnion(mappings.letterClasses.keys)
        }
        let plain = rule(of: 0x10FFFF)
        var rules = [plain]
        var numbers = [plain: UInt16(0)]
        var indexes = [UInt16](repeating: UInt16(Self.pageCount), count: Self.pageCount + Self.pageLength)
        for index in Self.pageCount..<indexes.count { indexes[index] = 0 }
        for scalar in scalars.sorted() {
            let rule = rule(of: scalar)
            if rule == plain { continue }
            let (page, place) = (Int(scalar) / Self.pageLength, Int(scalar) % Self.pageLength)
            if Int(indexes[page]) == Self.pageCount {
                indexes[page] = UInt16(indexes.count)
                indexes += [UInt16](repeating: 0, count: Self.pageLength)
            }
            let number = numbers[rule] ?? UInt16(rules.count)
            if Int(number) == rules.count {
                rules.append(rule)
                numbers[rule] = number
            }
            indexes[Int(indexes[page]) + place] = number
        }
        self.rules = rules
        self.indexes = indexes
        foldsLetterCase = folding.foldsLetterCase
        decompositions = folding.foldsDiacritics ? mappings.markDecompositions : [:]
    }
}

extension FoldingTable.Rule {
    /// Sets the folding of a letter, which has at most 8 bytes.
    fileprivate mutating func setBytes(_ scalars: [UInt32]) {
        for scalar in scalars.lazy.compactMap(Unicode.Scalar.init) {
            for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
                bytes |= UInt64(byte) << (8 * UInt64(count))
                count += 1
            }
        }
    }
}
