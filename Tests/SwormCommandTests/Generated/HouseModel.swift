// Generated from House.xcdatamodel. Without a default in the model, a new value has the zero value of its type.

import Foundation
import Sworm

struct House {
    struct Address: CompositeConvertible, CompositeOwner {
        var city = "Rome"
        var `default`: Bool?
        var number: Int16?
        struct Place: CompositeConvertible {
            var x: Double?
            var y: Float?

            static let attributes: Set<Attribute<Place>> = [
                .init(\.x, "x"),
                .init(\.y, "y"),
            ]
        }
        var place: Place?

        static let attributes: Set<Attribute<Address>> = [
            .init(\.city, "city"),
            .init(\.`default`, "default"),
            .init(\.number, "number", .range(Int16(1)...)),
            .init(\.place, "place"),
        ]
    }
    var address: Address?
    struct DataEntity: CompositeConvertible {
        var bytes: Data?
        var count: Int?
        var id: UUID?
        var link: URL?
        var price: Decimal?
        var size: Int32?
        var since: Date?

        static let attributes: Set<Attribute<DataEntity>> = [
            .init(\.bytes, "bytes"),
            .init(\.count, "count"),
            .init(\.id, "id"),
            .init(\.link, "link"),
            .init(\.price, "price"),
            .init(\.size, "size"),
            .init(\.since, "since"),
        ]
    }
    var data: DataEntity?
    var name = ""
    struct PorchValue: CompositeConvertible {
        var kind = "plain"
        var width: Double?

        static let attributes: Set<Attribute<PorchValue>> = [
            .init(\.kind, "kind"),
            .init(\.width, "width"),
        ]
    }
    var porch = PorchValue()
}

extension House: ManagedObjectConvertible, CompositeOwner {
    static let attributes: Set<Attribute<House>> = [
        .init(\.address, "address"),
        .init(\.data, "data"),
        .init(\.name, "name"),
        .init(\.porch, "porch"),
    ]
    static let fetchIndexes: [FetchIndex<House>] = [.init("byCity", .ascending(\.name))]
}

struct Porch {
    var name: String?
}

extension Porch: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Porch>> = [.init(\.name, "name")]
}
