import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Conditions over unsaved changes of other objects", .overEachStore)
struct PendingNeighbourTests {
    /// A change, none of which touches the novels' own attributes.
    private static let changes: [(name: String, make: @Sendable (ManagedObjectContext) throws -> Void)] = [
        ("a writer is renamed", { try leo($0).encode(\.name, "Zoe") }),
        ("a writer is deleted", { try $0.delete(leo($0)) }),
        (
            "a mark is changed",
            { context in
                for review in try context.fetch(NovelReview.all.where { $0.mark == 2 }) {
                    try review.encode(\.mark, 99)
                }
            }
        ),
        ("reviews are deleted", { try $0.delete(NovelReview.all.where { $0.mark > 3 }) }),
        (
            "a review is added",
            { try novel(4, $0).reviews.add($0.insert(NovelReview(text: "New", mark: 99, stars: 1))) }
        ),
        (
            "a review is moved",
            { context in
                let review = try #require(try context.fetchOne(NovelReview.all.where { $0.mark == 5 }))
                review.novel = try novel(3, context)
            }
        ),
        ("a writer is taken away", { try novel(2, $0).writer = nil }),
        ("a writer is given", { try novel(3, $0).editor = leo($0) }),
        ("a novel is added", { context in try context.insert(Novel(number: 7, year: 1)).writer = leo(context) }),
        ("a novel is deleted", { try $0.delete(novel(6, $0)) }),
    ]

    private static func leo(_ context: ManagedObjectContext) throws -> ManagedObject<Writer> {
        try #require(try context.fetchOne(Writer.all.where { $0.name == "Leo" }))
    }

    private static func novel(_ number: Int, _ context: ManagedObjectContext) throws -> ManagedObject<Novel> {
        try #require(try context.fetchOne(Novel.all.where { $0.number == number }))
    }

    private static let formats = [
        "writer.name == 'Zoe'", "writer.name != 'Leo'", "NOT (editor.name == 'Leo')", "writer == nil", "editor != nil",
        "writer == editor", "writer.born == nil", "TERNARY(year > 1850, writer.name, editor.name) == 'Zoe'",
        "ANY reviews.mark > 50", "ALL reviews.mark > 3",
        "NONE reviews.mark == 5", "ANY reviews.stars == nil", "reviews.@count == 0", "reviews[SIZE] > 2",
        "reviews.@max.mark > 50", "reviews.@sum.mark > 10", "reviews.@avg.mark > 4", "reviews[FIRST].mark == 99",
        "reviews[LAST].text == 'New'", "reviews[0].mark == 5", "SUBQUERY(reviews, $r, $r.mark > 50).@count == 1",
        "SUBQUERY(reviews, $r, $r.mark > 3 AND $r.novel.writer.name == 'Leo').@count > 0",
        "ANY SUBQUERY(reviews, $r, $r.mark > 3).text == 'New'", "writer.novels.@count == 2", "writer.edited.@count > 1",
        "ANY writer.novels.number == 7", "ANY writer.novels.reviews.mark > 50",
        "ANY writer.edited.editor.name == 'Zoe'",
        "SUBQUERY(writer.novels, $n, $n.editor.name == 'Zoe').@count > 0", "99 IN reviews.mark",
        "writer.name BEGINSWITH[c] 'z'", "writer.name.length == 3", "{writer.name, editor.name} CONTAINS 'Zoe'",
        "writer.born + reviews.@count > 1828", "writer.self == nil", "SELF.writer.novels.@max.year == 1869",
    ]

    @Test func `the results before a save equal the results after it`() throws {
        for change in Self.changes {
            let store = try PersistentContainer(for: Novel.self, at: .tested)
            try store.perform { try NovelStore.seed($0) }
            let pending = try store.perform { context in
                try change.make(context)
                return (try Self.formats.map { try find($0, context) }, try order(context))
            }
            try store.perform { context in
                for (format, pending) in zip(Self.formats, pending.0) {
                    let saved = try find(format, context)
                    #expect(pending == saved, "\(change.name): \(format)")
                }
                let saved = try order(context)
                #expect(pending.1 == saved, "\(change.name)")
            }
        }
    }

    private func find(_ format: String, _ context: ManagedObjectContext) throws -> [Int] {
        try context.decode(Novel.all.where(Condition(format: format)).sort(\.number)).map(\.number)
    }

    private func order(_ context: ManagedObjectContext) throws -> [Int] {
        try context.decode(Novel.all.sort(\.writer.name, ascending: false).sort(\.reviews.count).sort(\.number))
            .map(\.number)
    }
}
