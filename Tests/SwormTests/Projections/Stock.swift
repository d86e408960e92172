import Foundation
import Sworm

/// A shop's stock: values of many types, relations of all kinds.
enum Stock {
    enum Grade: String, SupportedAttributeType { case good, poor }

    struct Item: Equatable, Sendable {
        var id = 0
        var name = ""
        var pieces: Int16 = 0
        var total: Int?
        var weight: Double?
        var price: Decimal?
        var bought: Date?
        var grade = Grade.good
        var other: Grade?
        var isNew = false
        var photo: Data?
    }
    struct Maker: Equatable, Sendable {
        var name = ""
        var town: String?
    }
    struct Label: Equatable, Sendable { var text = "" }
}

extension Stock.Item: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.id, "id", .unique), .init(\.name, "name"), .init(\.pieces, "pieces"), .init(\.total, "total"),
        .init(\.weight, "weight"), .init(\.price, "price"), .init(\.bought, "bought"), .init(\.grade, "grade"),
        .init(\.other, "other"), .init(\.isNew, "isNew"), .init(\.photo, "photo", .external),
    ]
    struct Relations: Sendable {
        let maker = ToOneRelation<Stock.Maker>("maker", inverse: \.items)
        let labels = ToManyRelation<Stock.Label>("labels", inverse: \.items)
    }
    static let relations = Relations()
}

extension Stock.Maker: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name"), .init(\.town, "town")]
    struct Relations: Sendable { let items = ToManyRelation<Stock.Item>("items") }
    static let relations = Relations()
}

extension Stock.Label: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.text, "text")]
    struct Relations: Sendable { let items = ToManyRelation<Stock.Item>("items") }
    static let relations = Relations()
}

extension Stock {
    static func fill(_ context: ManagedObjectContext) throws {
        let anna = try context.insert(Maker(name: "Anna", town: "Ulm"))
        let bert = try context.insert(Maker(name: "Bert"))
        let labels = try ["red", "old"].map { try context.insert(Label(text: $0)) }
        let items: [(Item, ManagedObject<Maker>?, Int)] = [
            (Item(id: 1, name: "cup", pieces: 3, total: 10, weight: 0.5, price: 2, bought: day(1)), anna, 2),
            (
                Item(
                    id: 2, name: "jug", pieces: 1, total: nil, weight: 1.5, price: Decimal(string: "2.5"), grade: .poor),
                anna, 1
            ),
            (
                Item(id: 3, name: "cup", pieces: 7, total: 30, bought: day(9), other: .poor, isNew: true, photo: photo),
                bert, 0
            ),
            (Item(id: 4, name: "pot", pieces: 3, total: 20, weight: 2, price: 4, bought: day(4)), nil, 0),
        ]
        for (item, maker, count) in items {
            let item = try context.insert(item)
            item.maker = maker
            for label in labels.prefix(count) { try item.labels.add(label) }
        }
    }

    static let photo = Data(repeating: 7, count: 3000)
    static func day(_ number: Double) -> Date { Date(timeIntervalSinceReferenceDate: number * 86_400) }

    /// Runs the same checks on rows of a store, and on objects that are not saved yet.
    static func eachWay(_ body: (ManagedObjectContext) throws -> Void) throws {
        let saved = try PersistentContainer(for: Item.self, at: .tested)
        try saved.perform { try fill($0) }
        try saved.perform { try body($0) }
        try PersistentContainer(for: Item.self, at: .tested).perform { context in
            try fill(context)
            try body(context)
        }
    }
}
