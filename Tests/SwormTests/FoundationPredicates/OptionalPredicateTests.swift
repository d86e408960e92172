import Foundation
import Sworm
import TestSupport
import Testing

@Suite("#Predicate: optionals", .overEachStore)
struct OptionalPredicateTests {
    @Test func `nil equals nil and differs from every value`() throws {
        let none: Int? = nil
        try agree(#Predicate { $0.rating == nil })
        try agree(#Predicate { $0.rating != nil })
        try agree(#Predicate { $0.rating == none })
        try agree(#Predicate { $0.rating == 5 })
        try agree(#Predicate { $0.rating != 5 })
        try agree(#Predicate { !($0.rating == 5) })
        try agree(#Predicate { !($0.rating != 5) })
        try agree(#Predicate { $0.subtitle == $0.motto })
        try agree(#Predicate { $0.subtitle != $0.motto })
    }

    @Test func `a value replaces nil`() throws {
        try agree(#Predicate { ($0.rating ?? 4) > 3 })
        try agree(#Predicate { !(($0.rating ?? 0) > 3) })
        try agree(#Predicate { ($0.rating ?? $0.number) == 3 })
        try agree(#Predicate { $0.isLent ?? false })
        try agree(#Predicate { $0.isLent ?? true })
        try agree(#Predicate { $0.isLent ?? $0.isRead })
    }

    @Test func `a truth value may be nil`() throws {
        try agree(#Predicate { $0.isLent == true })
        try agree(#Predicate { $0.isLent != true })
        try agree(#Predicate { $0.isLent == false })
        try agree(#Predicate { !($0.isLent == nil) })
    }

    @Test func `optionals are chained`() throws {
        try agree(#Predicate { $0.subtitle?.contains("W") == true })
        try agree(#Predicate { $0.subtitle?.contains("W") != true })
        try agree(#Predicate { $0.subtitle?.contains("W") == nil })
        try agree(#Predicate { $0.subtitle?.isEmpty ?? true })
        try agree(#Predicate { $0.subtitle?.count == 3 })
        try agree(#Predicate { !($0.subtitle?.starts(with: "W") ?? false) })
    }

    @Test func `optionals are mapped`() throws {
        try agree(#Predicate { $0.rating.flatMap { $0 + 1 } == 6 })
        try agree(#Predicate { $0.rating.flatMap { $0 > 3 ? 1 : 0 } != 1 })
        try agree(#Predicate { $0.rating.flatMap { $0 > 3 } ?? true })
        try agree(#Predicate { if let rating = $0.rating { rating > 3 } else { $0.isRead } })
    }

    @Test func `a nil is force-unwrapped after a test for it`() throws {
        try agree(#Predicate { $0.rating != nil && $0.rating! > 3 })
        try agree(#Predicate { $0.rating == nil || $0.rating! > 3 })
        try agree(#Predicate { !($0.rating == nil || $0.rating! != 5) })
    }

    @Test func `one of two values is chosen`() throws {
        try agree(#Predicate { ($0.isRead ? $0.year : $0.number) > 1900 })
        try agree(#Predicate { $0.isRead ? $0.year > 1900 : $0.rating == 3 })
        try agree(#Predicate { ($0.isRead ? $0.rating : nil) == nil })
    }
}
