import SwormPredicates
import SwormStore

/// An inference of the mapping from an old model to a new one, which collects all reasons why it may not be possible.
struct MappingInference {
    /// A compiled model and the descriptions that it was compiled from.
    struct Side {
        let model: CompiledModel
        let descriptions: [NSEntityDescription]
        let numbers: [ObjectIdentifier: Int]

        init(_ model: NSManagedObjectModel) throws {
            let compilation = try model.compiledWithDescriptions()
            self.model = compilation.model
            descriptions = compilation.entities
            numbers = Dictionary(
                compilation.entities.enumerated().map { (ObjectIdentifier($1), $0 + 1) },
                uniquingKeysWith: { first, _ in first })
        }
    }

    /// An entity of the new model, and the entity of the old model that it corresponds to.
    struct Pair {
        let source: Int
        let destination: Int
        /// The names of the old attributes by the names of the new ones. Elements of composite attributes are named by
        /// their paths.
        var attributes: [String: String] = [:]
        /// The names of the old relationships by the names of the new ones.
        var relationships: [String: String] = [:]
    }

    let old: Side
    let new: Side
    /// The pairs, by the number of the entity in the new model.
    var pairs: [Int: Pair] = [:]
    /// The numbers of the entities in the new model, by their numbers in the old model.
    var images: [Int: Int] = [:]
    private(set) var issues = IssueList(
        code: NSInferredMappingModelError, failure: "No mapping from the old model to the new one can be inferred",
        counted: "there are %d reasons")
    /// The messages of all issues that were recorded.
    private var recorded: Set<String> = []

    init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) throws {
        old = try Side(source)
        new = try Side(destination)
    }

    /// Returns the mapping.
    ///
    /// - Throws: A `CoreDataError` with all reasons why the mapping cannot be inferred.
    mutating func infer() throws -> ModelMapping {
        let mapping = attempt()
        guard issues.isEmpty else { throw issues.error }
        return mapping
    }

    /// Returns the part of the mapping that can be inferred. The reasons for missing parts are in ``issues``.
    mutating func attempt() -> ModelMapping {
        matchEntities()
        checkHierarchies()
        for number in pairs.keys.sorted() { matchProperties(of: number) }
        settleRelationships()
        for number in pairs.keys.sorted() { checkMissingValues(of: number) }
        return assemble()
    }

    /// Records a reason once, even if several entities inherit the property that it concerns.
    mutating func refuse(_ message: String, entity: String, key: String? = nil) {
        if recorded.insert(message).inserted { issues.add(message, entity: entity, key: key) }
    }

    private mutating func matchEntities() {
        func items(_ side: Side) -> [RenamingMatcher.Item] {
            side.descriptions.map { .init(name: $0.name ?? "", identifier: $0.renamingIdentifier) }
        }
        let matcher = RenamingMatcher(from: items(old), to: items(new)) { _, _ in true }
        for (index, source) in matcher.sources.enumerated() {
            guard let source else { continue }
            pairs[index + 1] = Pair(source: source + 1, destination: index + 1)
            images[source + 1] = index + 1
        }
        for clash in matcher.clashes {
            let names = clash.destinations.map { new.model[$0 + 1].name }
            refuse(
                Self.text(of: clash, "entities", old: clash.sources.map { old.model[$0 + 1].name }, new: names),
                entity: names.first ?? clash.identifier)
        }
    }

    static func text(of clash: RenamingMatcher.Clash, _ kind: String, old: [String], new: [String]) -> String {
        let claimed = old.map { "'\($0)'" }.joined(separator: " and ")
        let claiming = new.map { "'\($0)'" }.joined(separator: " and ")
        if new.count > 1 {
            return "The \(kind) \(claiming) both map to \(claimed) of the old model by the renaming identifier "
                + "'\(clash.identifier)'. Give the new one an identifier of its own."
        }
        return
            "\(claiming) maps to each of the \(kind) \(claimed) of the old model, which have the same renaming identifier "
            + "'\(clash.identifier)'. Give it the name of one of them as its identifier."
    }

    /// Rejects hierarchies that combine the objects of two tables, because each table has separate keys.
    private mutating func checkHierarchies() {
        for root in new.model.entities where root.root == root.number {
            let members = root.family.compactMap { pairs[$0] }.filter { !old.model[$0.source].isAbstract }
            guard let first = members.first,
                let other = members.first(where: {
                    old.model[$0.source].root != old.model[first.source].root
                })
            else { continue }
            let names = [first, other].map { "'\(new.model[$0.destination].name)'" }
            refuse(
                "The entities \(names[0]) and \(names[1]) now belong to one hierarchy, that of '\(root.name)', but had no "
                    + "common ancestor before, so their objects may have the same keys. Keep them separate, or combine the "
                    + "objects in a custom stage.", entity: root.name)
        }
    }

    private func assemble() -> ModelMapping {
        var entities: [ModelMapping.Entity] = []
        for entity in new.model.entities {
            let pair = pairs[entity.number]
            let source = pair.map { old.model[$0.source] }
            entities.append(
                ModelMapping.Entity(
                    source: source?.name, destination: entity.name,
                    attributes: Self.properties(
                        old: Self.stored(source?.attributes), new: Self.stored(entity.attributes),
                        sources: pair?.attributes),
                    relationships: Self.properties(
                        old: Self.stored(source?.relationships), new: Self.stored(entity.relationships),
                        sources: pair?.relationships)))
        }
        for entity in old.model.entities where images[entity.number] == nil {
            entities.append(
                ModelMapping.Entity(
                    source: entity.name, destination: nil,
                    attributes: Self.properties(old: Self.stored(entity.attributes), new: [], sources: nil),
                    relationships: Self.properties(old: Self.stored(entity.relationships), new: [], sources: nil)))
        }
        return ModelMapping(entities: entities)
    }

    private static func stored(_ attributes: [CompiledAttribute]?) -> [String] {
        (attributes ?? []).filter { !$0.isTransient }.map(\.name)
    }

    private static func stored(_ relationships: [CompiledRelationship]?) -> [String] {
        (relationships ?? []).filter { !$0.isTransient }.map(\.name)
    }

    private static func properties(old: [String], new: [String], sources: [String: String]?)
        -> [ModelMapping.Property]
    {
        let kept = Set((sources ?? [:]).values)
        return new.map { ModelMapping.Property(source: sources?[$0], destination: $0) }
            + old.filter { !kept.contains($0) }.map { ModelMapping.Property(source: $0, destination: nil) }
    }
}

extension ModelMapping {
    /// Infers the mapping between two models as in a lightweight migration, by names and renaming identifiers.
    ///
    /// - Throws: A `CoreDataError` with code `NSInferredMappingModelError` that lists every reason why no mapping can
    ///   be inferred, or the issues of a model that is invalid.
    static func inferred(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) throws -> ModelMapping
    {
        var inference = try MappingInference(from: source, to: destination)
        return try inference.infer()
    }
}
