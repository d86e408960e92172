import Foundation
import SwormPredicates

/// The elements of a composite attribute, for converting its keyed dictionary to JSON and back.
///
/// The tables treat a ``CodableAttribute`` as JSON. If the model's attribute is composite, that JSON is split, so that
/// every element is stored in a separate column.
struct CompositeShape: Sendable {
    enum Element: Sendable {
        case value(AttributeType)
        case composite(CompositeShape)
    }

    let name: String
    var elements: [String: Element] = [:]

    /// The paths of the elements that hold values.
    var paths: [String] {
        elements.flatMap { name, element in
            if case .composite(let shape) = element { return shape.paths.map { "\(name).\($0)" } }
            return [name]
        }
    }

    /// Returns the dictionary as JSON, as an encoder would write a type with these properties.
    func encode(_ dictionary: [String: Any]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(Writer(shape: self, dictionary: dictionary))
    }

    /// Returns the dictionary that JSON represents. An unknown element throws an error, so that no value is lost.
    func decode(_ data: Data) throws -> [String: Any] {
        let decoder = JSONDecoder()
        if let key = Self.userInfoKey { decoder.userInfo[key] = self }
        return try decoder.decode(Reader.self, from: data).dictionary
    }

    /// The key of the shape in a decoder's `userInfo`. It is optional only because the initializer is failable. It is
    /// never nil.
    fileprivate static let userInfoKey = CodingUserInfoKey(rawValue: "sworm.composite")
}

/// A coding key with an arbitrary string.
private struct ElementKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

private struct Writer: Encodable {
    let shape: CompositeShape
    // The dictionary is written immediately, on the thread that created the writer.
    let dictionary: [String: Any]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ElementKey.self)
        for (name, element) in shape.elements {
            guard let any = dictionary[name] else { continue }
            let key = ElementKey(stringValue: name)
            switch element {
            case .composite(let inner):
                guard let dictionary = any as? [String: Any] else { continue }
                try container.encode(Writer(shape: inner, dictionary: dictionary), forKey: key)
            case .value(let type):
                switch (type, any) {
                case (.boolean, let number as NSNumber): try container.encode(number.boolValue, forKey: key)
                case (.integer16, let number as NSNumber), (.integer32, let number as NSNumber),
                    (.integer64, let number as NSNumber):
                    try container.encode(number.int64Value, forKey: key)
                case (.float, let number as NSNumber): try container.encode(number.floatValue, forKey: key)
                case (.double, let number as NSNumber): try container.encode(number.doubleValue, forKey: key)
                case (.decimal, let number as NSDecimalNumber):
                    try container.encode(number as Decimal, forKey: key)
                case (_, let text as String): try container.encode(text, forKey: key)
                case (_, let date as Date): try container.encode(date, forKey: key)
                case (_, let data as Data): try container.encode(data, forKey: key)
                case (_, let uuid as UUID): try container.encode(uuid, forKey: key)
                case (_, let url as URL): try container.encode(url, forKey: key)
                default: continue
                }
            }
        }
    }
}

private struct Reader: Decodable {
    let dictionary: [String: Any]

    init(from decoder: any Decoder) throws {
        guard let shape = CompositeShape.userInfoKey.flatMap({ decoder.userInfo[$0] }) as? CompositeShape else {
            throw AttributeError.badInput(nil)
        }
        dictionary = try Self.read(from: decoder.container(keyedBy: ElementKey.self), as: shape)
    }

    private static func read(
        from container: KeyedDecodingContainer<ElementKey>, as shape: CompositeShape
    ) throws -> [String: Any] {
        var dictionary: [String: Any] = [:]
        for key in container.allKeys {
            guard let element = shape.elements[key.stringValue] else {
                throw StoreError(
                    .unknownName,
                    "The composite attribute '\(shape.name)' has no element '\(key.stringValue)'."
                        + nearestNameHint(to: key.stringValue, in: Array(shape.elements.keys))
                        + " Give the properties of the type the names of the elements, or declare coding keys.")
            }
            if try container.decodeNil(forKey: key) { continue }
            switch element {
            case .composite(let inner):
                let values = try read(from: container.nestedContainer(keyedBy: ElementKey.self, forKey: key), as: inner)
                if !values.isEmpty { dictionary[key.stringValue] = values }
            case .value(let type): dictionary[key.stringValue] = try read(from: container, at: key, as: type)
            }
        }
        return dictionary
    }

    private static func read(
        from container: KeyedDecodingContainer<ElementKey>, at key: ElementKey, as type: AttributeType
    ) throws -> Any? {
        switch type {
        case .boolean: NSNumber(value: try container.decode(Bool.self, forKey: key))
        case .integer16: NSNumber(value: try container.decode(Int16.self, forKey: key))
        case .integer32: NSNumber(value: try container.decode(Int32.self, forKey: key))
        case .integer64: NSNumber(value: try container.decode(Int64.self, forKey: key))
        case .float: NSNumber(value: try container.decode(Float.self, forKey: key))
        case .double: NSNumber(value: try container.decode(Double.self, forKey: key))
        case .decimal: NSDecimalNumber(decimal: try container.decode(Decimal.self, forKey: key))
        case .string: try container.decode(String.self, forKey: key)
        case .date: try container.decode(Date.self, forKey: key)
        case .uuid: try container.decode(UUID.self, forKey: key)
        case .uri: try container.decode(URL.self, forKey: key)
        case .binaryData, .transformable: try container.decode(Data.self, forKey: key)
        case .undefined, .objectID, .composite: nil
        }
    }
}
