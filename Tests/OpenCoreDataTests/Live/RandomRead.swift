import SwormPredicates
import SwormSQLite
import TestSupport

@testable import OpenCoreData
@testable import Sworm
@testable import SwormStore

/// A random model, and an empty database with its tables.
final class RandomReadModel {
    let model: RandomModel
    let descriptions: NSManagedObjectModel
    let compiled: CompiledModel
    let meanings: ColumnMeanings
    let compiler: SQLCompiler
    let connection: Connection

    init(_ random: inout SeededRandom) throws {
        model = RandomModel(&random, isRich: true)
        descriptions = model.make()
        compiled = try descriptions.compiled()
        let layout = StoreLayout(model: compiled)
        meanings = ColumnMeanings(compiled, layout)
        compiler = SQLCompiler(model: compiled, layout: layout, storeIdentifier: "store")
        connection = try QueryRunner.connection(for: compiled)
    }
}

/// A random request in the form in which Sworm runs it.
struct RandomRead {
    enum Form: CaseIterable {
        case values, identities, count, projection
    }

    /// A part of the request that the region does not take into account, to show that a check finds it.
    enum Omission: CaseIterable {
        case condition, sorts, attributes, columns, groups, having, groupSorts
    }

    let form: Form
    let entity: Int
    var content = RequestContent()
    /// The names of the attributes that are decoded.
    var attributes: [String] = []
    var tree = ProjectionTree([])
    private let world: RandomReadModel

    init(of world: RandomReadModel, _ random: inout SeededRandom) throws {
        self.world = world
        let question = Question(world.model, objectCount: 3, seed: random.next())
        entity = question.entity
        form = random.pick([.values, .values, .projection, .projection, .identities, .count]) ?? .values
        if random.chance(85) { content.condition = ConditionContent(try resolved(question.tree)) }
        if random.chance(10), let path = wrappedPath(&random) {
            let test = PredicateTree.comparison(Comparison(path, by: .notEqual, with: .value(.null)))
            content.narrow(ConditionContent(test))
        }
        content.sorts = question.sorts.map {
            SortKey(path: $0.key.split(separator: ".").map(String.init), ascending: $0.ascending)
        }
        if question.limit > 0 { content.limit = question.limit }
        content.offset = question.offset
        switch form {
        case .values: attributes = world.model.attributes(entity).map(\.name).filter { _ in random.chance(60) }
        case .projection: tree = try projection(&random)
        case .identities, .count: break
        }
    }

    /// Returns a predicate with objects in place of variables.
    private func resolved(_ tree: PredicateTree) throws -> PredicateTree {
        var values: [String: PredicateArgument] = [:]
        for (number, entity) in (world.model.entities + world.model.entities + world.model.entities).enumerated() {
            let reference = ObjectReference(storeIdentifier: "store", entityName: entity.name, key: Int64(number + 1))
            values["o\(number)"] = .value(.object(reference))
        }
        return try tree.substituting(values)
    }

    private func resolved(_ expression: ExpressionTree) throws -> ExpressionTree {
        let comparison = Comparison(expression, by: .equal, with: .value(.null))
        guard case .comparison(let result) = try resolved(.comparison(comparison)) else { return expression }
        return result.left
    }

    /// Returns a path to an attribute behind an expression that yields an object.
    private func wrappedPath(_ random: inout SeededRandom) -> ExpressionTree? {
        guard let relation = random.pick(world.model.relations(entity).filter({ !$0.isToMany })),
            let attribute = random.pick(world.model.attributes(relation.destination))
        else { return nil }
        let object = ExpressionTree.path([relation.name])
        return .key(
            random.chance(50) ? .cast(object, "NSManagedObjectID") : .conditional(.constant(true), object, object),
            attribute.name)
    }

    private func projection(_ random: inout SeededRandom) throws -> ProjectionTree {
        var generator = RandomPredicate(world.model, entity: entity, objectCount: 3, seed: random.next())
        func column(_ depth: Int) throws -> ExpressionTree {
            let kind = random.pick([RandomPredicate.Kind.number, .number, .text, .date]) ?? .number
            if random.chance(10), let path = wrappedPath(&random) { return path }
            return try resolved(
                random.chance(15)
                    ? generator.count(2) : random.chance(60) ? generator.path(kind) : generator.value(kind, depth))
        }
        func aggregate() throws -> ExpressionTree {
            let aggregate = random.pick(RowAggregate.allCases) ?? .count
            if aggregate == .count, random.chance(50) { return .aggregate(.count) }
            return .aggregate(aggregate, of: try resolved(generator.path(.number)))
        }
        var tree = ProjectionTree(try (0...random.pick(3)).map { _ in try column(2) })
        switch random.pick(4) {
        case 0: break
        case 1:
            tree.isDistinct = true
            if let sort = random.pick(tree.columns) { tree.sorts = [ProjectionTree.Sort(sort)] }
        case 2: tree.columns = try (0...random.pick(3)).map { _ in try aggregate() }
        default:
            tree.groups = tree.columns
            // The keys of the groups need not be selected.
            tree.columns = random.chance(60) ? tree.groups : []
            tree.columns += try (0...random.pick(3)).map { _ in try aggregate() }
            if random.chance(50) {
                tree.having = .comparison(
                    Comparison(try aggregate(), by: .greater, with: .value(.int(Int64(random.pick(3))))))
            }
            if random.chance(50) { tree.sorts = [ProjectionTree.Sort(try aggregate(), ascending: false)] }
            if random.chance(30) { (tree.groupLimit, tree.groupOffset) = (5, random.pick(3)) }
        }
        return tree
    }

    // MARK: Results

    /// The SQL of the request.
    func sql() throws -> String {
        let entity = try entity(of: world.compiled)
        var fetch = FetchSpecification(entity: entity.number)
        fetch.predicate = try content.predicateTree()
        fetch.sorts = content.sorts.map { FetchSpecification.Sort(path: $0.path, ascending: $0.ascending) }
        (fetch.limit, fetch.offset) = (content.limit ?? 0, content.offset)
        let compiler = world.compiler
        switch form {
        case .values:
            let slots = attributes.compactMap { name -> Int? in
                if case .attribute(let slot)? = entity.slot(named: name) { slot } else { nil }
            }
            return try compiler.values(fetch, attributes: [PseudoSlot.version, PseudoSlot.entity] + slots).sql
        case .identities: return try compiler.identities(fetch).sql
        case .count: return try compiler.count(fetch).sql
        case .projection:
            return try compiler.projection(ProjectionSpecification(fetch: fetch, tree: tree)).statement.sql
        }
    }

    private func entity(of model: CompiledModel) throws -> CompiledEntity {
        guard let entity = model.entity(named: world.model.entities[entity].name) else {
            throw CoreDataError(NSCoreDataError, "There is no entity \(entity).")
        }
        return entity
    }

    /// Returns the region of the request.
    func region(without omission: Omission? = nil) throws -> TrackedRegion {
        let name = world.model.entities[entity].name
        guard let description = world.descriptions.entitiesByName[name] else { return TrackedRegion() }
        var (content, attributes, tree) = (content, attributes, tree)
        switch omission {
        case .condition: content.condition = nil
        case .sorts: content.sorts = []
        case .attributes: attributes = []
        case .columns: tree.columns = []
        case .groups: tree.groups = []
        case .having: tree.having = nil
        case .groupSorts: tree.sorts = []
        case nil: break
        }
        var builder = RegionBuilder()
        try builder.add(content, of: description, attributes: attributes.map { [$0] })
        if form == .projection { builder.add(tree, of: description) }
        return builder.region
    }

    /// Returns what a statement reads and a region lacks.
    func lacks(_ columns: Set<ReadColumn>, in region: TrackedRegion) throws -> [String] {
        var lacks = columns.compactMap { world.meanings.lack(of: $0, in: region) }
        let root = world.compiled[try entity(of: world.compiled).root].name
        if !region.roots.contains(root) { lacks.append("the rows of the request's entity \(root)") }
        for column in columns {
            for property in world.meanings.properties(of: column) ?? [] where region.holds(property, world.compiled) {
                lacks += lackingSources(of: property, in: region)
            }
        }
        return lacks.sorted()
    }

    /// Returns the sources of a derived attribute that a region lacks.
    private func lackingSources(of property: ColumnMeanings.Property, in region: TrackedRegion) -> [String] {
        let name = world.compiled[property.entity].name
        guard let start = world.model.entities.firstIndex(where: { $0.name == name }),
            let attribute = world.model.attributes(start).first(where: { $0.name == property.name })
        else { return [] }
        var lacks: [String] = []
        for path in attribute.sources {
            var entity = start
            for name in path {
                let own = world.compiled.entity(named: world.model.entities[entity].name)?.number ?? 0
                let source = ColumnMeanings.Property(entity: own, name: String(name.prefix { $0 != "." }))
                if !region.holds(source, world.compiled) {
                    lacks.append("\(name), from which \(property.name) is derived")
                }
                entity = world.model.relations(entity).first { $0.name == name }?.destination ?? entity
            }
        }
        return lacks
    }
}
