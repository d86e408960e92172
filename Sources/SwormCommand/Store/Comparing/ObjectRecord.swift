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

/// The identity of an object in its store: `Book/p1`.
struct ObjectName: Hashable, CustomStringConvertible {
    /// The entity in the name of an object that does not exist.
    static let unknownEntity = "?"

    var entity: String
    var key: Int64

    var description: String { "\(entity)/p\(key)" }

    init(entity: String, key: Int64) {
        self.entity = entity
        self.key = key
    }

    /// Parses the output of `description`.
    init?(_ text: String) {
        guard let slash = text.lastIndex(of: "/") else { return nil }
        let number = text[text.index(after: slash)...]
        guard number.hasPrefix("p"), let key = Int64(number.dropFirst()) else { return nil }
        entity = String(text[..<slash])
        self.key = key
    }
}
