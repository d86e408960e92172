/// The meaning of a token between two operands.
enum Infix {
    case compound(PredicateParser.Power)
    /// A comparison; nil for a known operator that is not supported.
    case comparison(Comparator?)
    case binary(BinaryOperator, PredicateParser.Power)
    case set(SetOperator)

    var power: PredicateParser.Power {
        switch self {
        case .compound(let power), .binary(_, let power): power
        case .comparison: .comparison
        case .set: .set
        }
    }

    init?(_ kind: PredicateToken.Kind) {
        switch kind {
        case .symbol(let symbol): self.init(symbol)
        case .word(_, let keyword?): self.init(keyword)
        default: return nil
        }
    }

    private init?(_ symbol: PredicateSymbol) {
        switch symbol {
        case .equal, .doubleEqual: self = .comparison(.equal)
        case .notEqual, .lessGreater: self = .comparison(.notEqual)
        case .less: self = .comparison(.less)
        case .lessEqual, .equalLess: self = .comparison(.lessOrEqual)
        case .greater: self = .comparison(.greater)
        case .greaterEqual, .equalGreater: self = .comparison(.greaterOrEqual)
        case .and: self = .compound(.and)
        case .or: self = .compound(.or)
        case .plus: self = .binary(.add, .add)
        case .minus: self = .binary(.subtract, .add)
        case .times: self = .binary(.multiply, .multiply)
        case .divide: self = .binary(.divide, .multiply)
        case .power: self = .binary(.power, .power)
        case .bitAnd: self = .binary(.bitAnd, .bitAnd)
        case .bitOr: self = .binary(.bitOr, .bitOr)
        case .bitXor: self = .binary(.bitXor, .bitXor)
        default: return nil
        }
    }

    private init?(_ keyword: PredicateKeyword) {
        switch keyword {
        case .and: self = .compound(.and)
        case .or: self = .compound(.or)
        case .in: self = .comparison(.in)
        case .between: self = .comparison(.between)
        case .contains: self = .comparison(.contains)
        case .beginsWith: self = .comparison(.beginsWith)
        case .endsWith: self = .comparison(.endsWith)
        case .like: self = .comparison(.like)
        case .matches: self = .comparison(.matches)
        case .utiConformsTo, .utiEquals: self = .comparison(nil)
        case .union: self = .set(.union)
        case .intersect: self = .set(.intersect)
        case .minus: self = .set(.minus)
        default: return nil
        }
    }
}
