/// What an editing context contains, as plain values, and the definition of its edits.
struct StudioWorld: Equatable {
    struct Project: Equatable {
        var name = ""
        var budget = 0
        var jobs: [Int] = []
        var tags: Set<Int> = []
    }
    struct Job: Equatable {
        var title = ""
        var project: Int?
    }
    struct Cover: Equatable {
        var color = ""
        var project: Int?
    }

    var projects: [Int: Project] = [:]
    var jobs: [Int: Job] = [:]
    var covers: [Int: Cover] = [:]
    var tags: [Int: String] = [:]

    enum Change: Hashable {
        case insertProject(Int, String), insertJob(Int, project: Int?), insertCover(Int, project: Int?), insertTag(Int)
        case rename(project: Int, String), spend(Int, Int), title(job: Int, String), paint(cover: Int, String)
        case assign(job: Int, project: Int?), dress(cover: Int, project: Int?)
        case link(Int, tag: Int), unlink(Int, tag: Int), move(Int, from: Int, to: Int)
        case deleteProject(Int), deleteJob(Int), deleteCover(Int), deleteTag(Int)
    }

    mutating func apply(_ change: Change) {
        switch change {
        case .insertProject(let number, let name): projects[number] = Project(name: name)
        case .insertJob(let number, let project):
            jobs[number] = Job()
            assign(number, to: project)
        case .insertCover(let number, let project):
            covers[number] = Cover()
            dress(number, project)
        case .insertTag(let number): tags[number] = "tag"
        case .rename(let number, let name): projects[number]?.name = name
        case .spend(let number, let budget): projects[number]?.budget = budget
        case .title(let job, let title): jobs[job]?.title = title
        case .paint(let cover, let color): covers[cover]?.color = color
        case .assign(let job, let project): assign(job, to: project)
        case .dress(let cover, let project): dress(cover, project)
        case .link(let project, let tag): projects[project]?.tags.insert(tag)
        case .unlink(let project, let tag): projects[project]?.tags.remove(tag)
        case .move(let project, let source, let destination):
            guard let moved = projects[project]?.jobs.remove(at: source) else { return }
            projects[project]?.jobs.insert(moved, at: destination)
        case .deleteProject(let number):
            for job in projects[number]?.jobs ?? [] { jobs[job] = nil }
            for (cover, value) in covers where value.project == number { covers[cover] = nil }
            projects[number] = nil
        case .deleteJob(let number):
            assign(number, to: nil)
            jobs[number] = nil
        case .deleteCover(let number): covers[number] = nil
        case .deleteTag(let number):
            tags[number] = nil
            for project in projects.keys { projects[project]?.tags.remove(number) }
        }
    }

    mutating func assign(_ job: Int, to project: Int?) {
        let old = jobs[job]?.project
        guard old != project else { return }
        if let old { projects[old]?.jobs.removeAll { $0 == job } }
        jobs[job]?.project = project
        if let project { projects[project]?.jobs.append(job) }
    }

    mutating func dress(_ cover: Int, _ project: Int?) {
        if let project, covers[cover]?.project != project {
            for (other, value) in covers where value.project == project { covers[other]?.project = nil }
        }
        covers[cover]?.project = project
    }

    func cover(of project: Int) -> Int? { covers.first { $0.value.project == project }?.key }
}

// Properties one by one.
extension StudioWorld {
    enum Item: Hashable, CustomStringConvertible {
        case project(Int), job(Int), cover(Int), tag(Int)

        var description: String {
            switch self {
            case .project(let number): "Project \(number)"
            case .job(let number): "Job \(number)"
            case .cover(let number): "Cover \(number)"
            case .tag(let number): "Tag \(number)"
            }
        }
    }

    struct Property: Hashable, CustomStringConvertible {
        var item: Item
        /// The name in the model; nil for the item as a whole.
        var name: String?
        var description: String { "\(item).\(name ?? "*")" }
    }

    enum Value: Equatable {
        case text(String), number(Int), item(Item?), list([Int])
    }

    var items: Set<Item> {
        Set(projects.keys.map(Item.project) + jobs.keys.map(Item.job) + covers.keys.map(Item.cover))
            .union(tags.keys.map(Item.tag))
    }

    /// The properties of an item that have one value each.
    func values(of item: Item) -> [String: Value] {
        switch item {
        case .project(let number):
            guard let project = projects[number] else { return [:] }
            return [
                "name": .text(project.name), "budget": .number(project.budget), "jobs": .list(project.jobs),
                "cover": .item(cover(of: number).map(Item.cover)),
            ]
        case .job(let number):
            guard let job = jobs[number] else { return [:] }
            return ["title": .text(job.title), "project": .item(job.project.map(Item.project))]
        case .cover(let number):
            guard let cover = covers[number] else { return [:] }
            return ["color": .text(cover.color), "project": .item(cover.project.map(Item.project))]
        case .tag(let number): return tags[number].map { ["word": .text($0)] } ?? [:]
        }
    }

    func value(_ property: Property) -> Value? { property.name.flatMap { values(of: property.item)[$0] } }

    /// The links of an item with tags, from either side, as pairs of a project and a tag.
    func links(of item: Item) -> Set<[Int]> {
        switch item {
        case .project(let number): Set((projects[number]?.tags ?? []).map { [number, $0] })
        case .tag(let number): Set(projects.filter { $0.value.tags.contains(number) }.map { [$0.key, number] })
        case .job, .cover: []
        }
    }

    /// Sets a property of a value, without its inverse.
    mutating func setPlain(_ property: Property, to value: Value) {
        switch (property.item, property.name, value) {
        case (.project(let number), "name", .text(let text)): projects[number]?.name = text
        case (.project(let number), "budget", .number(let value)): projects[number]?.budget = value
        case (.job(let number), "title", .text(let text)): jobs[number]?.title = text
        case (.cover(let number), "color", .text(let text)): covers[number]?.color = text
        case (.tag(let number), "word", .text(let text)): tags[number] = text
        default: break
        }
    }

    /// Adds an item without links.
    mutating func revive(_ item: Item, from world: StudioWorld) {
        switch item {
        case .project(let number):
            projects[number] = world.projects[number]
            projects[number]?.jobs = []
            projects[number]?.tags = []
        case .job(let number): jobs[number] = Job(title: world.jobs[number]?.title ?? "", project: nil)
        case .cover(let number): covers[number] = Cover(color: world.covers[number]?.color ?? "", project: nil)
        case .tag(let number): tags[number] = world.tags[number]
        }
    }

    mutating func delete(_ item: Item) {
        switch item {
        case .project(let number): apply(.deleteProject(number))
        case .job(let number): apply(.deleteJob(number))
        case .cover(let number): apply(.deleteCover(number))
        case .tag(let number): apply(.deleteTag(number))
        }
    }
}
