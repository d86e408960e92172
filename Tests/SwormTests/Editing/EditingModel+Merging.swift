/// What the merge of a commit has done to a model.
struct StudioMerge {
    var overtaken: Set<StudioWorld.Property> = []
    /// Items that unsaved deletions of projects have deleted in addition, with the values that they had.
    var cascades: [(project: Int, item: StudioWorld.Item, world: StudioWorld)] = []
    /// Projects whose lists of jobs were changed on both sides, so that their order is not defined.
    var unordered: Set<Int> = []
}

// The definition of a merge.
extension StudioWorld {
    /// The links of projects with tags, as pairs.
    var links: Set<[Int]> { Set(projects.flatMap { project, value in value.tags.map { [project, $0] } }) }

    /// Merges what somebody else has changed in the store. Properties with unsaved changes keep their values.
    mutating func merge(from old: StudioWorld, to new: StudioWorld) -> StudioMerge {
        var merge = StudioMerge()
        let unsaved = self
        for item in old.items.subtracting(new.items) where items.contains(item) { remove(item) }
        let added = new.items.subtracting(old.items)
        for item in added { revive(item, from: new) }
        for item in new.items where items.contains(item) && !added.contains(item) {
            let (before, after) = (old.values(of: item), new.values(of: item))
            for (name, value) in after where value != before[name] {
                let property = Property(item: item, name: name)
                guard unsaved.value(property) == before[name] else {
                    merge.overtaken.insert(property)
                    continue
                }
                setPlain(property, to: value)
            }
        }
        mergeLinks(from: old, to: new, added, unsaved, &merge)
        for case .project(let number) in items {
            let (before, after) = (old.projects[number]?.jobs ?? [], new.projects[number]?.jobs ?? [])
            guard let mine = projects[number]?.jobs else { continue }
            if unsaved.projects[number]?.jobs == before, Set(mine) == Set(after) {
                projects[number]?.jobs = after
            } else if before != after {
                merge.unordered.insert(number)
            }
        }
        return merge
    }

    private mutating func mergeLinks(
        from old: StudioWorld, to new: StudioWorld, _ added: Set<Item>, _ unsaved: StudioWorld,
        _ merge: inout StudioMerge
    ) {
        for (job, value) in new.jobs where jobs[job] != nil {
            guard added.contains(.job(job)) || old.jobs[job]?.project != value.project else { continue }
            guard added.contains(.job(job)) || unsaved.jobs[job]?.project == old.jobs[job]?.project else { continue }
            place(.job(job), in: value.project, &merge) { $0.assign(job, to: $1) }
        }
        var taken: [(Int, Int?)] = []
        for (cover, value) in new.covers where covers[cover] != nil {
            guard added.contains(.cover(cover)) || old.covers[cover]?.project != value.project else { continue }
            let isClean = unsaved.covers[cover]?.project == old.covers[cover]?.project
            guard added.contains(.cover(cover)) || isClean else { continue }
            // A project with an unsaved change of its cover keeps that.
            let isFree =
                value.project.map { projects[$0] == nil || unsaved.cover(of: $0) == old.cover(of: $0) } ?? true
            covers[cover]?.project = nil
            taken.append((cover, isFree ? value.project : nil))
        }
        for (cover, project) in taken { place(.cover(cover), in: project, &merge) { $0.dress(cover, $1) } }
        for (project, value) in new.projects where projects[project] != nil {
            let before = old.projects[project]?.tags ?? []
            for tag in value.tags.subtracting(before) where tags[tag] != nil { projects[project]?.tags.insert(tag) }
            for tag in before.subtracting(value.tags) { projects[project]?.tags.remove(tag) }
        }
    }

    /// Places an item in a project. If the project has an unsaved deletion, that deletes the item too.
    private mutating func place(
        _ item: Item, in project: Int?, _ merge: inout StudioMerge, _ body: (inout StudioWorld, Int?) -> Void
    ) {
        guard let project, projects[project] == nil else { return body(&self, project) }
        merge.cascades.append((project, item, self))
        remove(item)
    }

    /// Removes an item and its links, without delete rules.
    mutating func remove(_ item: Item) {
        switch item {
        case .project(let number):
            for job in jobs.keys where jobs[job]?.project == number { jobs[job]?.project = nil }
            for cover in covers.keys where covers[cover]?.project == number { covers[cover]?.project = nil }
            projects[number] = nil
        case .job(let number):
            if let project = jobs[number]?.project { projects[project]?.jobs.removeAll { $0 == number } }
            jobs[number] = nil
        case .cover(let number): covers[number] = nil
        case .tag(let number):
            tags[number] = nil
            for project in projects.keys { projects[project]?.tags.remove(number) }
        }
    }
}
