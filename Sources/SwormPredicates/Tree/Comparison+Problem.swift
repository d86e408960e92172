extension Comparison {
    /// The reason why the comparison is invalid for any object; nil if it is valid.
    package var problem: (code: QueryError.Code, message: String)? {
        switch comparator {
        case .between:
            switch right {
            case .list(let bounds) where bounds.count != 2:
                return (.syntax, "BETWEEN takes a list of two values, not of \(bounds.count)")
            case .value: return (.typeMismatch, "BETWEEN takes a list of two values, as in {1, 5}")
            default: return nil
            }
        case .in:
            guard case .value(let value) = right else { return nil }
            switch value {
            case .null, .string: return nil
            default: return (.typeMismatch, "IN takes a list, a collection or a string on its right side")
            }
        case .beginsWith, .endsWith, .like, .matches:
            switch right {
            case .value(.null), .value(.string), .value(.url): return nil
            case .value, .list: return (.typeMismatch, "\(comparator.spelling) takes a string on its right side")
            default: return nil
            }
        default: return nil
        }
    }
}

extension Comparator {
    /// The operator as it is written. The two operators for Swift's predicates have no spelling in the language.
    var spelling: String {
        switch self {
        case .equal, .identical: "=="
        case .notEqual, .notIdentical: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .between: "BETWEEN"
        case .in: "IN"
        case .contains: "CONTAINS"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .like: "LIKE"
        case .matches: "MATCHES"
        }
    }
}
