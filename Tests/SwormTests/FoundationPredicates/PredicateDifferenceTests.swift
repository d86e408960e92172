import Foundation
import Sworm
import TestSupport
import Testing

@Suite("#Predicate: differences", .overEachStore)
struct PredicateDifferenceTests {
    @Test func `texts are compared and counted as they are stored`() throws {
        let decomposed = "Cafe\u{301} 'Noir'"
        let equal = #Predicate<Novel> { $0.title == decomposed }
        #expect(try Novel.samples.contains { try equal.evaluate($0) })
        #expect(try NovelStore.numbers(Condition(equal)).saved == [])
        let long = #Predicate<Writer> { $0.name.count == 5 }
        try NovelStore.pending { context in
            try context.insert(Writer(name: decomposed.prefix(4).description))
            #expect(try context.decode(Writer.all.where(long)).map(\.name) == [decomposed.prefix(4).description])
        }
    }

    @Test func `where Swift would stop at a nil, a row is left out`() throws {
        let predicate = #Predicate<Novel> { $0.rating! > 4 }
        #expect(throws: (any Error).self) { try Novel.samples.filter { try predicate.evaluate($0) } }
        let found = try NovelStore.numbers(Condition(predicate))
        #expect(found.saved == [1, 5])
        #expect(found.pending == [1, 5])
    }

    @Test func `values of one's own are ordered by what is stored`() throws {
        let love = Genre.love
        let found = try NovelStore.numbers(Condition(#Predicate { ($0.genre ?? love) > love }))
        #expect(found.saved == [1, 6])
    }
}

// War comes before love, and after it in a store.
extension Genre: Comparable {
    static func < (left: Genre, right: Genre) -> Bool { left.rawValue > right.rawValue }
}
