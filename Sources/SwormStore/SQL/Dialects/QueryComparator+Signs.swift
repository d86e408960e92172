import SwormPredicates

extension QueryComparator {
    /// The comparator that has the same meaning after the sides are exchanged.
    var mirrored: QueryComparator {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }

    var isOrdering: Bool {
        switch self {
        case .less, .lessOrEqual, .greater, .greaterOrEqual: true
        default: false
        }
    }

    /// Whether the comparison is never unknown: NULL is equal to NULL.
    var isIdentity: Bool { self == .identical || self == .notIdentical }
}

extension SQLDialect {
    /// Returns the sign of an operator that compares two values, or nil for any other operator.
    func sign(of comparator: QueryComparator) -> String? {
        switch comparator {
        case .equal: "="
        case .notEqual: "<>"
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .identical: self == .sqlite ? "IS" : "IS NOT DISTINCT FROM"
        case .notIdentical: self == .sqlite ? "IS NOT" : "IS DISTINCT FROM"
        default: nil
        }
    }
}
