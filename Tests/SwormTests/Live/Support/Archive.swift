import Sworm
import SwormTools

/// A model for live requests: folders on shelves, with marks that they share.
enum Archive {
    struct Shelf: Equatable, Sendable {
        var name = ""
        var floor = 0
    }
    struct Folder: Equatable, Sendable {
        var number = 0
        var title = ""
        var rank = 0
        var rating: Int?
    }
    struct Mark: Equatable, Sendable { var word = "" }

    /// A store with three shelves of ten folders each.
    static func store(in place: TestStore.Place = .memory) throws -> TestStore {
        try TestStore.tested(for: Shelf.self, in: place) { context in
            let marks = try ["red", "green", "blue"].map { try context.insert(Mark(word: $0)) }
            for shelf in 0..<3 {
                let holder = try context.insert(Shelf(name: "shelf \(shelf)", floor: shelf))
                for index in 0..<10 {
                    let number = shelf * 10 + index
                    let folder = try context.insert(
                        Folder(number: number, title: "folder \(number)", rank: number % 7, rating: number % 5))
                    folder.shelf = holder
                    try folder.marks.add(marks[number % 3])
                }
            }
        }
    }
}

extension Archive.Shelf: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name"), .init(\.floor, "floor")]
    struct Relations: Sendable {
        let folders = ToManyRelation<Archive.Folder>("folders", inverse: \.shelf, deleteRule: .cascade)
        let notes = ToManyOrderedRelation<Archive.Folder>("pinned", inverse: \.pinnedOn)
    }
    static let relations = Relations()
}

extension Archive.Folder: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.number, "number", .unique), .init(\.title, "title"), .init(\.rank, "rank", .indexed),
        .init(\.rating, "rating"),
    ]
    struct Relations: Sendable {
        let shelf = ToOneRelation<Archive.Shelf>("shelf")
        let pinnedOn = ToOneRelation<Archive.Shelf>("pinnedOn")
        let marks = ToManyRelation<Archive.Mark>("marks", inverse: \.folders)
    }
    static let relations = Relations()
}

extension Archive.Mark: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.word, "word")]
    struct Relations: Sendable { let folders = ToManyRelation<Archive.Folder>("folders") }
    static let relations = Relations()
}
