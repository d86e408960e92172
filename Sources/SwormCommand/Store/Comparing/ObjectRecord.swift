import OpenCoreData

/// An object with all its stored properties, as strings that are equal if the values are equal.
struct ObjectRecord {
    enum Value: Equatable {
        /// A value as JSON.
        case attribute(String)
        case toOne(ObjectName?)
        case toMany([ObjectName], isOrdered: Bool)
    }

    struct Property {
        var name: String
        var value: Value
    }

    var name: ObjectName
    var properties: [Property]
}
