/// The names of a model as Swift identifiers and literals.
enum SwiftNames {
    static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "borrowing", "break", "case", "catch",
        "class", "consuming", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension",
        "fallthrough",
        "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let",
        "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
        "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
        "where",
        "while",
    ]

    /// The names of types that the generated code uses, and of types that a module should not shadow.
    private static let types: Set<String> = [
        "Array", "Attribute", "CompositeConvertible", "CompositeOwner", "Subentities", "Subentity", "Superentity",
        "SuperentityConvertible", "AttributeError", "AttributeOption", "AttributeType", "AttributeValue", "Bool",
        "Codable",
        "Condition", "Data", "Date", "Decimal", "DeleteRule", "Dictionary", "Double", "Error", "FetchIndex", "Float",
        "Int", "Int16", "Int32", "Int64", "ManagedObject", "ManagedObjectContext", "ManagedObjectConvertible",
        "ManagedObjectID", "Optional", "PersistentContainer", "Predicate", "Query", "Relation", "RelationOption",
        "Relations", "Request", "Result", "Row", "Sendable", "Set", "StoreError", "StoreLocation", "String",
        "SupportedAttributeType", "Task", "ToManyOrderedRelation", "ToManyRelation", "ToOneRelation", "URL", "UUID",
        "UniquenessConstraint", "Void",
    ]

    /// The static members of mapped types, which the cases of an enum must not hide.
    static let staticMembers: Set<String> = [
        "all", "attributes", "entityName", "fetchIndexes", "formerEntityName", "relations", "subentities", "subentity",
        "uniquenessConstraints",
    ]

    /// Returns the name of the type for an entity.
    static func type(_ entity: String) -> String {
        types.contains(entity) || keywords.contains(entity) ? entity + "Entity" : entity
    }

    /// Returns the name of a property.
    static func property(_ name: String) -> String {
        // This name belongs to the enums of entities.
        name == "subentity" ? name + "_" : member(name)
    }

    /// Returns a name as that of a member of any type.
    static func member(_ name: String) -> String {
        // These names have another meaning after a period, even in backticks.
        if ["Type", "Protocol", "self", "init", "Self"].contains(name) { return name + "_" }
        return keywords.contains(name) ? "`\(name)`" : name
    }

    /// Returns whether a text can be a name in Swift, if necessary in backticks.
    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.first, first == "_" || first.isLetter else { return false }
        return text.allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
    }

    /// Returns the name of the nested type for a composite attribute. It must not shadow any type that is used there.
    static func type(composite name: String, avoiding taken: Set<String>) -> String {
        var result = type(name.prefix(1).uppercased() + name.dropFirst())
        while taken.contains(result) { result += "Value" }
        return result
    }

    /// Returns a string without line breaks, for a comment.
    static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Returns the index after the first opening bracket of a line of code that is not part of a string literal.
    static func endOfFirstBracket(in line: String) -> String.Index? {
        var (isInLiteral, isEscaped) = (false, false)
        // Scalars, as the compiler reads them: an accent in a literal may be joined to its quote.
        let scalars = line.unicodeScalars
        for index in scalars.indices {
            switch scalars[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isInLiteral: isEscaped = true
            case "\"": isInLiteral.toggle()
            case "(" where !isInLiteral: return scalars.index(after: index)
            default: break
            }
        }
        return nil
    }

    /// Returns a string as a literal.
    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if scalar.value < 0x20 || scalar.value == 0x7F {
                    result += "\\u{\(String(scalar.value, radix: 16))}"
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }
}
