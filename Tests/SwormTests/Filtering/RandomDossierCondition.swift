/// Writes conditions on dossiers as somebody would who looks for a way around an allow-list: most names are allowed ones,
/// and every way to get at a value is tried on everything.
struct RandomDossierCondition {
    private var state: UInt64
    private var variables: [String] = []

    init(seed: UInt64) { state = seed }

    private mutating func below(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((bits ^ (bits >> 31)) % UInt64(bound))
    }

    private mutating func pick(_ choices: String...) -> String { choices[below(choices.count)] }

    // MARK: Predicates

    mutating func predicate(_ depth: Int) -> String {
        if depth > 0 {
            switch below(9) {
            case 0: return "(\(predicate(depth - 1)) \(pick("AND", "OR")) \(predicate(depth - 1)))"
            case 1: return "NOT (\(predicate(depth - 1)))"
            default: break
            }
        }
        switch below(12) {
        case 0: return pick("TRUEPREDICATE", "FALSEPREDICATE", "name == 'none'", "name == 'a'")
        case 1: return "\(object(depth)) \(pick("==", "!=")) \(pick("nil", object(depth)))"
        case 2, 3: return "\(pick("ANY", "ALL", "NONE")) \(collection(depth)).\(key()) \(comparison(depth))"
        case 4: return "\(collection(depth)) CONTAINS \(object(depth))"
        case 5: return "\(object(depth)) IN \(collection(depth))"
        case 6: return "\(value(depth)) \(pick("IN", "BETWEEN")) {\(value(depth)), \(value(depth))}"
        default: return "\(value(depth)) \(comparison(depth))"
        }
    }

    private mutating func comparison(_ depth: Int) -> String {
        "\(pick("==", "!=", ">", "<=", "BEGINSWITH", "==", "==")) \(below(4) == 0 ? value(depth) : literal())"
    }

    private mutating func literal() -> String {
        pick("1", "2", "3", "7", "8", "1234", "99", "1999", "2000", "'x'", "'a'", "nil", "'1'")
    }

    private mutating func key() -> String {
        pick("name", "year", "length", "length", "pin", "code", "friend", "handler", "year", "name")
    }

    // MARK: Values

    private mutating func value(_ depth: Int) -> String {
        guard depth > 0 else { return pick("name", "friend.year", "friend.year", "name.length", literal(), key()) }
        let less = depth - 1
        switch below(20) {
        case 0...3: return "\(object(less)).\(key())"
        case 4: return "\(object(less))['\(key())']"
        case 5: return "\(object(less))[lowercase('\(key().uppercased())')]"
        case 6: return "FUNCTION(\(object(less)), 'objectFrom:withIndex:', '\(key())')"
        case 7: return "\(pick("length", "uppercase", "noindex", "abs", "max", "count"))(\(any(less)))"
        case 8: return "\(any(less)).length"
        case 9: return "\(collection(less)).@count"
        case 10, 11: return "\(collection(less)).\(pick("@max", "@min", "@sum", "@avg")).\(key())"
        case 12: return "(\(value(less)) \(pick("+", "*", "-")) \(value(less)))"
        case 13, 14: return "TERNARY(\(predicate(less)), \(value(less)), \(value(less)))"
        case 15: return "CAST(\(any(less)), '\(pick("NSString", "NSNumber", "NSManagedObjectID"))')"
        case 16: return "\(pick("max", "min", "sum"))({\(value(less)), \(value(less))})"
        case 17: return "\(collection(less))[\(pick("FIRST", "LAST", "0", "SIZE"))].\(key())"
        default: return value(0)
        }
    }

    /// Something of any kind.
    private mutating func any(_ depth: Int) -> String {
        switch below(3) {
        case 0: object(depth)
        case 1: collection(depth)
        default: value(depth)
        }
    }

    // MARK: Objects

    private mutating func object(_ depth: Int) -> String {
        let variable = variables.isEmpty ? "SELF" : variables[below(variables.count)]
        guard depth > 0 else { return pick("SELF", "friend", "friend", variable, variable, "handler") }
        let less = depth - 1
        switch below(12) {
        case 0: return "noindex(\(object(less)))"
        case 1: return "CAST(\(object(less)), 'NSManagedObjectID')"
        case 2, 3: return "TERNARY(\(predicate(less)), \(any(less)), \(object(less)))"
        case 4: return "TERNARY(\(predicate(less)), nil, \(object(less)))"
        case 5: return "\(object(less)).\(pick("friend", "dossier", "handler"))"
        case 6: return "\(collection(less))[\(pick("FIRST", "0"))]"
        default: return object(0)
        }
    }

    private mutating func collection(_ depth: Int) -> String {
        guard depth > 0 else { return pick("witnesses", "witnesses", "{SELF}", "{friend}", "{}") }
        let less = depth - 1
        switch below(9) {
        case 0: return "{\(object(less)), \(any(less))}"
        case 1, 2: return "(\(collection(less)) \(pick("UNION", "INTERSECT", "MINUS")) \(collection(less)))"
        case 3, 4:
            let name = pick("$x", "$y")
            let collection = collection(less)
            variables.append(name)
            defer { variables.removeLast() }
            return "SUBQUERY(\(collection), \(name), \(predicate(less)))"
        case 5: return "\(object(less)).\(pick("witnesses", "cases"))"
        case 6: return "TERNARY(\(predicate(less)), \(collection(less)), \(collection(less)))"
        default: return collection(0)
        }
    }
}
