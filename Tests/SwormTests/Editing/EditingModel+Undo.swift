/// A step of the model: what an editing context contained before and after it.
struct StudioStep {
    typealias Item = StudioWorld.Item
    typealias Property = StudioWorld.Property

    var name: String
    var before: StudioWorld
    var after: StudioWorld
    /// The properties that others have changed in the store while their values were not saved.
    var overtaken: Set<Property> = []
    /// The links, as pairs of a project and a tag, that others have given items while their deletion was not saved.
    var links: Set<[Int]> = []
    /// The deleted projects to which others have added jobs, so that the order of their jobs is not defined.
    var unordered: Set<Int> = []
    /// The deleted items that others have deleted too, if these cannot be inserted again.
    var lost: Set<Item> = []
    /// The items that others have added to deleted projects, and that were deleted with these.
    var added: Set<Item> = []

    var deleted: Set<Item> { before.items.subtracting(after.items) }
    var inserted: Set<Item> { after.items.subtracting(before.items) }

    /// The items of which the step has changed something.
    var touched: Set<Item> {
        let common = before.items.intersection(after.items).filter {
            before.values(of: $0) != after.values(of: $0) || before.links(of: $0) != after.links(of: $0)
        }
        return deleted.union(inserted).union(common)
    }
}

// The definition of undo.
extension StudioWorld {
    /// Undoes a step, and returns the properties that keep their values.
    mutating func undo(_ step: StudioStep) -> Set<Property> {
        var reversal = StudioReversal(world: self, step: step)
        reversal.run()
        self = reversal.world
        return reversal.conflicts
    }
}

private struct StudioReversal {
    typealias Item = StudioWorld.Item
    typealias Property = StudioWorld.Property

    var world: StudioWorld
    let step: StudioStep
    var conflicts: Set<Property> = []
    private var refused: Set<Property> = []
    private var revived: Set<Item> = []
    private var changed: Set<Item> = []
    private var kept: Set<Item> = []

    init(world: StudioWorld, step: StudioStep) {
        self.world = world
        self.step = step
    }

    mutating func run() {
        findConflicts()
        let old = world
        let holders = changed.flatMap { item in
            ["cover", "project"].compactMap { name -> (Property, Item?)? in
                let property = Property(item: item, name: name)
                guard refused.contains(property), case .item(let held)? = old.value(property) else { return nil }
                return (property, held)
            }
        }
        findKept(holding: Set(holders.compactMap(\.1)))
        restore()
        for (property, held) in holders where world.items.contains(property.item) {
            link(property, to: held.flatMap { world.items.contains($0) ? $0 : nil })
        }
        for item in step.inserted where !kept.contains(item) && world.items.contains(item) { world.delete(item) }
    }

    private func isPresent(_ item: Item) -> Bool { world.items.contains(item) }
    private func willBePresent(_ item: Item) -> Bool { isPresent(item) || revived.contains(item) }

    /// Returns a value without items that do not exist now.
    private func plain(_ value: StudioWorld.Value?) -> StudioWorld.Value? {
        switch value {
        case .item(let item?) where !isPresent(item): .item(nil)
        case .list(let list): .list(list.filter { isPresent(.job($0)) })
        default: value
        }
    }

    private func partner(of link: [Int], _ item: Item) -> Item {
        if case .project = item { .tag(link[1]) } else { .project(link[0]) }
    }

    private func linkName(_ item: Item) -> String { if case .project = item { "tags" } else { "projects" } }

    // MARK: Conflicts

    private mutating func findConflicts() {
        for item in step.deleted {
            guard isPresent(item) || step.lost.contains(item) else {
                revived.insert(item)
                continue
            }
            conflicts.insert(Property(item: item, name: nil))
        }
        for item in revived {
            for (name, value) in step.before.values(of: item) {
                if case .item(let other?) = value, !willBePresent(other), !step.added.contains(other) {
                    conflicts.insert(Property(item: item, name: name))
                }
            }
            findLostLinks(of: item, step.before.links(of: item))
        }
        for item in step.touched.subtracting(step.deleted).subtracting(step.inserted) {
            guard isPresent(item) else {
                conflicts.insert(Property(item: item, name: nil))
                continue
            }
            changed.insert(item)
            for (name, old) in step.before.values(of: item) {
                let property = Property(item: item, name: name)
                guard let new = step.after.value(property), old != new else { continue }
                var isSame = plain(world.value(property)) == plain(new) && !step.overtaken.contains(property)
                if case .item(let other?) = old, !willBePresent(other) { isSame = false }
                if !isSame { refuse(property) }
            }
            findLostLinks(of: item, step.before.links(of: item).subtracting(step.after.links(of: item)))
        }
        while refuseOccupied() {}
    }

    private mutating func findLostLinks(of item: Item, _ links: Set<[Int]>) {
        if links.contains(where: { !willBePresent(partner(of: $0, item)) }) {
            conflicts.insert(Property(item: item, name: linkName(item)))
        }
    }

    private mutating func refuse(_ property: Property) {
        refused.insert(property)
        conflicts.insert(property)
    }

    private func isChangedBack(_ property: Property) -> Bool {
        changed.contains(property.item) && step.before.value(property) != step.after.value(property)
            && !refused.contains(property)
    }

    /// Refuses links of projects and covers whose other end was taken by somebody else.
    private mutating func refuseOccupied() -> Bool {
        for item in changed.union(revived) {
            for name in ["cover", "project"] {
                let property = Property(item: item, name: name)
                if case .job = item { continue }
                let isReversed = revived.contains(item) && !refused.contains(property) || isChangedBack(property)
                guard isReversed, case .item(let other?)? = step.before.value(property), isPresent(other) else {
                    continue
                }
                let back = Property(item: other, name: name == "cover" ? "project" : "cover")
                guard case .item(let occupant?)? = plain(world.value(back)), occupant != item, !isChangedBack(back)
                else { continue }
                refuse(property)
                return true
            }
        }
        return false
    }

    private func partners(of item: Item) -> Set<Item> {
        var partners = Set(world.links(of: item).map { partner(of: $0, item) })
        for value in world.values(of: item).values {
            if case .item(let other?) = value { partners.insert(other) }
            if case .list(let jobs) = value { partners.formUnion(jobs.map(Item.job)) }
        }
        return partners
    }

    private mutating func findKept(holding held: Set<Item>) {
        let candidates = step.inserted.filter(isPresent)
        for item in candidates {
            var names: Set<String> = []
            for (name, new) in step.after.values(of: item) {
                let property = Property(item: item, name: name)
                if plain(world.value(property)) != plain(new) || step.overtaken.contains(property) {
                    names.insert(name)
                }
            }
            let known = step.after.links(of: item).filter { isPresent(partner(of: $0, item)) }
            if world.links(of: item) != known { names.insert(linkName(item)) }
            if !names.isEmpty { kept.insert(item) }
            for name in names { conflicts.insert(Property(item: item, name: name)) }
        }
        while let next = candidates.first(where: { item in
            !kept.contains(item)
                && (held.contains(item) || !partners(of: item).isDisjoint(with: kept)
                    || kept.contains { partners(of: $0).contains(item) })
        }) {
            kept.insert(next)
            conflicts.insert(Property(item: next, name: nil))
        }
    }

    // MARK: Changes

    private mutating func restore() {
        for item in revived { world.revive(item, from: step.before) }
        let all = changed.union(revived)
        for item in all {
            for (name, old) in step.before.values(of: item) {
                let property = Property(item: item, name: name)
                guard isRestored(property) else { continue }
                world.setPlain(property, to: old)
            }
        }
        for item in all {
            for (name, old) in step.before.values(of: item) {
                let property = Property(item: item, name: name)
                guard isRestored(property), case .item(let other) = old else { continue }
                link(property, to: other.flatMap { isPresent($0) ? $0 : nil })
            }
        }
        for item in all {
            let (before, after) = (step.before.links(of: item), step.after.links(of: item))
            for link in before.subtracting(after) where isPresent(.project(link[0])) && isPresent(.tag(link[1])) {
                world.projects[link[0]]?.tags.insert(link[1])
            }
            for link in after.subtracting(before) { world.projects[link[0]]?.tags.remove(link[1]) }
        }
        for link in step.links where isPresent(.project(link[0])) && isPresent(.tag(link[1])) {
            world.projects[link[0]]?.tags.insert(link[1])
        }
        for case .project(let number) in all {
            let property = Property(item: .project(number), name: "jobs")
            guard isRestored(property), let current = world.projects[number]?.jobs,
                case .list(let old)? = step.before.value(property)
            else { continue }
            world.projects[number]?.jobs = old.filter(current.contains) + current.filter { !old.contains($0) }
        }
    }

    private func isRestored(_ property: Property) -> Bool {
        revived.contains(property.item) && !refused.contains(property) || isChangedBack(property)
    }

    private mutating func link(_ property: Property, to other: Item?) {
        switch (property.item, other) {
        case (.job(let job), .project(let project)?): world.assign(job, to: project)
        case (.job(let job), nil): world.assign(job, to: nil)
        case (.cover(let cover), .project(let project)?): world.dress(cover, project)
        case (.cover(let cover), nil): world.dress(cover, nil)
        case (.project(let project), .cover(let cover)?): world.dress(cover, project)
        case (.project(let project), nil):
            if let cover = world.cover(of: project) { world.dress(cover, nil) }
        default: break
        }
    }
}
