#if PostgreSQL
import SwormPredicates

/// The body of the function of one folding.
///
/// A string of ASCII takes one step. In any other one, a regular expression removes marks, and the rare strings with
/// marks in another order are sorted. Then the letters of each block that the string has letters of are replaced. The
/// tests of blocks are cheap, whereas a translation takes a time that is the product of the lengths of the string and
/// of the block. Therefore the server first decomposes the letters whose decomposition no version of Unicode changes.
///
/// A server keeps 32 compiled expressions for each connection, and compiling one takes longer than many uses. So the
/// tests are the same for all foldings, and all functions together have fewer expressions than that.
struct FoldingSQL {
    let folding: TextFolding
    let mappings: FoldingMappings
    /// The qualified name of the function that decomposes and sorts marks.
    let markSorting: String

    /// The scalars that folding replaces, with their foldings, in order. The foldings of scalars are not replaced
    /// again, so that the order of the blocks is without meaning.
    private let replacements: [(scalar: UInt32, folding: [UInt32])]

    /// The blocks of letters that have a test of their own. Those of a group are tested if the string has letters of
    /// the group.
    private static let groups: [[ClosedRange<UInt32>]] = [
        [0x80...0xDF, 0xE0...0xFF, 0x100...0x17F, 0x180...0x24F],
        [0x250...0x3AB, 0x3AC...0x3FF, 0x400...0x42F, 0x430...0x45F, 0x460...0x52F],
        [0x530...0x1DFF, 0x1E00...0x1EFF, 0x1F00...0x1FFF],
        [0x2000...0x2FFF, 0x3000...0xFFFF, 0x10000...0x10FFFF],
    ]

    /// Letters, other characters and ASCII, whose base letter is the first scalar of their canonical decomposition in
    /// every version of Unicode since 13. All other scalars of it are in `decomposedMarks`.
    static let stableLetters: [ClosedRange<UInt32>] = [
        0x1...0x2FF, 0x370...0x377, 0x37A...0x37F, 0x384...0x38A, 0x38C...0x38C, 0x38E...0x3A1, 0x3A3...0x482,
        0x48A...0x52F, 0x1E00...0x1EFF, 0x1F00...0x1F15, 0x1F18...0x1F1D, 0x1F20...0x1F45, 0x1F48...0x1F4D,
        0x1F50...0x1F57, 0x1F5F...0x1F7D, 0x1F80...0x1FB4, 0x1FB6...0x1FC4, 0x1FC6...0x1FCC, 0x1FE0...0x1FEF,
        0x2010...0x2027,
    ]

    /// The marks of those decompositions.
    static let decomposedMarks: ClosedRange<UInt32> = 0x300...0x345

    /// The distance of letters that one range of a test contains.
    private static let gap: UInt32 = 64

    init(_ folding: TextFolding, _ mappings: FoldingMappings, markSorting: String) {
        self.folding = folding
        self.mappings = mappings
        self.markSorting = markSorting
        var scalars = folding.foldsLetterCase ? Array(mappings.letterCase.keys) : []
        if folding.foldsDiacritics { scalars += mappings.baseLetters.keys }
        replacements = Set(scalars).sorted().compactMap { scalar in
            mappings.replacement(of: scalar, folding).map { (scalar, $0) }
        }
    }

    var body: [String] {
        [
            "  IF pg_catalog.octet_length(x) OPERATOR(pg_catalog.=) pg_catalog.length(x) THEN",
            "    RETURN \(folding.foldsLetterCase ? "pg_catalog.lower(x)" : "x");",
            "  END IF;",
        ] + (folding.foldsDiacritics ? markSteps : [])
            + (folding.foldsDiacritics ? decompositionSteps : [])
            + (folding.foldsLetterCase ? ["  x := pg_catalog.lower(x);"] : [])
            + Self.groups.flatMap(groupSteps) + ["  RETURN x;"]
    }

    // MARK: Marks

    private var markSteps: [String] {
        let marks = ScalarSet(mappings.marks.keys)
        let low = mappings.marks.keys.filter(mappings.isDroppedFirst)
        let candidates = (1..<0x510).filter { mappings.marks[$0] == nil } + replacements.map(\.scalar)
        func letters(_ rule: FoldingMarkRule) -> Set<UInt32> {
            Set(candidates.filter { mappings.marks[$0] == nil && mappings.markRule(of: $0, folding) == rule })
        }
        let all = letters(.all)
        let others = ScalarSet(all.union(letters(.none)).union(mappings.marks.keys))
        let high = mappings.marks.keys.filter { !mappings.isDroppedFirst($0) }
        // A mark is a letter at the start only: elsewhere it belongs to the letter before it.
        let parts = [
            "(\(ScalarSet(all).pattern))\(marks.pattern)+",
            "([^\(others.content)])\(ScalarSet(low).pattern)",
            "^(\(ScalarSet(low).pattern))\(marks.pattern)+",
            "^(\(ScalarSet(high).pattern))\(ScalarSet(low).pattern)",
        ]
        let classed = mappings.marks.filter { $0.value > 0 }.map(\.key) + mappings.letterClasses.keys
        let unsorted =
            "\(ScalarSet(classed).pattern)\(marks.pattern)|\(ScalarSet(mappings.markDecompositions.keys).pattern)"
        return [
            "  IF x OPERATOR(pg_catalog.~) E'\(marks.pattern)' THEN",
            "    x := pg_catalog.regexp_replace(x, E'\(parts.joined(separator: "|"))', E'\\\\1\\\\2\\\\3\\\\4', 'g');",
        ] + firstMarkSteps + [
            "    IF x OPERATOR(pg_catalog.~) E'\(unsorted)' THEN",
            "      x := \(markSorting)(x);",
            "    END IF;",
            "  END IF;",
        ]
    }

    /// The steps that fold a mark at the start as a letter.
    private var firstMarkSteps: [String] {
        let marks = replacements.filter { mappings.marks[$0.scalar] != nil }
        let list = ScalarSet.literal(marks.map(\.scalar))
        return [
            "    IF pg_catalog.strpos(\(list), pg_catalog.left(x, 1)) OPERATOR(pg_catalog.>) 0 THEN",
            "      x := pg_catalog.translate(pg_catalog.left(x, 1), \(translation(marks))) OPERATOR(pg_catalog.||) pg_catalog.substr(x, 2);",
            "    END IF;",
        ]
    }

    // MARK: Letters

    /// The steps for a string that has such letters only. Many of them are ASCII then.
    private var decompositionSteps: [String] {
        let letters = Self.stableLetters.map { ScalarSet($0).content }.joined()
        let marks = ScalarSet(Self.decomposedMarks).pattern
        return [
            "  IF x OPERATOR(pg_catalog.!~) E'[^\(letters)]' THEN",
            "    x := pg_catalog.regexp_replace(pg_catalog.normalize(x, 'NFD'), E'\(marks)', '', 'g');",
            "    IF pg_catalog.octet_length(x) OPERATOR(pg_catalog.=) pg_catalog.length(x) THEN",
            "      RETURN \(folding.foldsLetterCase ? "pg_catalog.lower(x)" : "x");",
            "    END IF;",
            "  END IF;",
        ]
    }

    /// Returns the steps for the letters of a group.
    private func groupSteps(_ blocks: [ClosedRange<UInt32>]) -> [String] {
        let known = Set(mappings.letterCase.keys).union(mappings.baseLetters.keys).filter { $0 >= 0x80 }
        func test(_ scalars: some Sequence<UInt32>) -> String {
            "IF x OPERATOR(pg_catalog.~) E'\(ScalarSet(scalars, joiningGapsOf: Self.gap).pattern)' THEN"
        }
        let steps = blocks.flatMap { block -> [String] in
            let letters = replacements.filter { letter in
                block.contains(letter.scalar) && !(folding.foldsDiacritics && mappings.marks[letter.scalar] != nil)
            }
            if letters.isEmpty { return [] }
            return ["    " + test(known.filter(block.contains))] + blockSteps(letters) + ["    END IF;"]
        }
        if steps.isEmpty { return [] }
        return ["  " + test(known.filter { scalar in blocks.contains { $0.contains(scalar) } })] + steps + ["  END IF;"]
    }

    private func blockSteps(_ letters: [(scalar: UInt32, folding: [UInt32])]) -> [String] {
        var lines: [String] = []
        for letter in letters where letter.folding.count > 1 {
            lines.append(
                "      x := pg_catalog.replace(x, \(ScalarSet.literal([letter.scalar])), \(ScalarSet.literal(letter.folding)));"
            )
        }
        let single = letters.filter { $0.folding.count == 1 }
        if !single.isEmpty { lines.append("      x := pg_catalog.translate(x, \(translation(single)));") }
        return lines
    }

    private func translation(_ letters: [(scalar: UInt32, folding: [UInt32])]) -> String {
        "\(ScalarSet.literal(letters.map(\.scalar))), \(ScalarSet.literal(letters.compactMap(\.folding.first)))"
    }
}
#endif
