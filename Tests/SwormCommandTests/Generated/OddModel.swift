// Generated from Odd.xcdatamodel. Without a default in the model, a new value has the zero value of its type.

import Foundation
import Sworm

/// An entity that has the class AppData in Core Data, was renamed from Info.
struct DataEntity {
    var Type_: Int32?
    var date = Date(timeIntervalSinceReferenceDate: 86400.5)
    var `default` = true
    var float: Float = 1.5
    var `for`: String? = "a \"b\" \n\\ é"
    var home: URL? = URL(string: "https://example.org/a?b=c&d") ?? URL(filePath: "/")
    var large = 9000000000
    var old: String?
    var photo: Data?
    var price: Decimal = Decimal(string: "12.5") ?? 0
    var small: Int16 = -4
    var `switch`: Double?
    var token = UUID()
}

extension DataEntity: ManagedObjectConvertible {
    static let entityName = "Data"
    static let attributes: Set<Attribute<DataEntity>> = [
        .init(\.Type_, "Type", .range(Int32(-3)...Int32(9))),
        .init(\.date, "date", .range(Date(timeIntervalSinceReferenceDate: 0.0)...)),
        .init(\.`default`, "default"),
        .init(\.float, "float", .range(...Float(2.5))),
        .init(\.`for`, "for", .length(1...40), .pattern("[a-z\\\\\"]+")),
        .init(\.home, "home"),
        .init(\.large, "large", .renamed(from: "big"), .hashModifier("2")),
        .init(\.old, "old", .indexed),
        .init(\.photo, "photo", .external, .preservedOnDeletion),
        .init(\.price, "price", .range((Decimal(string: "0.5") ?? 0)...)),
        .init(\.small, "small"),
        .init(\.`switch`, "switch"),
        .init(\.token, "token", .unique),
    ]

    struct Relations: Sendable {
        let `case` = ToManyOrderedRelation<thing>("case", inverse: \.self_, deleteRule: .deny, .count(1...5))
        let friends: ToManyRelation<DataEntity> = .init("friends", inverse: \.friends)
        let `let` = ToOneRelation<RelationsEntity>(
            "let", deleteRule: .noAction, .renamed(from: "var"), .hashModifier("b"))
        let parent: ToOneRelation<DataEntity> = .init("parent", inverse: \.parts)
        let parts = ToManyRelation<DataEntity>("parts", deleteRule: .cascade)
    }
    static let relations = Relations()
    static let uniquenessConstraints: [UniquenessConstraint<DataEntity>] = [.init(\.`for`, \.date)]
    static let fetchIndexes: [FetchIndex<DataEntity>] = [
        .init("byDateAndType", .descending(\.date), .ascending(\.Type_))
    ]
}

struct RelationsEntity {
    var text: String?
}

extension RelationsEntity: ManagedObjectConvertible {
    static let entityName = "Relations"
    static let attributes: Set<Attribute<RelationsEntity>> = [.init(\.text, "text")]
}

struct thing {
}

extension thing: ManagedObjectConvertible {
    static let attributes: Set<Attribute<thing>> = []

    struct Relations: Sendable {
        let self_ = ToOneRelation<DataEntity>("self_", .required)
    }
    static let relations = Relations()
}
