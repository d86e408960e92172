// Generated from House.xcdatamodel. Without a default in the model, a new value has the zero value of its type.

import Foundation
import Sworm

// A model from tables has no composite attributes: open the store with its model file.

struct House {
    struct Address {
        var city: String? = "Rome"
        var `default`: Bool?
        var number: Int16?
        struct Place {
            var x: Double?
            var y: Float?
        }
        var place = Place()
    }
    var address = Address()
    struct DataEntity {
        var bytes: Data?
        var count: Int?
        var id: UUID?
        var link: URL?
        var price: Decimal?
        var size: Int32?
        var since: Date?
    }
    var data = DataEntity()
    var name = ""
    struct PorchValue {
        var kind = "plain"
        var width: Double?
    }
    var porch = PorchValue()
}

extension House: ManagedObjectConvertible {
    static let attributes: Set<Attribute<House>> = [
        .init(\.address.city, "address.city"),
        .init(\.address.`default`, "address.default"),
        .init(\.address.number, "address.number"),
        .init(\.address.place.x, "address.place.x"),
        .init(\.address.place.y, "address.place.y"),
        .init(\.data.bytes, "data.bytes"),
        .init(\.data.count, "data.count"),
        .init(\.data.id, "data.id"),
        .init(\.data.link, "data.link"),
        .init(\.data.price, "data.price"),
        .init(\.data.size, "data.size"),
        .init(\.data.since, "data.since"),
        .init(\.name, "name"),
        .init(\.porch.kind, "porch.kind"),
        .init(\.porch.width, "porch.width"),
    ]
    static let fetchIndexes: [FetchIndex<House>] = [.init("byCity", .ascending(\.name))]
}

struct Porch {
    var name: String?
}

extension Porch: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Porch>> = [.init(\.name, "name")]
}
