import Foundation
import SwormPredicates

/// A request's hash without its constants, and the constants.
///
/// A request has a shape only if its predicates compare plain paths with plain values, so that the values become
/// parameters of the statement unchanged. Other requests are compiled each time.
struct RequestShape {
    private(set) var constants: [AttributeValue] = []
    /// A hash that is equal for requests of one shape, and usually different for other shapes. It is computed for each
    /// request, so it is a simple sum, and requests with equal hashes are compared.
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The depth above which predicates have no shape, because they are too rare to benefit from one.
    private static let depthLimit = 32

    /// Returns nil for a request without a shape.
    init?(_ request: FetchSpecification) {
        add(request.entity)
        if let predicate = request.predicate, !add(predicate, depth: 0) { return nil }
        for sort in request.sorts {
            for key in sort.path { add(key) }
            add(sort.ascending ? 1 : 2)
        }
    }

    private mutating func add(_ number: Int) {
        hash = (hash ^ UInt64(truncatingIfNeeded: number)) &* 0x100_0000_01B3
    }

    private mutating func add(_ key: String) {
        for byte in key.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        add(-1)
    }

    private mutating func add(_ tree: PredicateTree, depth: Int) -> Bool {
        guard depth < Self.depthLimit else { return false }
        switch tree {
        case .constant(let value):
            add(value ? 3 : 4)
            return true
        case .and(let parts):
            add(parts.count)
            for part in parts where !add(part, depth: depth + 1) { return false }
            return true
        case .or(let parts):
            add(-parts.count)
            for part in parts where !add(part, depth: depth + 1) { return false }
            return true
        case .not(let part): return add(part, depth: depth + 1)
        case .comparison(let comparison):
            guard comparison.quantifier == .direct, comparison.options.isEmpty, comparison.comparator.isPlain,
                case .value(let value) = comparison.right, value.plainKind != nil
            else { return false }
            constants.append(value)
            return add(comparison.left)
        }
    }

    private mutating func add(_ path: ExpressionTree) -> Bool {
        var current = path
        while case .key(let base, let key) = current {
            if key.utf8.first == UInt8(ascii: "@") { return false }
            add(key)
            current = base
        }
        guard case .evaluatedObject = current else { return false }
        return true
    }

    /// Returns the constant at an index of a request that has a shape.
    static func constant(_ place: Int, of request: FetchSpecification) -> AttributeValue? {
        guard let predicate = request.predicate else { return nil }
        // Most requests have only one constant.
        if place == 0, case .comparison(let comparison) = predicate { return comparison.right.constant }
        var place = place
        return constant(&place, of: predicate)
    }

    private static func constant(_ place: inout Int, of tree: PredicateTree) -> AttributeValue? {
        switch tree {
        case .constant: return nil
        case .and(let parts), .or(let parts):
            for part in parts {
                if let value = constant(&place, of: part) { return value }
            }
            return nil
        case .not(let part): return constant(&place, of: part)
        case .comparison(let comparison):
            place -= 1
            return place < 0 ? comparison.right.constant : nil
        }
    }

    /// Returns whether a request has the same shape as another request that has a shape.
    static func same(_ one: FetchSpecification, _ other: FetchSpecification) -> Bool {
        guard one.entity == other.entity, one.includesSubentities == other.includesSubentities,
            (one.limit > 0) == (other.limit > 0), (one.offset > 0) == (other.offset > 0), one.sorts == other.sorts
        else { return false }
        switch (one.predicate, other.predicate) {
        case (nil, nil): return true
        case (let one?, let other?): return same(one, other)
        default: return false
        }
    }

    private static func same(_ one: PredicateTree, _ other: PredicateTree) -> Bool {
        switch (one, other) {
        case (.constant(let one), .constant(let other)): return one == other
        case (.and(let one), .and(let other)), (.or(let one), .or(let other)):
            return one.count == other.count && one.indices.allSatisfy { same(one[$0], other[$0]) }
        case (.not(let one), .not(let other)): return same(one, other)
        case (.comparison(let one), .comparison(let other)):
            guard one.comparator == other.comparator, one.quantifier == other.quantifier, one.options == other.options,
                samePath(one.left, other.left),
                case .value(let value) = one.right, case .value(let otherValue) = other.right
            else { return false }
            return value.plainKind == otherValue.plainKind
        default: return false
        }
    }

    /// Returns whether a path equals the path of a request that has a shape.
    private static func samePath(_ one: ExpressionTree, _ other: ExpressionTree) -> Bool {
        var (one, other) = (one, other)
        while case .key(let base, let key) = one {
            guard case .key(let otherBase, let otherKey) = other, key == otherKey else { return false }
            (one, other) = (base, otherBase)
        }
        guard case .evaluatedObject = other else { return false }
        return true
    }

    /// Returns the same request with other constants, in the order of `constants`, and with another limit and offset if
    /// the request has them.
    static func probe(_ request: FetchSpecification, constants: [AttributeValue], limit: Int, offset: Int)
        -> FetchSpecification
    {
        var rest = constants[...]
        func replace(_ tree: PredicateTree) -> PredicateTree {
            switch tree {
            case .constant: return tree
            case .and(let parts): return .and(parts.map(replace))
            case .or(let parts): return .or(parts.map(replace))
            case .not(let part): return .not(replace(part))
            case .comparison(var comparison):
                if let value = rest.popFirst() { comparison.right = .value(value) }
                return .comparison(comparison)
            }
        }
        var probe = request
        probe.predicate = request.predicate.map(replace)
        if request.limit > 0 { probe.limit = limit }
        if request.offset > 0 { probe.offset = offset }
        return probe
    }
}

extension AttributeValue {
    /// The kinds of values that become parameters of a statement unchanged. No value of these kinds has a special
    /// meaning.
    enum PlainKind { case int, double, string, date, uuid }

    var plainKind: PlainKind? {
        switch self {
        case .int: .int
        case .double(let number): number.isNaN ? nil : .double
        case .string: .string
        case .date(let date): date.timeIntervalSinceReferenceDate.isNaN ? nil : .date
        case .uuid: .uuid
        case .null, .bool, .decimal, .data, .url, .object: nil
        }
    }

    /// Returns a value of the same kind that no request contains, different for each index.
    func probe(_ place: Int) -> AttributeValue {
        switch self {
        case .int: .int(Int64.max - 4_242_424_242 - Int64(place))
        case .double: .double(1.234567e200 * Double(place + 2))
        case .string: .string("\u{1}probe \(place)")
        case .date: .date(Date(timeIntervalSinceReferenceDate: -1.234567e9 - Double(place) * 3.25))
        case .uuid: .uuid(UUID())
        case .null, .bool, .decimal, .data, .url, .object: self
        }
    }
}

extension ExpressionTree {
    fileprivate var constant: AttributeValue? {
        if case .value(let value) = self { value } else { nil }
    }
}

extension QueryComparator {
    fileprivate var isPlain: Bool {
        switch self {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
        default: false
        }
    }
}
