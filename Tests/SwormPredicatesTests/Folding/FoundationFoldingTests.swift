#if os(Linux)
import Foundation
import SwormPredicates
import TestSupport
import Testing

/// The tables compared with Foundation's folding, from which version 1 was made.
///
/// A later Foundation may know more letters. Then these tests name them as differences, and version 1 remains as it is.
/// Apple's Foundation has another version of Unicode.
@Suite("Folding compared with Foundation's")
struct FoundationFoldingTests {
    private static let environment = ProcessInfo.processInfo.environment

    private let isComplete = environment["SWORM_FOLDING_ALL"] != nil

    private func expectSame(_ items: [[UInt32]], _ folding: TextFolding, in comment: String = "") {
        let expected = FoundationFolding.folded(String(scalars: items.flatMap { $0 + [0] }), folding)
        let result = folding.folded(String(scalars: items.flatMap { $0 + [0] }))
        guard !expected.utf8.elementsEqual(result.utf8) else { return }
        for item in items {
            let result = folding.folded(String(scalars: item)).unicodeScalars.map(\.value)
            let expected = FoundationFolding.folded(item, folding)
            if result != expected {
                Issue.record("\(folding): \(hex(item)) is \(hex(result)), not \(hex(expected))\(comment)")
            }
        }
    }

    private func hex(_ scalars: [UInt32]) -> String {
        scalars.map { String($0, radix: 16, uppercase: true) }.joined(separator: " ")
    }

    /// `[cd]` changes all that the other foldings change. These are asked for all scalars too if `SWORM_FOLDING_ALL` is
    /// set.
    @Test(arguments: TextFolding.allCases)
    func `every Unicode scalar alone is folded as Foundation does`(folding: TextFolding) {
        for page in ScalarPages() {
            let scalars =
                isComplete || folding == .letterCaseAndDiacritics ? page : page.filter(FoldingDataSource.canChange)
            if !scalars.isEmpty { expectSame(scalars.map { [$0] }, folding) }
        }
        expectSame([[0]], folding)
    }

    /// Each letter before a mark of each kind, and each mark behind a letter of each kind. With `SWORM_FOLDING_ALL`,
    /// the letters are all Unicode scalars.
    @Test(arguments: [TextFolding.diacritics, .letterCaseAndDiacritics])
    func `letters and marks are folded as Foundation does`(folding: TextFolding) {
        let letters: [UInt32] = [0x61, 0xC5, 0x416, 0x5D0, 0x915, 0x3071, 0x1F600, 0x10400, 0x1B44, 0x301, 0x5B7]
        for mark in FoldingMappings().marks.keys.sorted() { expectSame(letters.map { [$0, mark] }, folding) }
        for page in ScalarPages(through: isComplete ? 0x10FFFF : 0x24FF) {
            for mark: UInt32 in [0x301, 0x5B7] + (isComplete ? [0x345, 0xFE0F, 0xF73] : []) {
                expectSame(page.map { [$0, mark] }, folding)
            }
        }
    }

    /// Marks of all classes in both orders. Foundation sorts those that the standard library gives a lower class.
    @Test func `marks are sorted as Foundation does`() {
        let mappings = FoldingMappings()
        let classes = Dictionary(grouping: mappings.marks.keys.sorted()) { mappings.marks[$0] ?? 0 }
        let marks = classes.values.compactMap(\.first).sorted()
        for mark in mappings.marks.keys.sorted() {
            expectSame(marks.flatMap { [[0x3071, 0xFE0F, $0, mark], [0x3071, 0xFE0F, mark, $0]] }, .diacritics)
        }
        for letter in mappings.letterClasses.keys.sorted() { expectSame(marks.map { [letter, $0] }, .diacritics) }
    }

    @Test func `many marks belong to their letter, whereas Foundation divides them`() {
        func text(_ count: Int) -> [UInt32] { [0x5D1] + Array(repeating: 0x591, count: count) + [0x5B0, 0x5B1, 0x61] }
        func sorted(_ count: Int) -> [UInt32] {
            [0x5D1, 0x5B0, 0x5B1] + Array(repeating: 0x591, count: count) + [0x61]
        }
        for count in [1, 60] {
            expectSame([text(count)], .diacritics)
            #expect(FoundationFolding.folded(text(count), .diacritics) == sorted(count))
        }
        for count in [80, 1000] {
            #expect(FoldingModel().folded(text(count), .diacritics) == sorted(count))
            #expect(
                TextFolding.diacritics.folded(String(scalars: text(count))).unicodeScalars.map(\.value) == sorted(count)
            )
            #expect(FoundationFolding.folded(text(count), .diacritics) != sorted(count))
        }
    }

    /// Databases contain indexes of strings that were folded by version 1, so that no variable lets this test write its
    /// files. `SWORM_WRITE_FOLDING=2` writes the files of the next version, and so on.
    @Test func `the tables are those that follow from Foundation's folding`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/SwormPredicates/Folding").standardizedFileURL
        let source = FoldingDataSource()
        for (name, text) in source.files(ofVersion: 1) {
            let file = folder.appendingPathComponent(name)
            #expect(try String(contentsOf: file, encoding: .utf8) == text, "\(name)")
        }
        guard let version = Self.environment["SWORM_WRITE_FOLDING"].flatMap(Int.init) else { return }
        try #require(version > TextFolding.version, "version \(version) is in use, and never changes")
        for (name, text) in source.files(ofVersion: version) {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name), options: .withoutOverwriting)
        }
    }

    // MARK: Random strings

    static let scripts = WritingScript.all(marks: FoldingMappings().marks.keys.sorted())

    /// `SWORM_FOLDING_TEXTS` sets the number of strings of each script, and `SWORM_RANDOM_SEED` the seed.
    @Test(arguments: scripts)
    func `random strings are folded as Foundation does`(script: WritingScript) {
        let count = Self.environment["SWORM_FOLDING_TEXTS"].flatMap { Int($0) } ?? 1000
        let seed = Self.environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        var random = SeededRandom(seed: seed)
        let marks = script.marks + FoldingMappings().markDecompositions.keys.sorted()
        let start = ContinuousClock.now
        let model = FoldingModel()
        for _ in 0..<max(1, count / 20) {
            let items = (0..<20).map { _ in script.string(others: marks, &random) }
            for folding in TextFolding.allCases {
                expectSame(items, folding, in: ", \(script.testDescription), seed \(seed)")
                for item in items {
                    let result = folding.folded(String(scalars: item)).unicodeScalars.map(\.value)
                    guard result != model.folded(item, folding) else { continue }
                    Issue.record("\(folding) of \(hex(item)) is not that of the model, seed \(seed)")
                }
            }
        }
        guard count > 1000 else { return }
        let seconds = start.duration(to: .now) / .seconds(1)
        print("folding of \(script.testDescription): \(count) strings, three foldings, seed \(seed), \(Int(seconds)) s")
    }
}
#endif
