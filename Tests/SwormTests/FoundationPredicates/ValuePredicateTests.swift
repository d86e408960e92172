import Foundation
import Sworm
import TestSupport
import Testing

@Suite("#Predicate: values", .overEachStore)
struct ValuePredicateTests {
    @Test func `numbers are compared`() throws {
        try agree(#Predicate { $0.year == 1869 })
        try agree(#Predicate { $0.year != 1869 })
        try agree(#Predicate { $0.year < 1869 })
        try agree(#Predicate { $0.year <= 1869 })
        try agree(#Predicate { 1869 < $0.year })
        try agree(#Predicate { $0.year >= $0.number * 400 })
        try agree(#Predicate { $0.price > 8.0 })
        try agree(#Predicate { $0.weight == 0.25 })
    }

    @Test func `strings are compared`() throws {
        try agree(#Predicate { $0.title == "Emma" })
        try agree(#Predicate { $0.title != "it's 100% [sic]\n(*?)" })
        try agree(#Predicate { $0.title > "M" })
        try agree(#Predicate { $0.title.isEmpty })
        try agree(#Predicate { $0.title.count == 4 })
        try agree(#Predicate { $0.title == ($0.subtitle ?? "-") })
    }

    @Test func `truth values are conditions`() throws {
        try agree(#Predicate { $0.isRead })
        try agree(#Predicate { !$0.isRead })
        try agree(#Predicate { $0.isRead == ($0.year > 1900) })
        try agree(#Predicate { ($0.year > 1900) != ($0.rating == 5) })
    }

    @Test func `conditions are joined`() throws {
        try agree(#Predicate { $0.year > 1900 && $0.rating == 5 })
        try agree(#Predicate { $0.year > 1900 || $0.rating == 5 })
        try agree(#Predicate { !($0.year > 1900 || $0.rating == 5) })
        try agree(#Predicate { $0.isRead && ($0.year < 1900 || $0.price > 50) })
    }

    @Test func `dates and identifiers are compared`() throws {
        let date = Date(timeIntervalSinceReferenceDate: 1000)
        let code = Novel.code
        try agree(#Predicate { $0.added == date })
        try agree(#Predicate { $0.added > date })
        try agree(#Predicate { $0.code == code })
        try agree(#Predicate { $0.code != code })
    }

    @Test func `custom types compare by their stored values`() throws {
        let (dark, war) = (Tone.dark, Genre.war)
        let (traits, cloth) = (Traits(rawValue: 1), Binding(material: "cloth"))
        try agree(#Predicate { $0.tone == dark })
        try agree(#Predicate { $0.tone.rawValue == "light" })
        try agree(#Predicate { $0.genre == war })
        try agree(#Predicate { $0.genre != war })
        try agree(#Predicate { $0.genre?.rawValue == 2 })
        try agree(#Predicate { $0.traits == traits })
        try agree(#Predicate { $0.traits.rawValue > 0 })
        try agree(#Predicate { $0.binding == cloth })
    }

    @Test func `an attribute may lie deeper in the struct`() throws {
        try agree(#Predicate { $0.place.city == "Tula" })
        try finds([1, 5], #Predicate { $0.place.city == "Tula" })
    }

    @Test func `numbers are computed`() throws {
        try agree(#Predicate { $0.year / 100 == 18 })
        try agree(#Predicate { $0.year % 2 == 0 })
        try agree(#Predicate { -$0.year > 0 })
        try agree(#Predicate { $0.price / 2.0 > 6.0 })
        try agree(#Predicate { $0.year + $0.number - 1 == 1869 })
    }

    #if !canImport(CoreData)
    @Test func `floats are computed as floats`() throws {
        let (tenth, third, large, infinity): (Float, Float, Float, Float) = (0.1, 3, 3e38, .infinity)
        let (half, most): (Float, Float) = (0.5, 1.5)
        let (sum, difference, product) = (half + tenth, most - tenth, most * tenth)
        let (quotient, inverse, chain) = (half / third, 1 / (half + third), (half + tenth) * third - tenth)
        try agree(#Predicate { $0.weight + tenth == sum })
        try agree(#Predicate { $0.weight + tenth == 0.6 })
        try agree(#Predicate { $0.weight - tenth == difference })
        try agree(#Predicate { $0.weight * tenth == product })
        try agree(#Predicate { $0.weight / third == quotient })
        try agree(#Predicate { 1 / ($0.weight + third) == inverse })
        try agree(#Predicate { ($0.weight + tenth) * third - tenth == chain })
        try agree(#Predicate { $0.weight * large == infinity })
        try agree(#Predicate { $0.weight + large - large == $0.weight })
        try agree(#Predicate { -($0.weight + tenth) == -0.6 })
    }
    #endif

    @Test func `a condition on floats can be sent`() throws {
        let tenth: Float = 0.1
        let condition = Condition<Novel>(#Predicate { $0.weight + tenth == 0.6 })
        let copy = try JSONDecoder().decode(Condition<Novel>.self, from: try JSONEncoder().encode(condition))
        #expect(copy == condition)
        #expect(try Novel.samples.filtered(by: copy).map(\.number) == [1])
        try copy.check(against: ConditionAllowList().allowing(Novel.self, \.weight))
    }
}
