import SwormPredicates

/// A search for indexes that would serve a condition that has none.
struct IndexSearch {
    let model: CompiledModel
    let entity: CompiledEntity
    /// Whether the store is on a server, which can have indexes of folded strings.
    var isOnServer = false

    /// Returns the sets of attributes, smaller ones first, any of which would serve the condition if it were indexed.
    ///
    /// Returns nil if no index can serve the condition. An empty set means that an index already exists.
    func sets(for tree: PredicateTree) -> [Set<PlanFinding.Attribute>]? {
        switch tree {
        case .constant, .not: return nil
        case .and(let parts):
            // One part with an index is sufficient: the other parts are tested on the rows that the index finds.
            let found = parts.compactMap { sets(for: $0) }.flatMap { $0 }
            return found.isEmpty ? nil : Self.distinct(found)
        case .or(let parts):
            // Each alternative needs its own index.
            var result: Set<PlanFinding.Attribute> = []
            for part in parts {
                guard let smallest = sets(for: part)?.first else { return nil }
                result.formUnion(smallest)
            }
            return parts.isEmpty ? nil : [result]
        case .comparison(let comparison): return set(for: comparison).map { [$0] }
        }
    }

    /// Returns the distinct sets, smaller ones first. Sets of the same size keep their order.
    private static func distinct(_ sets: [Set<PlanFinding.Attribute>]) -> [Set<PlanFinding.Attribute>] {
        var result: [Set<PlanFinding.Attribute>] = []
        for set in sets where !result.contains(set) { result.append(set) }
        return result.enumerated().sorted { ($0.element.count, $0.offset) < ($1.element.count, $1.offset) }
            .map(\.element)
    }

    private func set(for comparison: Comparison) -> Set<PlanFinding.Attribute>? {
        let isPlain = comparison.options.isEmpty || comparison.options == .normalized
        let isFolded = isOnServer && comparison.options.isSubset(of: .canonical)
        guard isPlain || isFolded else { return nil }
        switch comparison.comparator {
        case .equal, .identical, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in, .beginsWith: break
        case .notEqual, .notIdentical, .contains, .endsWith, .like, .matches: return nil
        }
        let sides = [comparison.left.pathKeys, comparison.right.pathKeys].compactMap { $0 }
        // No single index serves a comparison of two attributes with each other.
        guard sides.count == 1, comparison.comparator != .in || comparison.left.pathKeys != nil else { return nil }
        return attribute(at: sides[0], isFolded: !isPlain)
    }

    /// Returns a set of the attribute at the end of a path, or an empty set if the attribute has an index.
    ///
    /// - Parameter isFolded: Whether the index is one of folded strings.
    func attribute(at path: [String], isFolded: Bool = false) -> Set<PlanFinding.Attribute>? {
        var current = entity
        for (place, key) in path.enumerated() {
            let rest = path[place...].joined(separator: ".")
            // An element of a composite attribute has a name with dots.
            if case .attribute(let slot)? = current.slot(named: rest) {
                let attribute = current.attributes[slot]
                guard !attribute.isTransient else { return nil }
                guard !isFolded else {
                    if attribute.serverTraits.contains(.foldedIndex) { return [] }
                    // Tables can declare such an index of strings only.
                    guard attribute.type == .string else { return nil }
                    return [PlanFinding.Attribute(entity: current.name, name: attribute.name, isFolded: true)]
                }
                if isIndexed(attribute.name, of: current) { return [] }
                return [PlanFinding.Attribute(entity: current.name, name: attribute.name)]
            }
            if let cast = EntityCast(key), let target = model.entity(named: cast.entity),
                current.slot(named: key) == nil
            {
                current = target
                continue
            }
            guard case .relationship(let slot)? = current.slot(named: key) else { return nil }
            // The keys of objects are always indexed.
            if place == path.count - 1 { return current.relationships[slot].isToMany ? nil : [] }
            current = model[current.relationships[slot].destination]
        }
        return nil
    }

    /// Returns whether an index of the model starts with an attribute.
    private func isIndexed(_ name: String, of entity: CompiledEntity) -> Bool {
        var current: CompiledEntity? = entity
        while let looked = current {
            for index in looked.indexes where index.predicate == nil {
                if index.kind == .flag ? index.name == name : Self.leads(index.elements, with: name) { return true }
            }
            if looked.uniquenessConstraints.contains(where: { $0.first == name }) { return true }
            current = looked.superentity.map { model[$0] }
        }
        return false
    }

    private static func leads(_ elements: [CompiledIndex.Element], with name: String) -> Bool {
        if case .property(name, _)? = elements.first { true } else { false }
    }
}
