#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A random world in a file and on a server, with the statements of the dialect over it.
final class ServerSetting {
    let seed: UInt64
    let world: RandomWorld
    let stores: ReadingStores
    let connection: DriverConnection
    var random: SeededRandom
    var model: CompiledModel { stores.model }
    var compiler: SQLCompiler { stores.server.schema.compiler }

    init(seed: UInt64) throws {
        self.seed = seed
        world = try RandomWorld(seed: seed)
        try world.context.save()
        stores = try ReadingStores(world.context, objects: world.objects)
        connection = try DriverConnection()
        random = SeededRandom(seed: ~seed)
    }

    /// Returns whether two results have the same rows. Sums of reals depend on the order in which a database adds them.
    static func areSame(_ one: [[StoredValue]], _ other: [[StoredValue]]) -> Bool {
        one.count == other.count
            && zip(one, other).allSatisfy { $0.count == $1.count && zip($0, $1).allSatisfy(isSame) }
    }

    private static func isSame(_ one: StoredValue, _ other: StoredValue) -> Bool {
        if one == other { return true }
        if case .integer = one, case .integer = other { return false }
        if let one = number(one), let other = number(other) {
            return one == other || abs(one - other) <= max(abs(one), abs(other)) * 1e-12
        }
        guard case .uuid(let uuid) = one, case .blob(let data) = other else { return false }
        return withUnsafeBytes(of: uuid.uuid) { Data($0) } == data
    }

    static func number(_ value: StoredValue) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    // MARK: Requests

    /// Returns values for the variables of objects, which belong to one store.
    private func objects(of store: any ObjectStore) -> [String: PredicateArgument] {
        var values: [String: PredicateArgument] = [:]
        for (number, object) in world.objects.enumerated() {
            let reference = object.objectID.reference
            values["o\(number)"] = .value(
                .object(
                    ObjectReference(
                        storeIdentifier: store.identifier, entityName: reference.entityName, key: reference.key)))
        }
        return values
    }

    private func resolved(_ tree: ExpressionTree, _ values: [String: PredicateArgument]) throws -> ExpressionTree {
        let comparison = PredicateTree.comparison(Comparison(tree, by: .equal, with: .value(.null)))
        guard case .comparison(let resolved) = try comparison.substituting(values) else { return tree }
        return resolved.left
    }

    func resolved(_ request: FetchSpecification, in store: any ObjectStore) throws -> FetchSpecification {
        var request = request
        request.predicate = try request.predicate?.substituting(objects(of: store))
        return request
    }

    func resolved(
        _ projection: ProjectionSpecification, in store: any ObjectStore
    ) throws -> ProjectionSpecification {
        let values = objects(of: store)
        var result = projection
        result.fetch = try resolved(projection.fetch, in: store)
        result.tree.columns = try projection.tree.columns.map { try resolved($0, values) }
        result.tree.groups = try projection.tree.groups.map { try resolved($0, values) }
        result.tree.having = try projection.tree.having?.substituting(values)
        result.tree.sorts = try projection.tree.sorts.map { sort in
            var sort = sort
            sort.expression = try resolved(sort.expression, values)
            return sort
        }
        return result
    }

    /// Returns a random question for an entity, or for any one.
    func question(of number: Int?) -> Question {
        while true {
            let question = Question(world.model, objectCount: world.objects.count, seed: random.next())
            if number == nil || world.model.entities[question.entity].name == number.map({ model[$0].name }) {
                return question
            }
        }
    }

    func request(_ question: Question) throws -> FetchSpecification {
        var request = try world.request(question).specification(in: model)
        request.predicate = question.tree
        return request
    }

    func keys(_ question: Question, in store: any ObjectStore) throws -> [Int64] {
        let request = try resolved(request(question), in: store)
        return try stores.read(store) { try $0.identities(request).map(\.key) }
    }

    // MARK: Projections

    func summary(_ projection: ProjectionSpecification) -> String {
        let tree = projection.tree
        var text = "\(tree.columns.map(\.format)) of \(model[projection.fetch.entity].name)"
        if let predicate = projection.fetch.predicate { text += " where \(predicate.format)" }
        let (limit, offset) = (projection.fetch.limit, projection.fetch.offset)
        if limit > 0 || offset > 0 { text += " (\(projection.fetch.sorts), \(limit) from \(offset))" }
        if !tree.groups.isEmpty { text += " by \(tree.groups.map(\.format))" }
        if tree.isDistinct { text += ", distinct" }
        if let having = tree.having { text += " having \(having.format)" }
        if !tree.sorts.isEmpty { text += " sorted by \(tree.sorts.map { ($0.expression.format, $0.ascending) })" }
        if let limit = tree.groupLimit { text += " limit \(limit)" }
        return text
    }

    func projection() -> ProjectionSpecification {
        let question = question(of: nil)
        var generator = RandomPredicate(
            world.model, entity: question.entity, objectCount: world.objects.count, seed: random.next())
        func expression() -> ExpressionTree {
            let kind = random.pick(RandomPredicate.Kind.allCases) ?? .number
            return generator.value(random.chance(50) ? .number : kind, random.pick(3))
        }
        func aggregate() -> ExpressionTree {
            let aggregates: [RowAggregate] = [.sum, .minimum, .maximum, .average, .count]
            guard let aggregate = random.pick(aggregates), random.chance(85) else { return .aggregate(.count) }
            let isTotal = aggregate == .sum || aggregate == .average
            return .aggregate(aggregate, of: isTotal ? generator.number(random.pick(3)) : expression())
        }
        var fetch = FetchSpecification(
            entity: model.entity(named: world.model.entities[question.entity].name)?.number ?? 1)
        if random.chance(50) { fetch.predicate = question.tree }
        if random.chance(40), let asked = try? request(question) {
            (fetch.sorts, fetch.limit, fetch.offset) = (asked.sorts, asked.limit, asked.offset)
        }
        var tree: ProjectionTree
        switch random.pick(4) {
        case 0:
            tree = ProjectionTree((0...random.pick(3)).map { _ in expression() })
        case 1:
            tree = ProjectionTree((0...random.pick(2)).map { _ in aggregate() })
        case 2:
            tree = ProjectionTree((0...random.pick(2)).map { _ in expression() })
            tree.isDistinct = true
            if random.chance(50), let column = random.pick(tree.columns) {
                tree.sorts = [.init(column, ascending: random.chance(50))]
            }
        default:
            let groups = (0...random.pick(2)).map { _ in expression() }
            tree = ProjectionTree(groups + (0...random.pick(2)).map { _ in aggregate() })
            tree.groups = groups
            if random.chance(40), let column = random.pick(tree.columns) {
                tree.having = .comparison(
                    Comparison(column, by: generator.comparator(.number), with: generator.number(0)))
            }
            if random.chance(50), let column = random.pick(tree.columns) {
                tree.sorts = [.init(column, ascending: random.chance(50))]
            }
            if random.chance(20) { tree.groupLimit = 1 + random.pick(3) }
        }
        return ProjectionSpecification(fetch: fetch, tree: tree)
    }
}
#endif
