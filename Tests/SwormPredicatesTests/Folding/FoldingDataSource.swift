import Foundation
import SwormPredicates

/// The source files with the tables, as they follow from Foundation's folding.
///
/// Foundation is asked for each Unicode scalar alone, and for each mark behind a letter. The canonical combining
/// classes, by which Foundation sorts marks, are those of the standard library.
struct FoldingDataSource {
    private var runs: [(first: UInt32, last: UInt32, step: UInt32, target: UInt32)] = []
    private var expansions: [(UInt32, [UInt32])] = []
    private var bases: [(UInt32, UInt32)] = []
    private var marks: [(first: UInt32, last: UInt32, class: UInt8)] = []
    private var decompositions: [(UInt32, [UInt32])] = []
    private var letterClasses: [(UInt32, UInt8)] = []

    /// A letter that keeps all marks but the first.
    private static let letter: UInt32 = 0x3071
    /// A mark of class 0, which is kept.
    private static let plainMark: UInt32 = 0xFE0F
    /// A mark of the lowest class above 0.
    private static let lowestMark: UInt32 = 0x1CD4

    init() {
        var cases: [(UInt32, UInt32)] = []
        for page in ScalarPages().lazy.map({ $0.filter(Self.canChange) }) where !page.isEmpty {
            func folded(_ folding: TextFolding, _ item: (UInt32) -> [UInt32]) -> Zip2Sequence<[UInt32], [[UInt32]]> {
                zip(page, FoundationFolding.folded(each: page.map(item), folding))
            }
            for (scalar, result) in folded(.letterCase, { [$0] }) where result != [scalar] {
                if result.count == 1 { cases.append((scalar, result[0])) } else { expansions.append((scalar, result)) }
            }
            for (scalar, result) in folded(.diacritics, { [$0] }) where result != [scalar] {
                bases.append((scalar, result[0]))
            }
            var isMark: Set<UInt32> = []
            for (scalar, result) in folded(.diacritics, { [0x61, $0] }) where result == [0x61] {
                isMark.insert(scalar)
                addMark(scalar)
            }
            for (scalar, result) in folded(.diacritics, { [Self.letter, Self.plainMark, $0] })
            where isMark.contains(scalar) && result.dropFirst(2) != [scalar] {
                decompositions.append((scalar, Array(result.dropFirst(2))))
            }
            for (scalar, result) in folded(.diacritics, { [$0, Self.lowestMark] })
            where result == [Self.lowestMark, scalar] && !isMark.contains(scalar) {
                letterClasses.append((scalar, Self.combiningClass(of: scalar)))
            }
        }
        runs = Self.runs(of: cases)
    }

    /// Returns whether folding may change a scalar. It knows no scalar that the standard library does not know, and
    /// letters without case have no diacritics.
    static func canChange(_ scalar: UInt32) -> Bool {
        switch Unicode.Scalar(scalar)?.properties.generalCategory {
        case .unassigned, .privateUse, .otherLetter, nil: false
        default: true
        }
    }

    private static func combiningClass(of scalar: UInt32) -> UInt8 {
        Unicode.Scalar(scalar)?.properties.canonicalCombiningClass.rawValue ?? 0
    }

    private mutating func addMark(_ mark: UInt32) {
        let combiningClass = Self.combiningClass(of: mark)
        if let last = marks.last, last.last + 1 == mark, last.class == combiningClass {
            marks[marks.count - 1].last = mark
        } else {
            marks.append((mark, mark, combiningClass))
        }
    }

    /// Returns runs of letters that are adjacent, or every second of which has the other case.
    private static func runs(
        of cases: [(UInt32, UInt32)]
    ) -> [(first: UInt32, last: UInt32, step: UInt32, target: UInt32)] {
        let targets = Dictionary(uniqueKeysWithValues: cases)
        var covered: Set<UInt32> = []
        var result: [(first: UInt32, last: UInt32, step: UInt32, target: UInt32)] = []
        for (first, target) in cases where !covered.contains(first) {
            func last(_ step: UInt32) -> UInt32 {
                var last = first
                while !covered.contains(last + step), targets[last + step] == target + (last + step - first) {
                    last += step
                }
                return last
            }
            let (adjacent, alternating) = (last(1), last(2))
            let step: UInt32 = (alternating - first) / 2 > adjacent - first ? 2 : 1
            let end = step == 1 ? adjacent : alternating
            covered.formUnion(stride(from: first, through: end, by: Int(step)))
            result.append((first, end, step, target))
        }
        return result
    }

    // MARK: Source

    /// Returns the names of the files with a version of the tables, and their contents.
    func files(ofVersion version: Int) -> [(name: String, text: String)] {
        let type = version == 1 ? "FoldingData" : "FoldingData\(version)"
        return [
            (
                "\(type)+LetterCase.swift",
                Self.file(
                    extending: type,
                    [
                        (
                            "Letters whose case is folded to one letter: the first one, the last one, the distance between two, and the letter that the first one is folded to.",
                            "caseRuns", "UInt32", runs.flatMap { [$0.first, $0.last, $0.step, $0.target] }
                        ),
                        (
                            "Letters whose case is folded to two or three letters: the letter, and its folding, which ends with 0 if it has two.",
                            "caseExpansions", "UInt32", expansions.flatMap { Self.padded([$0] + $1, to: 4) }
                        ),
                    ])
            ),
            (
                "\(type)+Diacritics.swift",
                Self.file(
                    extending: type,
                    [
                        (
                            "Letters with diacritics: the first of a run, the number of them, and the base letter of each.",
                            "baseLetters", "UInt32", Self.grouped(bases)
                        )
                    ])
            ),
            (
                "\(type)+Marks.swift",
                Self.file(
                    extending: type,
                    [
                        (
                            "Combining marks: the first and the last of a run, and their canonical combining class.",
                            "marks", "UInt32", marks.flatMap { [$0.first, $0.last, UInt32($0.class)] }
                        ),
                        (
                            "Marks that are decomposed behind a letter: the mark, and its parts, which end with 0 if it has one.",
                            "markDecompositions", "UInt32", decompositions.flatMap { Self.padded([$0] + $1, to: 3) }
                        ),
                        (
                            "Letters that are sorted among the marks behind them: the letter and its canonical combining class.",
                            "letterClasses", "UInt32", letterClasses.flatMap { [$0, UInt32($1)] }
                        ),
                    ])
            ),
        ]
    }

    private static func padded(_ values: [UInt32], to count: Int) -> [UInt32] {
        values + Array(repeating: 0, count: count - values.count)
    }

    private static func grouped(_ pairs: [(UInt32, UInt32)]) -> [UInt32] {
        var groups: [(UInt32, [UInt32])] = []
        for (scalar, base) in pairs {
            if let last = groups.last, last.0 + UInt32(last.1.count) == scalar {
                groups[groups.count - 1].1.append(base)
            } else {
                groups.append((scalar, [base]))
            }
        }
        return groups.flatMap { [$0, UInt32($1.count)] + $1 }
    }

    private static func file(
        extending type: String, _ tables: [(comment: String, name: String, type: String, values: [UInt32])]
    ) -> String {
        var lines = [
            "// The test `FoundationFoldingTests` writes this file from Foundation's folding.", "",
            "extension \(type) {",
        ]
        for (index, table) in tables.enumerated() {
            if index > 0 { lines.append("") }
            lines += wrapped(table.comment.split(separator: " ").map(String.init), indent: "    /// ", separator: " ")
            lines.append("    static let \(table.name): [\(table.type)] = [")
            lines += wrapped(
                table.values.map { "0x" + String($0, radix: 16, uppercase: true) + "," }, indent: "        ",
                separator: " ")
            lines.append("    ]")
        }
        return (lines + ["}"]).joined(separator: "\n") + "\n"
    }

    private static func wrapped(_ words: [String], indent: String, separator: String) -> [String] {
        var lines: [String] = []
        for word in words {
            if let last = lines.last, last.count + separator.count + word.count <= 120 {
                lines[lines.count - 1] = last + separator + word
            } else {
                lines.append(indent + word)
            }
        }
        return lines
    }
}
