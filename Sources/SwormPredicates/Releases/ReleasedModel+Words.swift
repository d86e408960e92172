extension ReleasedModel.Entity {
    /// Returns the description of an entity.
    package static func words(isAbstract: Bool, superentity: String?, constraints: [[String]]) -> String {
        let parent = superentity.map { "inherits from '\($0)'" } ?? "inherits from nothing"
        let unique = constraints.map { "unique by " + $0.joined(separator: "+") }.sorted()
        return ([isAbstract ? "abstract" : "concrete", parent] + unique).joined(separator: ", ")
    }
}

extension ReleasedModel.Property {
    /// The kind of a property, with the facts that only this kind has.
    package enum Kind {
        /// - Parameter code: Core Data's number of the type.
        case attribute(code: UInt, isDerived: Bool, isExternal: Bool)
        case toOne(destination: String?, inverse: String?, counts: (low: Int, high: Int))
        case toMany(isOrdered: Bool, destination: String?, inverse: String?, counts: (low: Int, high: Int))
        case other

        fileprivate var words: [String] {
            switch self {
            case .attribute(let code, let isDerived, let isExternal):
                let name = AttributeType(rawValue: UInt32(truncatingIfNeeded: code))?.recordedName ?? "type \(code)"
                return [
                    isDerived ? "derived attribute" : "attribute",
                    isExternal ? "\(name) that may be in files" : name,
                ]
            case .toOne(let destination, let inverse, let counts):
                return ["relation to one"] + Self.words(to: destination, inverse: inverse, counts: counts)
            case .toMany(let isOrdered, let destination, let inverse, let counts):
                let kind = isOrdered ? "ordered relation to many" : "relation to many"
                return [kind] + Self.words(to: destination, inverse: inverse, counts: counts)
            case .other: return ["property"]
            }
        }

        private static func words(
            to destination: String?, inverse: String?, counts: (low: Int, high: Int)
        ) -> [String] {
            [
                "leads to '\(destination ?? "")'", "inverse '\(inverse ?? "")'",
                "\(counts.low) to \(counts.high == 0 ? "any number" : "\(counts.high)")",
            ]
        }
    }

    /// Returns the description of a property.
    package static func words(_ kind: Kind, isOptional: Bool, modifier: String?) -> String {
        var words = kind.words + [isOptional ? "optional" : "required"]
        if let modifier { words.append("modifier '\(modifier)'") }
        return words.joined(separator: ", ")
    }
}

extension AttributeType {
    /// The name of the type in records of released models; nil for a type that is not stored.
    fileprivate var recordedName: String? {
        switch self {
        case .integer16: "Int16"
        case .integer32: "Int32"
        case .integer64: "Int64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Bool"
        case .date: "Date"
        case .binaryData: "Data"
        case .uuid: "UUID"
        case .uri: "URL"
        case .transformable: "transformable"
        case .composite: "composite"
        case .undefined, .objectID: nil
        }
    }
}
