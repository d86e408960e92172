extension MigrationPlanner {
    /// The trees of the source's entities.
    private var trees: [LocationTree] {
        var trees: [LocationTree] = source.objects.compactMap { object in
            guard object.kind == .table, object.name.hasPrefix("Z_RT_"), let sql = object.sql?.uppercased(),
                sql.hasPrefix("CREATE VIRTUAL TABLE"), sql.contains(" USING RTREE")
            else { return nil }
            let owners = map.source.entities.filter { object.name.hasPrefix("Z_RT_\($0.name)_") }
            return owners.max { $0.name.count < $1.name.count }.map { .init(name: object.name, entity: $0.number) }
        }
        // The name of one tree may be a prefix of another's.
        for trigger in source.objects where trigger.kind == .trigger {
            let owners = trees.indices.filter { trigger.name.hasPrefix(trees[$0].name + "_") }
            guard let owner = owners.max(by: { trees[$0].name.count < trees[$1].name.count }) else { continue }
            trees[owner].triggers.insert(trigger.name)
        }
        return trees
    }

    /// The trees that the new model requires as well, and whose objects retain their keys.
    var lastingTrees: [LocationTree] {
        trees.filter { tree in
            guard neededTrees.contains(tree.name),
                let pair = map.pairs.first(where: { $0.source.number == tree.entity })
            else { return false }
            return pair.source.name == pair.destination.name
                && offsets.offset(from: pair.source.root, into: pair.destination.root) == 0
        }
    }

    var goingTrees: [LocationTree] {
        let lasting = Set(lastingTrees)
        return trees.filter { !lasting.contains($0) }
    }

    func removeTrees() -> [MigrationStatement] {
        goingTrees.map { MigrationStatement("DROP TABLE \(SQLName.alwaysQuoted($0.name))") }
    }

    /// Removes the entries of objects that were deleted while no trigger was present.
    func cleanTrees() -> [MigrationStatement] {
        lastingTrees.compactMap { tree in
            map.pairs.first { $0.source.number == tree.entity }.map { pair in
                MigrationStatement(
                    "DELETE FROM \(SQLName.alwaysQuoted(tree.name)) WHERE Z_PK NOT IN (SELECT Z_PK FROM \(SQLName.quoted(layout.table(of: pair.destination))))"
                )
            }
        }
    }
}
