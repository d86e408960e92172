import Foundation
import Sworm
import TestSupport
import Testing

@Suite("#Predicate: relations", .overEachStore)
struct RowPredicateTests {
    @Test func `attributes are those of the struct`() throws {
        try finds([1, 6], #Predicate { $0.year == 1869 })
        try finds([2, 3, 4, 6], #Predicate { $0.rating != 5 })
    }

    @Test func `a relation to one is an optional row`() throws {
        try finds([1, 6], #Predicate { $0.writer?.name == "Leo" })
        try finds([2, 3, 4, 5], #Predicate { $0.writer?.name != "Leo" })
        try finds([3, 4, 5], #Predicate { $0.writer == nil })
        try finds([1], #Predicate { $0.writer == $0.editor && $0.writer != nil })
        try finds([2, 6], #Predicate { $0.writer != $0.editor })
        try finds([2, 3, 4, 5], #Predicate { $0.writer?.born == nil })
        try finds([1, 5, 6], #Predicate { ($0.writer?.born ?? 2000) < $0.year })
    }

    @Test func `conditions on rows through a to-many relation`() throws {
        try finds([1, 2], #Predicate { $0.reviews.contains { $0.mark == 4 } })
        try finds([2, 3, 4, 5, 6], #Predicate { $0.reviews.allSatisfy { $0.mark > 3 } })
        try finds([1], #Predicate { $0.reviews.filter { $0.mark > 3 }.count == 2 })
        try finds([3, 4, 5, 6], #Predicate { $0.reviews.isEmpty })
        try finds([1], #Predicate { !$0.reviews.filter { $0.mark < 3 }.isEmpty })
        try finds([2], #Predicate { $0.reviews.contains { $0.stars != nil } })
        try finds([1], #Predicate { $0.reviews.contains { $0.stars != 4 } })
        try finds([1], #Predicate { $0.reviews.first?.mark == 5 })
        try finds([1, 2], #Predicate { $0.reviews.last?.mark == 4 })
    }

    @Test func `the outer row can be named inside`() throws {
        try finds([1, 2], #Predicate { novel in novel.reviews.contains { $0.stars != novel.rating } })
        try finds(
            [1], #Predicate { novel in novel.writer?.novels.contains { $0.year > novel.number * 1000 } == true })
        try finds(
            [1, 2],
            #Predicate { row in row.reviews.contains { $0.novel.flatMap { $0.objectID == row.objectID } ?? false } })
    }

    @Test func `conditions on relations through relations`() throws {
        try finds([1, 6], #Predicate { $0.writer?.novels.contains { $0.reviews.contains { $0.mark == 5 } } ?? false })
        try finds([1, 6], #Predicate { $0.writer?.novels.count == 2 })
        try finds([2, 3, 4, 5], #Predicate { $0.writer?.novels.count != 2 })
    }

    @Test func `rows are compared by their ids`() throws {
        let expected = [1, 6]
        func find(_ context: ManagedObjectContext) throws -> [[Int]] {
            let leo = try #require(try context.fetchOne(Writer.all.where { $0.name == "Leo" })).id
            let ids = [leo]
            func numbers(_ predicate: Foundation.Predicate<Row<Novel>>) throws -> [Int] {
                try context.decode(Novel.all.where(predicate)).map(\.number).sorted()
            }
            return [
                try numbers(#Predicate { $0.writer?.objectID == leo }),
                try numbers(#Predicate { $0.writer.flatMap { ids.contains($0.objectID) } ?? false }),
            ]
        }
        #expect(try NovelStore.perform(find) == [expected, expected])
        #expect(try NovelStore.pending(find) == [expected, expected])
    }

    @Test func `the other end of a relation is asked`() throws {
        let names = { (context: ManagedObjectContext) in
            try context.decode(Writer.all.where(#Predicate<Row<Writer>> { $0.novels.contains { $0.rating == 3 } }))
                .map(\.name)
        }
        #expect(try NovelStore.perform(names) == ["Jane"])
        #expect(try NovelStore.pending(names) == ["Jane"])
    }
}
