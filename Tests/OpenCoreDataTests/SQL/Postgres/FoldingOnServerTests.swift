#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import SwormStore

/// The functions of a server compared with the tables, from which they were made.
///
/// With `SWORM_FOLDING_ALL`, each code point is folded alone, and before marks of several kinds. `SWORM_FOLDING_TEXTS` sets
/// the number of random strings of each script, and `SWORM_RANDOM_SEED` the seed.
@Suite("PostgreSQL: folding by the functions of a server", .enabled(if: PostgresServer.isEnabled))
struct FoldingOnServerTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let isComplete = environment["SWORM_FOLDING_ALL"] != nil
    private let mappings = FoldingMappings()

    /// The functions in a schema of their own, and the strings that wait to be compared.
    private final class Comparison {
        private let connection: DriverConnection
        private let folding: TextFolding
        private let sql: String
        private var items: [[UInt32]] = []
        private(set) var count = 0
        private(set) var differences = 0
        private let start = ContinuousClock.now

        init(_ folding: TextFolding) throws {
            let schema = try PostgresServer.shared().newSchema()
            let connection = try DriverConnection()
            try connection.execute("CREATE SCHEMA \(schema)")
            for statement in FoldingFunctions.statements(schema: schema) { try connection.execute(statement) }
            (self.connection, self.folding) = (connection, folding)
            // The server returns the numbers of the strings that it folds in another way.
            sql = """
                SELECT n FROM unnest($1, $2) WITH ORDINALITY AS u(t, f, n)
                WHERE \(schema).\(FoldingFunctions.name(of: folding))(t) COLLATE "C" IS DISTINCT FROM f COLLATE "C"
                """
        }

        /// Adds a string. A server stores no NUL.
        func add(_ scalars: [UInt32]) throws {
            items.append(scalars)
            if items.count == 4000 { try compare() }
        }

        private func compare() throws {
            let strings = items.map { scalars in
                String(String.UnicodeScalarView(scalars.lazy.compactMap(Unicode.Scalar.init)))
            }
            let rows = try connection.rows(sql, [.texts(strings), .texts(strings.map(folding.folded))])
            count += items.count
            differences += rows.count
            for row in rows.prefix(5) {
                let text = items[Int(row[0] ?? 1) - 1].map { String($0, radix: 16, uppercase: true) }
                Issue.record("\(folding): the server folds \(text.joined(separator: " ")) in another way")
            }
            items = []
        }

        /// Compares the last strings, and prints the counts of a long run.
        func end(_ name: String) throws {
            if !items.isEmpty { try compare() }
            #expect(count > 0 && differences == 0)
            guard count > 50_000 else { return }
            let seconds = start.duration(to: .now) / .seconds(1)
            print(
                "folding on a server, \(folding), \(name): \(count) strings, \(differences) differences, \(Int(seconds)) s"
            )
        }
    }

    /// All code points but NUL, which no server stores.
    private var codePoints: some Sequence<UInt32> { (UInt32(1)...0x10FFFF).lazy.filter { Unicode.Scalar($0) != nil } }

    /// Whether folding looks at a code point. All other ones are folded in long strings.
    private func isSpecial(_ scalar: UInt32) -> Bool {
        mappings.marks[scalar] != nil || mappings.letterClasses[scalar] != nil
            || TextFolding.allCases.contains { mappings.replacement(of: scalar, $0) != nil }
    }

    @Test(arguments: TextFolding.allCases)
    func `every code point is folded as the tables fold it`(folding: TextFolding) throws {
        let comparison = try Comparison(folding)
        var plain: [UInt32] = []
        for scalar in codePoints {
            if Self.isComplete || isSpecial(scalar) {
                try comparison.add([scalar])
            } else {
                plain.append(scalar)
            }
            guard plain.count == 200 else { continue }
            try comparison.add(plain)
            plain = []
        }
        try comparison.add(plain)
        try comparison.end("code points")
    }

    /// Each mark behind a letter of each kind, and letters before a mark of each kind.
    @Test(arguments: [TextFolding.diacritics, .letterCaseAndDiacritics])
    func `letters and marks are folded as the tables fold them`(folding: TextFolding) throws {
        let letters: [UInt32] = [0x61, 0xC5, 0x416, 0x5D0, 0x915, 0x3071, 0x1F600, 0x10400, 0x1B44, 0x301, 0x5B7]
        let comparison = try Comparison(folding)
        for mark in mappings.marks.keys.sorted() {
            for letter in letters { try comparison.add([letter, mark]) }
        }
        let last: UInt32 = Self.isComplete ? 0x10FFFF : 0x24FF
        for mark: UInt32 in [0x301, 0x5B7] + (Self.isComplete ? [0x345, 0xFE0F, 0xF73] : []) {
            for scalar in codePoints where scalar <= last { try comparison.add([scalar, mark]) }
        }
        try comparison.end("pairs")
    }

    /// A mark of each class and each other mark, in both orders.
    @Test func `marks are sorted as the tables sort them`() throws {
        let classes = Dictionary(grouping: mappings.marks.keys.sorted()) { mappings.marks[$0] ?? 0 }
        let firsts = classes.values.compactMap(\.first).sorted()
        let comparison = try Comparison(.diacritics)
        for mark in mappings.marks.keys.sorted() {
            for first in Self.isComplete ? firsts : Array(firsts.prefix(12)) {
                try comparison.add([0x3071, 0xFE0F, first, mark])
                try comparison.add([0x3071, 0xFE0F, mark, first])
            }
        }
        for letter in mappings.letterClasses.keys.sorted() {
            for mark in firsts { try comparison.add([letter, mark]) }
        }
        try comparison.end("marks")
    }

    @Test(arguments: WritingScript.all(marks: FoldingMappings().marks.keys.sorted()))
    func `random strings are folded as the tables fold them`(script: WritingScript) throws {
        let count = Self.environment["SWORM_FOLDING_TEXTS"].flatMap { Int($0) } ?? 1000
        let seed = Self.environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        let marks = script.marks + mappings.markDecompositions.keys.sorted()
        for folding in TextFolding.allCases {
            var random = SeededRandom(seed: seed)
            let comparison = try Comparison(folding)
            for _ in 0..<count { try comparison.add(script.string(others: marks, &random)) }
            try comparison.end("\(script.testDescription), seed \(seed)")
        }
    }
}
#endif
