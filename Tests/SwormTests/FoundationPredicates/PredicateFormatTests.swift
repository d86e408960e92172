import Foundation
@testable import Sworm
import SwormPredicates
import TestSupport
import Testing

/// Expects that a predicate is written like this in the predicate language.
private func written(
    _ format: String, _ predicate: Foundation.Predicate<Row<Novel>>, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let tree = try Condition<Novel>(predicate).tree()
    #expect(tree.format == format, sourceLocation: sourceLocation)
    // Text is all that Core Data gets.
    let parsed = try Condition<Novel>(tree: parsePredicate(tree.format, arguments: []))
    let (meant, said) = (try NovelStore.numbers(Condition(predicate)), try NovelStore.numbers(parsed))
    #expect(meant == said, sourceLocation: sourceLocation)
}

@Suite("#Predicate: in the predicate language", .overEachStore)
struct PredicateFormatTests {
    @Test func `non-optional values are compared unchanged`() throws {
        try written("year == 1869", #Predicate { $0.year == 1869 })
        try written("year > 1869", #Predicate { 1869 < $0.year })
        try written("NOT isRead == YES", #Predicate { !$0.isRead })
    }

    @Test func `optional values are compared as in Swift`() throws {
        try written("rating == nil", #Predicate { $0.rating == nil })
        try written("rating == 5 AND rating != nil", #Predicate { $0.rating == 5 })
        try written("NOT (rating == 5 AND rating != nil)", #Predicate { $0.rating != 5 })
        try written("writer.name == \"Leo\" AND writer.name != nil", #Predicate { $0.writer?.name == "Leo" })
        try written("TERNARY(rating != nil, rating, 4) > 3", #Predicate { ($0.rating ?? 4) > 3 })
        try written("subtitle == nil OR subtitle == \"\"", #Predicate { $0.subtitle?.isEmpty ?? true })
    }

    @Test func `lists and ranges have operators of their own`() throws {
        let (years, ratings): ([Int], [Int?]) = ([1869, 1999], [5, nil])
        try written("year IN {1869, 1999}", #Predicate { years.contains($0.year) })
        try written("rating == nil OR rating IN {5}", #Predicate { ratings.contains($0.rating) })
        try written("year BETWEEN {1815, 1869}", #Predicate { (1815...1869).contains($0.year) })
        try written("year >= 1815 AND year < 1869", #Predicate { (1815..<1869).contains($0.year) })
    }

    @Test func `strings are searched and compared with options`() throws {
        let same = ComparisonResult.orderedSame
        try written("title CONTAINS[cdl] \"war\"", #Predicate { $0.title.localizedStandardContains("war") })
        try written("title ==[c] \"war\"", #Predicate { $0.title.caseInsensitiveCompare("war") == same })
        try written("title !=[l] \"war\"", #Predicate { $0.title.localizedCompare("war") != same })
        try written("title MATCHES \"(?s:.*)(?:W.r)(?s:.*)\"", #Predicate { $0.title.contains(/W.r/) })
    }

    @Test func `relations to many become subqueries`() throws {
        try written(
            "SUBQUERY(reviews, $x, $x.mark == 4).@count > 0", #Predicate { $0.reviews.contains { $0.mark == 4 } })
        try written(
            "SUBQUERY(reviews, $x, NOT $x.mark == 4).@count == 0",
            #Predicate { $0.reviews.allSatisfy { $0.mark == 4 } })
        try written(
            "writer != nil AND SUBQUERY(writer.novels, $x, $x.year > year).@count > 0",
            #Predicate { novel in novel.writer?.novels.contains { $0.year > novel.year } == true })
    }
}
