import Foundation
import SwormPredicates
import TestSupport

@testable import OpenCoreData
@testable import SwormStore

extension RandomPredicate {
    mutating func value(_ kind: Kind, _ depth: Int) -> ExpressionTree {
        if depth > 0, random.chance(6) {
            return .conditional(predicate(depth: depth - 1), value(kind, depth - 1), value(kind, depth - 1))
        }
        if random.chance(4), depth > 0, let path = indexed(kind) { return path }
        switch kind {
        case .number: return number(depth)
        case .text where depth > 0 && random.chance(12):
            let names = ["uppercase", "lowercase", "canonical"]
            return .function(random.pick(names) ?? "canonical", [value(.text, depth - 1)])
        case .date where depth > 0 && random.chance(15):
            return random.chance(50)
                ? .binary(random.chance(50) ? .add : .subtract, value(.date, depth - 1), number(depth - 1))
                : .cast(path(.number), "NSDate")
        default: return random.chance(45) ? .value(constant(kind)) : path(kind)
        }
    }

    mutating func constant(_ kind: Kind) -> AttributeValue {
        switch kind {
        case .number: RandomValue.number(&random)
        case .text: RandomValue.value(.stringAttributeType, &random)
        case .date: RandomValue.value(.dateAttributeType, &random)
        case .uuid: RandomValue.value(.UUIDAttributeType, &random)
        case .data: RandomValue.value(.binaryDataAttributeType, &random)
        case .url: RandomValue.value(.URIAttributeType, &random)
        }
    }

    mutating func number(_ depth: Int) -> ExpressionTree {
        guard depth > 0 else { return random.chance(50) ? .value(constant(.number)) : path(.number) }
        switch random.pick(16) {
        case 0, 1, 2:
            let signs: [BinaryOperator] = [.add, .subtract, .multiply, .divide, .bitAnd, .bitOr, .bitXor, .power]
            return .binary(random.pick(signs) ?? .add, number(depth - 1), number(depth - 1))
        case 3: return .negate(path(.number))
        case 4, 5:
            let names = [
                "abs", "sqrt", "floor", "ceiling", "trunc", "onesComplement", "noindex", "ln", "log", "exp", "float",
            ]
            return .function(random.pick(names) ?? "abs", [number(depth - 1)])
        case 6:
            let names = ["modulus:by:", "leftshift:by:", "rightshift:by:"]
            return .function(random.pick(names) ?? names[0], [number(depth - 1), number(depth - 1)])
        case 7: return .key(path(.text), "length")
        case 8: return count(depth)
        case 9, 10: return total(depth)
        case 11:
            return .cast(path(random.chance(50) ? .number : .date), random.chance(70) ? "NSNumber" : "NSDecimalNumber")
        case 12: return .binary(.subtract, value(.date, depth - 1), value(.date, depth - 1))
        default: return random.chance(30) ? .value(constant(.number)) : path(.number)
        }
    }

    /// The number of members of a to-many relationship, or of those that a SUBQUERY leaves.
    mutating func count(_ depth: Int) -> ExpressionTree {
        let collection = depth > 1 && random.chance(30) ? filtered(depth - 1)?.0 : toMany(hops: 0)?.0
        guard let collection else { return .value(.int(1)) }
        return random.chance(85) ? .key(collection, "@count") : .index(collection, .size)
    }

    private mutating func total(_ depth: Int) -> ExpressionTree {
        let found = depth > 1 && random.chance(20) ? filtered(depth - 1) : toMany(hops: 0)
        guard let (collection, entity) = found else { return .value(.int(2)) }
        // After the operator, the path may continue through a to-one relationship.
        var base = ExpressionTree.key(collection, random.pick(["@sum", "@avg", "@min", "@max"]) ?? "@sum")
        var end = entity
        if random.chance(15), let next = random.pick(model.relations(entity)) {
            base = .key(base, next.name)
            end = next.destination
        }
        guard let attribute = attribute(of: end, .number) else { return .key(collection, "@count") }
        return .key(base, attribute.name)
    }

    // MARK: Paths

    mutating func attribute(of entity: Int, _ kind: Kind?) -> RandomModel.Attribute? {
        random.pick(model.attributes(entity).filter { kind == nil || Kind($0.type) == kind })
    }

    /// An object that names can start from, after up to so many to-one relationships.
    private mutating func start(hops: Int) -> Root {
        var root = random.pick(roots) ?? Root(tree: .evaluatedObject, entity: 0)
        if random.chance(60), let last = roots.last { root = last }
        for _ in 0..<hops where random.chance(35) {
            guard let next = random.pick(model.relations(root.entity).filter { !$0.isToMany }) else { break }
            root = Root(tree: .key(root.tree, next.name), entity: next.destination)
        }
        return root
    }

    /// A path to an attribute of a kind; a constant where there is none.
    mutating func path(_ kind: Kind) -> ExpressionTree {
        for _ in 0..<4 {
            let root = start(hops: 2)
            if let attribute = attribute(of: root.entity, kind) { return .key(root.tree, attribute.name) }
        }
        return .value(constant(kind))
    }

    /// A path to an object of a to-one relationship; the object itself where there is none.
    mutating func toOne() -> ExpressionTree {
        let root = start(hops: 1)
        guard let relation = random.pick(model.relations(root.entity).filter({ !$0.isToMany })) else {
            return root.tree
        }
        return .key(root.tree, relation.name)
    }

    /// A path that leads through a to-many relationship and up to so many relationships more.
    mutating func toMany(hops: Int) -> (ExpressionTree, Int)? {
        for _ in 0..<4 {
            let root = start(hops: 1)
            guard let relation = random.pick(model.relations(root.entity).filter(\.isToMany)) else { continue }
            var found = (ExpressionTree.key(root.tree, relation.name), relation.destination)
            for _ in 0..<hops where random.chance(30) {
                guard let next = random.pick(model.relations(found.1)) else { break }
                found = (.key(found.0, next.name), next.destination)
            }
            return found
        }
        return nil
    }

    /// An attribute of one member of an ordered relationship.
    private mutating func indexed(_ kind: Kind) -> ExpressionTree? {
        for _ in 0..<4 {
            let root = start(hops: 1)
            let relations = model.relations(root.entity).filter { $0.isOrdered || random.chance(2) }
            guard let relation = random.pick(relations), let attribute = attribute(of: relation.destination, kind)
            else { continue }
            let places: [Subscript] = [.first, .last, .expression(.value(.int(Int64(random.pick(3)))))]
            let member = ExpressionTree.index(.key(root.tree, relation.name), random.pick(places) ?? .first)
            return .key(member, attribute.name)
        }
        return nil
    }

    /// One of the objects.
    mutating func object() -> ExpressionTree { .variable("o\(random.pick(objectCount))") }
}
