/// A mapping between two models, by numbers and slots, of rows and their properties.
struct MigrationMap {
    /// An entity of the source and the entity that its rows are moved to.
    struct Pair {
        let source: CompiledEntity
        let destination: CompiledEntity
        /// By attribute slot of the destination: the slot in the source, or nil for an attribute that has no value yet.
        let attributes: [Int?]
        /// By relationship slot of the destination: the slot in the source, or nil for a new relationship.
        let relationships: [Int?]
    }

    let source: CompiledModel
    let destination: CompiledModel
    /// The pairs, in the order of the source's numbers.
    let pairs: [Pair]
    private let numbers: [Int: Int]

    /// Creates a map from a mapping by names.
    ///
    /// - Throws: ``CoreDataError`` if the mapping names something that its models do not have, or maps the rows of one
    ///   entity to two entities.
    init(_ mapping: ModelMapping, from source: CompiledModel, to destination: CompiledModel) throws {
        self.source = source
        self.destination = destination
        var pairs: [Int: Pair] = [:]
        for entry in mapping.entities {
            guard let sourceName = entry.source, let destinationName = entry.destination else { continue }
            guard let old = source.entity(named: sourceName), let new = destination.entity(named: destinationName)
            else {
                throw Self.issue(
                    "'\(sourceName)' cannot be mapped to '\(destinationName)': one of the models has no such entity")
            }
            guard pairs[old.number] == nil else {
                throw Self.issue("'\(sourceName)' cannot be mapped to several entities")
            }
            pairs[old.number] = Pair(
                source: old, destination: new,
                attributes: try Self.slots(
                    entry.attributes, names: new.attributes.map(\.name), of: new, from: old
                ) { if case .attribute(let slot)? = old.slot(named: $0) { slot } else { nil } },
                relationships: try Self.slots(
                    entry.relationships, names: new.relationships.map(\.name), of: new, from: old
                ) { if case .relationship(let slot)? = old.slot(named: $0) { slot } else { nil } })
        }
        self.pairs = pairs.sorted { $0.key < $1.key }.map(\.value)
        numbers = pairs.mapValues(\.destination.number)
    }

    private static func slots(
        _ properties: [ModelMapping.Property], names: [String], of new: CompiledEntity, from old: CompiledEntity,
        _ find: (String) -> Int?
    ) throws -> [Int?] {
        var sources: [String: String] = [:]
        for property in properties {
            if let destination = property.destination, let source = property.source { sources[destination] = source }
        }
        return try names.map { name in
            guard let source = sources[name] else { return nil }
            guard let slot = find(source) else {
                throw issue("'\(new.name).\(name)' cannot be mapped from '\(old.name).\(source)', which does not exist")
            }
            return slot
        }
    }

    private static func issue(_ what: String) -> CoreDataError {
        CoreDataError(NSMigrationError, "The mapping does not fit the models: \(what).")
    }

    /// Returns the number of the entity that the rows of a source entity are moved to; nil for rows that are deleted.
    func destination(of number: Int) -> Int? { numbers[number] }

    /// Returns the pairs whose rows are stored in the table of a root of the destination.
    func pairs(into root: Int) -> [Pair] { pairs.filter { $0.destination.root == root } }

    /// Returns the pairs whose rows are stored in the table of a root of the source.
    func pairs(outOf root: Int) -> [Pair] { pairs.filter { $0.source.root == root } }

    /// Returns the pairs whose rows are moved to an entity or its descendants.
    func pairs(intoFamily entity: CompiledEntity) -> [Pair] {
        pairs.filter { entity.family.contains($0.destination.number) }
    }

    /// Returns whether every row of a family of the source is moved to a family of the destination.
    func moves(_ family: ClosedRange<Int>, into other: ClosedRange<Int>) -> Bool {
        family.allSatisfy { number in
            source[number].isAbstract || destination(of: number).map { other.contains($0) } ?? false
        }
    }
}
