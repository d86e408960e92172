import SwormPredicates

/// The properties of an entity that bundles contain.
struct BundleEntity: Sendable {
    struct Relation: Sendable {
        var name: String
        var destination: String
        var inverse: String
        var isToMany: Bool
        var isOrdered: Bool
        var isOptional: Bool
        var inverseIsToMany: Bool
        var inverseIsOrdered: Bool
        /// Whether records of this entity keep the links, of a relation that is to-many at both ends.
        var keepsLinks: Bool
    }

    struct Attribute: Sendable {
        var name: String
        var type: AttributeType
        var isOptional: Bool
    }

    var name: String
    var root: String
    /// The names of the unique attributes.
    var key: [String]
    /// The names of the entity and its super-entities.
    var lineage: Set<String>
    var attributes: [String: Attribute]
    var relations: [String: Relation]

    /// The attributes and to-one relations that an insertion writes.
    var writtenProperties: [String] { contents + relations.values.filter { !$0.isToMany }.map(\.name).sorted() }

    /// The attributes that are not part of the key.
    var contents: [String] { attributes.keys.filter { !key.contains($0) }.sorted() }
}

extension BundleEntity.Attribute {
    /// Returns whether a value has the type of the attribute.
    func fits(_ value: AttributeValue) -> Bool {
        switch (value, type) {
        case (.null, _): isOptional
        case (.bool, .boolean), (.string, .string), (.date, .date), (.uuid, .uuid), (.url, .uri),
            (.decimal, .decimal), (.data, .binaryData), (.data, .transformable):
            true
        case (.double(let number), .double): !number.isNaN
        case (.double(let number), .float): !number.isNaN && Double(Float(number)) == number
        case (.int(let number), .integer16): Int16(exactly: number) != nil
        case (.int(let number), .integer32): Int32(exactly: number) != nil
        case (.int, .integer64): true
        default: false
        }
    }
}
