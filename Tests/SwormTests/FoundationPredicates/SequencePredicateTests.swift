import Foundation
import Sworm
import TestSupport
import Testing

@Suite("#Predicate: lists, ranges and strings", .overEachStore)
struct SequencePredicateTests {
    @Test func `a value is in a list`() throws {
        let years = [1869, 1999]
        let (ratings, onlyNil, tones): ([Int?], [Int?], [Tone]) = ([5, nil], [nil], [.dark])
        let noNil: [Int?] = [5, 1]
        try agree(#Predicate { years.contains($0.year) })
        try agree(#Predicate { !years.contains($0.year) })
        try agree(#Predicate { ratings.contains($0.rating) })
        try agree(#Predicate { !ratings.contains($0.rating) })
        try agree(#Predicate { onlyNil.contains($0.rating) })
        try agree(#Predicate { noNil.contains($0.rating) })
        try agree(#Predicate { !noNil.contains($0.rating) })
        try agree(#Predicate { tones.contains($0.tone) })
    }

    @Test func `a number that is not a number is in no list`() throws {
        let (some, none): ([Double], [Double]) = ([.nan, 12.5], [.nan])
        let light: [Float] = [.nan, 0.25]
        try agree(#Predicate { some.contains($0.price) })
        try agree(#Predicate { !some.contains($0.price) })
        try agree(#Predicate { light.contains($0.weight) })
        try agree(#Predicate { !none.contains($0.price) && $0.isRead })
        try agree(#Predicate { none.contains($0.price) || $0.isRead })
    }

    @Test func `a captured list is asked element by element`() throws {
        let parts = ["War", "mm"]
        let years = [1800, 1900]
        try agree(#Predicate { row in parts.contains { row.title.contains($0) } })
        try agree(#Predicate { row in years.allSatisfy { row.year > $0 } })
        try agree(#Predicate { row in years.filter { $0 > 1850 }.contains(row.year - 99) })
        try agree(#Predicate { $0.year > years.max()! })
    }

    @Test func `a value is in a range`() throws {
        let (range, closed, from, upTo) = (1815..<1869, 1815...1869, 1869..., ..<1815)
        try agree(#Predicate { range.contains($0.year) })
        try agree(#Predicate { closed.contains($0.year) })
        try agree(#Predicate { !closed.contains($0.year) })
        try agree(#Predicate { from.contains($0.year) })
        try agree(#Predicate { upTo.contains($0.year) })
        try agree(#Predicate { (1...3).contains($0.rating ?? 0) })
        try agree(#Predicate { ($0.number * 300..<1999).contains($0.year) })
    }

    @Test func `strings are searched`() throws {
        let empty = ""
        try agree(#Predicate { $0.title.contains("ar") })
        try agree(#Predicate { !$0.title.contains("% [") })
        try agree(#Predicate { $0.title.starts(with: "War") })
        try agree(#Predicate { $0.title.contains(empty) && $0.isRead })
        try agree(#Predicate { $0.title.contains($0.subtitle ?? "-") })
        try agree(#Predicate { "A War".contains($0.title) })
    }

    @Test func `strings are searched without regard to case and diacritics`() throws {
        try agree(#Predicate { $0.title.localizedStandardContains("cafe") })
        try agree(#Predicate { !$0.title.localizedStandardContains("war") })
    }

    @Test func `strings are compared without regard to case, and in the order of the language`() throws {
        let same = ComparisonResult.orderedSame
        let before = ComparisonResult.orderedAscending
        try agree(#Predicate { $0.title.caseInsensitiveCompare("war") == same })
        try agree(#Predicate { $0.title.caseInsensitiveCompare("f") == before })
        try agree(#Predicate { $0.title.localizedCompare("WAR") != same })
    }

    @Test func `a string has a match of a regular expression`() throws {
        try agree(#Predicate { $0.title.contains(/W.r/) })
        try agree(#Predicate { $0.title.contains(/^[A-Z]+$/) })
        try agree(#Predicate { $0.title.contains(/sic|Noir/) })
    }

    @Test func `captured values are computed beforehand`() throws {
        let (limit, none) = (1800, nil as Int?)
        let novel = CapturedNovel(year: 1869, names: ["x": "Emma"])
        try agree(#Predicate { $0.year == novel.year })
        try agree(#Predicate { $0.year > limit + 100 })
        try agree(#Predicate { $0.title == novel.names["x"] ?? "" })
        try agree(#Predicate { (none == nil || $0.year == none!) && $0.isRead })
        try agree(#Predicate { limit > 1000 ? $0.isRead : $0.year == none! })
        try agree(#Predicate { none.flatMap { $0 > 1 } ?? $0.isRead })
    }
}

struct CapturedNovel: Codable { var year = 0; var names: [String: String] = [:] }
