import Sworm
import TestSupport
import Testing

// Random changes, and what they do to handles.
extension EditingRandomRun {
    func change(in world: World, isMine: Bool) -> World.Change? {
        func project() -> Int? { random.pick(world.projects.keys.sorted()) }
        func job() -> Int? { random.pick(world.jobs.keys.sorted()) }
        func cover() -> Int? { random.pick(world.covers.keys.sorted()) }
        func tag() -> Int? { random.pick(world.tags.keys.sorted()) }
        lastNumber += 1
        switch random.pick(22) {
        case 0: return world.projects.count < 6 ? .insertProject(lastNumber, "p") : nil
        case 1, 2: return world.jobs.count < 14 ? .insertJob(lastNumber, project: project()) : nil
        case 3: return world.covers.count < 5 ? .insertCover(lastNumber, project: project()) : nil
        case 4: return world.tags.count < 4 ? .insertTag(lastNumber) : nil
        case 5, 6: return project().map { .rename(project: $0, "name \(random.pick(4))") }
        case 7:
            let budget = isMine && random.chance(15) ? 101 : random.pick(5)
            return project().map { .spend($0, budget) }
        case 8: return job().map { .title(job: $0, "title \(random.pick(4))") }
        case 9: return cover().map { .paint(cover: $0, "color \(random.pick(4))") }
        case 10, 11, 12:
            let target = random.chance(20) ? nil : project()
            return job().map { .assign(job: $0, project: target) }
        case 13, 14:
            let target = random.chance(20) ? nil : project()
            return cover().map { .dress(cover: $0, project: target) }
        case 15, 16: return project().flatMap { project in tag().map { .link(project, tag: $0) } }
        case 17: return project().flatMap { project in tag().map { .unlink(project, tag: $0) } }
        case 18, 19:
            guard let project = project(), let count = world.projects[project]?.jobs.count, count > 1 else {
                return nil
            }
            return .move(project, from: random.pick(count), to: random.pick(count))
        case 20:
            if random.chance(40) { return project().map { .deleteProject($0) } }
            return job().map { .deleteJob($0) }
        default: return random.chance(60) ? cover().map { .deleteCover($0) } : tag().map { .deleteTag($0) }
        }
    }

    func apply(_ change: World.Change, in context: ManagedObjectContext) throws {
        func project(_ number: Int) throws -> ManagedObject<Studio.Project> {
            note(try #require(try context.fetchOne(Studio.Project.all.where { $0.number == number })), .project(number))
        }
        func job(_ number: Int) throws -> ManagedObject<Studio.Job> {
            note(try #require(try context.fetchOne(Studio.Job.all.where { $0.number == number })), .job(number))
        }
        func cover(_ number: Int) throws -> ManagedObject<Studio.Cover> {
            note(try #require(try context.fetchOne(Studio.Cover.all.where { $0.number == number })), .cover(number))
        }
        func tag(_ number: Int) throws -> ManagedObject<Studio.Tag> {
            note(try #require(try context.fetchOne(Studio.Tag.all.where { $0.number == number })), .tag(number))
        }
        switch change {
        case .insertProject(let number, let name): try context.insert(Studio.Project(number: number, name: name))
        case .insertJob(let number, let owner):
            let job = try context.insert(Studio.Job(number: number))
            job.project = try owner.map(project)
        case .insertCover(let number, let owner):
            let cover = try context.insert(Studio.Cover(number: number))
            cover.project = try owner.map(project)
        case .insertTag(let number): try context.insert(Studio.Tag(number: number, word: "tag"))
        case .rename(let number, let name): try project(number).encode(\.name, name)
        case .spend(let number, let budget): try project(number).encode(\.budget, budget)
        case .title(let number, let title): try job(number).encode(\.title, title)
        case .paint(let number, let color): try cover(number).encode(\.color, color)
        case .assign(let number, let owner): try job(number).project = owner.map(project)
        case .dress(let number, let owner): try cover(number).project = owner.map(project)
        case .link(let number, let word): try project(number).tags.add(tag(word))
        case .unlink(let number, let word): try project(number).tags.remove(tag(word))
        case .move(let number, let source, let destination):
            try project(number).jobs.move(from: source, to: destination)
        case .deleteProject(let number): try context.delete(project(number))
        case .deleteJob(let number): try context.delete(job(number))
        case .deleteCover(let number): try context.delete(cover(number))
        case .deleteTag(let number): try context.delete(tag(number))
        }
    }
}
