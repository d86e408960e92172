import SwormPredicates

/// Which indexes would serve a condition that has none.
struct IndexSearch {
    let model: CompiledModel
    let entity: CompiledEntity

    /// The sets of attributes any of which would do, the smaller ones first; nil where no index can serve the condition, and
    /// an empty set among them where one is there already.
    func sets(for tree: PredicateTree) -> [Set<PlanFinding.Attribute>]? {
        switch tree {
        case .constant, .not: return nil
        case .and(let parts):
            // One part that has an index is enough: the others are asked of the rows that it leads to.
            let found = parts.compactMap { sets(for: $0) }.flatMap { $0 }
            return found.isEmpty ? nil : Self.distinct(found)
        case .or(let parts):
            // Each of the alternatives needs its own.
            var result: Set<PlanFinding.Attribute> = []
            for part in parts {
                guard let smallest = sets(for: part)?.first else { return nil }
                result.formUnion(smallest)
            }
            return parts.isEmpty ? nil : [result]
        case .comparison(let comparison): return set(for: comparison).map { [$0] }
        }
    }

    /// The smaller ones first; among those of one size the order stays.
    private static func distinct(_ sets: [Set<PlanFinding.Attribute>]) -> [Set<PlanFinding.Attribute>] {
        var result: [Set<PlanFinding.Attribute>] = []
        for set in sets where !result.contains(set) { result.append(set) }
        return result.enumerated().sorted { ($0.element.count, $0.offset) < ($1.element.count, $1.offset) }
            .map(\.element)
    }

    private func set(for comparison: Comparison) -> Set<PlanFinding.Attribute>? {
        guard comparison.options.isEmpty || comparison.options == .normalized else { return nil }
        switch comparison.comparator {
        case .equal, .identical, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in, .beginsWith: break
        case .notEqual, .notIdentical, .contains, .endsWith, .like, .matches: return nil
        }
        let sides = [comparison.left.pathKeys, comparison.right.pathKeys].compactMap { $0 }
        // Two attributes that are compared with each other are in no index together.
        guard sides.count == 1, comparison.comparator != .in || comparison.left.pathKeys != nil else { return nil }
        return attribute(at: sides[0])
    }

    /// The attribute at the end of a path without an index, as a set; an empty one for one that has an index.
    func attribute(at path: [String]) -> Set<PlanFinding.Attribute>? {
        var current = entity
        for (place, key) in path.enumerated() {
            let rest = path[place...].joined(separator: ".")
            // An element of a composite attribute has a name with dots.
            if case .attribute(let slot)? = current.slot(named: rest) {
                let attribute = current.attributes[slot]
                guard !attribute.isTransient else { return nil }
                if isIndexed(attribute.name, of: current) { return [] }
                return [PlanFinding.Attribute(entity: current.name, name: attribute.name)]
            }
            guard case .relationship(let slot)? = current.slot(named: key) else { return nil }
            // The keys of objects are indexed in any case.
            if place == path.count - 1 { return current.relationships[slot].isToMany ? nil : [] }
            current = model[current.relationships[slot].destination]
        }
        return nil
    }

    /// Whether an index of the model begins with an attribute.
    private func isIndexed(_ name: String, of entity: CompiledEntity) -> Bool {
        var current: CompiledEntity? = entity
        while let looked = current {
            for index in looked.indexes where index.predicate == nil {
                if index.kind == .flag ? index.name == name : Self.leads(index.elements, name) { return true }
            }
            if looked.uniquenessConstraints.contains(where: { $0.first == name }) { return true }
            current = looked.superentity.map { model[$0] }
        }
        return false
    }

    private static func leads(_ elements: [CompiledIndex.Element], _ name: String) -> Bool {
        if case .property(name, _)? = elements.first { true } else { false }
    }
}
