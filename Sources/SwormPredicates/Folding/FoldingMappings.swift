/// The tables of version 1 in the form of dictionaries, from which faster tables and functions of servers are created.
package struct FoldingMappings {
    /// The foldings of letters with a case, of up to three letters.
    package private(set) var letterCase: [UInt32: [UInt32]] = [:]
    /// The base letters of letters with diacritics.
    package private(set) var baseLetters: [UInt32: UInt32] = [:]
    /// The combining marks, with their canonical combining classes.
    package private(set) var marks: [UInt32: UInt8] = [:]
    /// The parts of marks that are decomposed behind a letter.
    package private(set) var markDecompositions: [UInt32: [UInt32]] = [:]
    /// The letters that are sorted among the marks behind them, with their canonical combining classes.
    package private(set) var letterClasses: [UInt32: UInt8] = [:]

    package init() {
        for run in FoldingData.caseRuns.groups(of: 4) {
            for letter in stride(from: run[0], through: run[1], by: Int(run[2])) {
                letterCase[letter] = [run[3] + (letter - run[0])]
            }
        }
        for expansion in FoldingData.caseExpansions.groups(of: 4) {
            letterCase[expansion[0]] = expansion.dropFirst().filter { $0 != 0 }
        }
        var rest = FoldingData.baseLetters[...]
        while let first = rest.popFirst(), let count = rest.popFirst() {
            for (letter, base) in zip(first..., rest.prefix(Int(count))) { baseLetters[letter] = base }
            rest = rest.dropFirst(Int(count))
        }
        for run in FoldingData.marks.groups(of: 3) {
            for mark in run[0]...run[1] { marks[mark] = UInt8(truncatingIfNeeded: run[2]) }
        }
        for decomposition in FoldingData.markDecompositions.groups(of: 3) {
            markDecompositions[decomposition[0]] = decomposition.dropFirst().filter { $0 != 0 }
        }
        for pair in FoldingData.letterClasses.groups(of: 2) {
            letterClasses[pair[0]] = UInt8(truncatingIfNeeded: pair[1])
        }
    }

    /// Returns the folding of a letter, or of a mark without a letter; nil if it is not changed.
    package func replacement(of letter: UInt32, _ folding: TextFolding) -> [UInt32]? {
        let base = folding.foldsDiacritics ? baseLetters[letter] : nil
        let folded = folding.foldsLetterCase ? letterCase[base ?? letter] : nil
        return folded ?? base.map { [$0] }
    }

    /// Returns the marks that a letter loses.
    package func markRule(of letter: UInt32, _ folding: TextFolding) -> FoldingMarkRule {
        guard folding.foldsDiacritics, letter != 0 else { return .ignored }
        let replacement = replacement(of: letter, folding)
        if replacement?.first ?? letter < TextFolding.scriptsEnd { return .all }
        return replacement == nil ? .first : .none
    }

    /// Returns whether a letter loses this mark if it is the first one and the letter loses only that one.
    package func isDroppedFirst(_ mark: UInt32) -> Bool { mark < TextFolding.scriptsEnd }
}

/// The marks that a letter loses when diacritics are folded.
package enum FoldingMarkRule: UInt8, Sendable {
    /// There is no letter: a mark that follows is folded as a letter.
    case ignored
    case none
    /// The first mark, if it is one of the Latin, Greek or Cyrillic script.
    case first
    case all
}

extension Array {
    fileprivate func groups(of count: Int) -> some Sequence<[Element]> {
        stride(from: 0, to: self.count - count + 1, by: count).lazy.map { Array(self[$0..<($0 + count)]) }
    }
}
