import TestSupport
import Foundation
import SwormPredicates

@testable import OpenCoreData
@testable import SwormStore

/// Random predicates over a model. Objects are variables, `$o0`, `$o1` and so on, for which identities are put in
/// later.
struct RandomPredicate {
    /// What a value can be compared with.
    enum Kind: CaseIterable {
        case number, text, date, uuid, data, url

        init(_ type: NSAttributeType) {
            switch type {
            case .stringAttributeType: self = .text
            case .dateAttributeType: self = .date
            case .UUIDAttributeType: self = .uuid
            case .binaryDataAttributeType: self = .data
            case .URIAttributeType: self = .url
            default: self = .number
            }
        }

        var isOrdered: Bool { self == .number || self == .text || self == .url || self == .date }
    }

    /// An object that names can refer to: the fetched one, or the variable of a SUBQUERY.
    struct Root {
        var tree: ExpressionTree
        var entity: Int
    }

    let model: RandomModel
    let objectCount: Int
    var random: SeededRandom
    var roots: [Root] = []
    /// Whether there are comparisons by identity, for which nil is equal to nil. Predicates in Swift have them; no format
    /// string does.
    var hasIdentities = false

    init(_ model: RandomModel, entity: Int, objectCount: Int, seed: UInt64) {
        self.model = model
        self.objectCount = objectCount
        random = SeededRandom(seed: seed)
        roots = [Root(tree: .evaluatedObject, entity: entity)]
    }

    // MARK: Compounds

    mutating func predicate(depth: Int) -> PredicateTree {
        guard depth > 0 else { return comparison(depth: 1) }
        switch random.pick(10) {
        case 0, 1: return chain(depth, isAnd: true)
        case 2, 3: return chain(depth, isAnd: false)
        case 4, 5: return .not(predicate(depth: depth - 1))
        case 6 where random.chance(15): return .constant(random.chance(50))
        default: return comparison(depth: depth)
        }
    }

    private mutating func chain(_ depth: Int, isAnd: Bool) -> PredicateTree {
        let parts = (0..<(2 + random.pick(2))).map { _ in predicate(depth: depth - 1) }
        return isAnd ? .and(parts) : .or(parts)
    }

    // MARK: Comparisons

    private mutating func comparison(depth: Int) -> PredicateTree {
        switch random.pick(16) {
        case 0: return nilTest()
        case 1: return between(depth)
        case 2: return membership(depth)
        case 3, 4: return search(depth)
        case 5, 6, 7: return quantified(depth)
        case 8: return collectionMembership(depth)
        case 9: return objects()
        case 10: return subquery(depth)
        case 11: return .comparison(Comparison(count(depth), by: order(), with: number(depth - 1)))
        default: return plain(depth)
        }
    }

    private mutating func kind() -> Kind {
        let kinds: [Kind] = [.number, .number, .number, .text, .text, .date, .uuid, .data, .url]
        return random.pick(kinds) ?? .number
    }

    private mutating func plain(_ depth: Int) -> PredicateTree {
        let kind = kind()
        // Now and then what does not fit: it must be refused on both sides.
        let other = random.chance(2) ? self.kind() : kind
        let left = value(kind, depth - 1)
        return .comparison(
            hasIdentities && random.chance(15)
                ? Comparison(left, by: random.chance(50) ? .identical : .notIdentical, with: value(other, depth - 1))
                : Comparison(left, by: comparator(kind), with: value(other, depth - 1), options: options(for: kind)))
    }

    private mutating func order() -> SwormPredicates.Comparator {
        random.pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]) ?? .equal
    }

    mutating func comparator(_ kind: Kind) -> SwormPredicates.Comparator {
        kind.isOrdered || random.chance(3) ? order() : random.chance(50) ? .equal : .notEqual
    }

    mutating func options(for kind: Kind) -> ComparisonOptions {
        guard kind == .text || kind == .url, random.chance(50) else { return [] }
        return ComparisonOptions(rawValue: UInt8(random.chance(60) ? 1 + random.pick(3) : random.pick(16)))
    }

    private mutating func nilTest() -> PredicateTree {
        let left = random.chance(30) ? toOne() : path(kind())
        let null = ExpressionTree.value(.null)
        let comparator = random.chance(80) ? (random.chance(50) ? .equal : .notEqual) : order()
        return .comparison(
            random.chance(85)
                ? Comparison(left, by: comparator, with: null) : Comparison(null, by: comparator, with: left))
    }

    private mutating func between(_ depth: Int) -> PredicateTree {
        let kind = random.pick([Kind.number, .number, .text, .date]) ?? .number
        var bounds = [value(kind, depth - 1), value(kind, depth - 1)]
        if random.chance(4) { bounds[random.pick(2)] = .value(.null) }
        return .comparison(Comparison(value(kind, depth - 1), by: .between, with: .list(bounds)))
    }

    private mutating func list(_ kind: Kind, _ depth: Int) -> ExpressionTree {
        .list(
            (0..<random.pick(5)).map { _ in
                random.chance(8) ? .value(.null) : random.chance(70) ? .value(constant(kind)) : value(kind, depth - 1)
            })
    }

    /// Numbers and strings that are converted to the kind of the attribute that is searched in the list.
    private mutating func mixedList(_ kind: Kind) -> ExpressionTree {
        .list(
            (0..<(1 + random.pick(4))).map { _ in
                if random.chance(50) { return .value(constant(kind)) }
                return .value(kind == .text ? constant(.number) : .string(random.pick(RandomValue.numerals) ?? "1"))
            })
    }

    private mutating func membership(_ depth: Int) -> PredicateTree {
        let kind = kind()
        var (element, list) = (value(kind, depth - 1), list(kind, depth - 1))
        if kind == .text || kind == .number, random.chance(20) {
            (element, list) = (path(kind), mixedList(kind))
        }
        let options = options(for: kind)
        return .comparison(
            random.chance(85)
                ? Comparison(element, by: .in, with: list, options: options)
                : Comparison(list, by: .contains, with: element, options: options))
    }

    private mutating func search(_ depth: Int) -> PredicateTree {
        let left = value(random.chance(85) ? .text : .url, depth - 1)
        let options = options(for: .text)
        let word =
            random.pick([SwormPredicates.Comparator.contains, .beginsWith, .endsWith, .like, .matches, .in])
            ?? .contains
        switch word {
        case .in: return .comparison(Comparison(value(.text, 0), by: .in, with: left, options: options))
        case .matches:
            let patterns = ["a.*", ".*", "[A-B]?b", "(a|ab)", "é+", "\\w+", "", "^a$", "a|b", "[^a]*", "(", "."]
            return .comparison(
                Comparison(left, by: .matches, with: .value(.string(random.pick(patterns) ?? "")), options: options))
        case .like where random.chance(70):
            let patterns = [
                "a*", "*b", "*", "?", "??", "*é*", "a?b", "a\\*", "\\", "*[*", "", "e?", "a*b*", "**", "A*",
                "n*", "N*", "*u", "*U",
            ]
            return .comparison(
                Comparison(left, by: .like, with: .value(.string(random.pick(patterns) ?? "")), options: options))
        default: return .comparison(Comparison(left, by: word, with: value(.text, depth - 1), options: options))
        }
    }

    // MARK: Collections

    private mutating func quantified(_ depth: Int) -> PredicateTree {
        let quantifier: Quantifier = random.chance(65) ? .any : .all
        let kind = kind()
        guard let (left, entity) = toMany(hops: 2) else { return plain(depth) }
        func make(
            _ left: ExpressionTree, _ comparator: SwormPredicates.Comparator, _ right: ExpressionTree,
            _ options: ComparisonOptions = []
        ) -> PredicateTree {
            .comparison(Comparison(left, by: comparator, with: right, options: options, quantifier: quantifier))
        }
        if random.chance(20) {
            switch random.pick(3) {
            case 0: return make(left, random.chance(50) ? .equal : .notEqual, .value(.null))
            case 1: return make(left, random.chance(60) ? .equal : .notEqual, object())
            default: return make(left, .in, .list((0..<random.pick(4)).map { _ in object() }))
            }
        }
        guard let attribute = attribute(of: entity, kind) ?? attribute(of: entity, nil) else { return plain(depth) }
        let found = Kind(attribute.type)
        let key = ExpressionTree.key(left, attribute.name)
        let options = options(for: found)
        switch random.pick(5) {
        case 0 where random.chance(20) && (found == .text || found == .number):
            return make(key, .in, mixedList(found), options)
        case 0: return make(key, .in, list(found, 0), options)
        case 1 where found == .text:
            let words: [SwormPredicates.Comparator] = [.contains, .beginsWith, .endsWith, .like]
            return make(key, random.pick(words) ?? .contains, value(.text, depth - 1), options)
        case 2 where random.chance(40):
            return make(key, random.chance(50) ? .equal : .notEqual, .value(.null))
        default: return make(key, comparator(found), value(found, depth - 1), options)
        }
    }

    private mutating func collectionMembership(_ depth: Int) -> PredicateTree {
        guard let (collection, entity) = toMany(hops: 1) else { return plain(depth) }
        var (element, container) = (random.chance(20) ? toOne() : object(), collection)
        if random.chance(40), let attribute = attribute(of: entity, nil) {
            element = random.chance(5) ? .value(.null) : value(Kind(attribute.type), depth - 1)
            container = .key(collection, attribute.name)
        }
        return .comparison(
            random.chance(50)
                ? Comparison(element, by: .in, with: container) : Comparison(container, by: .contains, with: element))
    }

    private mutating func objects() -> PredicateTree {
        let left = random.chance(30) ? (random.pick(roots)?.tree ?? .evaluatedObject) : toOne()
        switch random.pick(5) {
        case 0:
            let items = (0..<random.pick(4)).map { _ in
                random.chance(10) ? .value(.null) : random.chance(80) ? object() : toOne()
            }
            return .comparison(Comparison(left, by: .in, with: .list(items)))
        case 1: return .comparison(Comparison(left, by: random.chance(50) ? .equal : .notEqual, with: toOne()))
        case 2: return .comparison(Comparison(object(), by: .in, with: .list([toOne(), left])))
        default:
            let (one, other) = random.chance(80) ? (left, object()) : (object(), left)
            return .comparison(Comparison(one, by: random.chance(50) ? .equal : .notEqual, with: other))
        }
    }

    /// A SUBQUERY over a to-many relationship, and the entity of what it yields.
    mutating func filtered(_ depth: Int) -> (ExpressionTree, Int)? {
        guard roots.count < 4, let (collection, entity) = toMany(hops: 0) else { return nil }
        let name = "x\(roots.count)"
        roots.append(Root(tree: .variable(name), entity: entity))
        defer { roots.removeLast() }
        return (.subquery(collection, name, predicate(depth: min(depth, 2) - 1)), entity)
    }

    private mutating func subquery(_ depth: Int) -> PredicateTree {
        guard let (tree, entity) = filtered(depth) else { return plain(depth) }
        if random.chance(30), let attribute = attribute(of: entity, nil) {
            let kind = Kind(attribute.type)
            return .comparison(
                Comparison(
                    .key(tree, attribute.name), by: comparator(kind), with: value(kind, 0), options: options(for: kind),
                    quantifier: random.chance(60) ? .any : .all))
        }
        let right: ExpressionTree = random.chance(80) ? .value(.int(Int64(random.pick(3)))) : number(depth - 1)
        return .comparison(Comparison(.key(tree, "@count"), by: order(), with: right))
    }
}
