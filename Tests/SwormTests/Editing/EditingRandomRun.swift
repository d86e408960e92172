@testable import Sworm
import SwormTools
import TestSupport
import Testing

/// Random edits, undos, redos, saves, rollbacks and commits of others.
@MainActor
final class EditingRandomRun {
    typealias World = StudioWorld
    private struct Failure: Swift.Error {}

    private let seed: UInt64
    private let test: TestStore
    private let editor: EditingContext
    var random: SeededRandom
    private var log: [String] = []
    private(set) var isRight = true
    private(set) var counts: [String: Int] = [:]
    private var store: PersistentContainer { test.container }

    /// What the store contains, and what the editing context contains.
    private var stored = World()
    private var mine = World()
    private var undos: [StudioStep] = []
    private var redos: [StudioStep] = []
    var lastNumber = 0

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        test = try Studio.store(in: .file)
        editor = try EditingContext(test.container, autosave: .never)
        for _ in 0..<16 { try commit(count: 2) }
    }

    /// Does one random step, and compares the context with the model.
    func step() {
        do { try takeStep() } catch { fail("\(error)") }
    }

    private func takeStep() throws {
        let kind = random.pick(20)
        switch kind {
        case 0..<8: try edit()
        case 8..<12: try reverse(isUndo: true)
        case 12..<14: try reverse(isUndo: false)
        case 14..<17: try commit(count: 1 + random.pick(2))
        case 17: if random.chance(25) { rollback() }
        case 18: try failingEdit()
        default: try save()
        }
        try check()
    }

    func end() throws {
        for project in mine.projects.keys.sorted() where mine.projects[project]?.budget ?? 0 > 100 {
            try editor.edit("repair") { try self.apply(.spend(project, 1), in: $0) }
            mine.apply(.spend(project, 1))
        }
        editor.removeAllSteps()
        (undos, redos) = ([], [])
        try save()
        try check()
        let found = try store.perform { try self.content($0) }
        if found != mine { fail("the store has \(found), and should have \(mine)") }
        try test.verify()
    }

    // MARK: Steps

    private func count(_ name: String) { counts[name, default: 0] += 1 }

    private func edit() throws {
        var after = mine
        var changes: [World.Change] = []
        for _ in 0...random.pick(3) {
            guard let change = change(in: after, isMine: true) else { continue }
            changes.append(change)
            after.apply(change)
        }
        let name = "step \(log.count)"
        log.append("edit \(changes)")
        count("edits")
        try editor.edit(name) { context in for change in changes { try self.apply(change, in: context) } }
        let step = StudioStep(name: name, before: mine, after: after)
        mine = after
        guard !step.touched.isEmpty else { return }
        undos.append(step)
        if undos.count > editor.undoLevels { undos.removeFirst() }
        redos = []
    }

    private func failingEdit() throws {
        var changes: [World.Change] = []
        defer { log.append("failing edit \(changes)") }
        count("failed edits")
        do {
            try editor.edit("failing") { context in
                var world = self.mine
                for _ in 0...2 {
                    guard let change = self.change(in: world, isMine: true) else { continue }
                    changes.append(change)
                    try self.apply(change, in: context)
                    world.apply(change)
                }
                throw Failure()
            }
        } catch is Failure {}
    }

    private func reverse(isUndo: Bool) throws {
        guard let step = isUndo ? undos.popLast() : redos.popLast() else {
            if isUndo ? editor.undo() : editor.redo() { fail("something was reversed") }
            return
        }
        log.append("\(isUndo ? "undo" : "redo") \(step.name)")
        count(isUndo ? "undos" : "redos")
        let before = mine
        let expected = mine.undo(step)
        if !(isUndo ? editor.undo() : editor.redo()) { return fail("nothing was reversed") }
        let found = Set(try editor.undoConflicts.map { try property($0) })
        if !found.isEmpty { count("conflicts") }
        if found != expected { fail("conflicts \(found.map(\.description)), expected \(expected.map(\.description))") }
        // The order of a list that somebody else has changed as well is not defined.
        try adoptOrder(
            of: Set(
                expected.compactMap { property in
                    if property.name == "jobs", case .project(let number) = property.item { number } else { nil }
                }
            ).union(step.unordered))
        let opposite = StudioStep(name: step.name, before: before, after: mine)
        guard !opposite.touched.isEmpty else { return }
        if isUndo { redos.append(opposite) } else { undos.append(opposite) }
    }

    private func save() throws {
        let isValid = mine.projects.values.allSatisfy { (0...100).contains($0.budget) }
        log.append("save, \(isValid ? "valid" : "not valid")")
        count(isValid ? "saves" : "failing saves")
        do {
            try editor.save()
            if !isValid { fail("a value that is not valid was saved") }
        } catch StoreError.Code.validation where !isValid {
            if editor.saveError == nil { fail("no error") }
            return
        }
        let deleted = stored.items.subtracting(mine.items)
        stored = mine
        for index in undos.indices { undos[index].links = [] }
        for index in redos.indices { redos[index].links = [] }
        guard !NSManagedObjectContext.revivesSavedDeletions else { return }
        func forget(_ steps: inout [StudioStep]) {
            if let last = steps.lastIndex(where: { !$0.deleted.isDisjoint(with: deleted) }) {
                steps.removeFirst(last + 1)
            }
        }
        forget(&undos)
        forget(&redos)
    }

    private func rollback() {
        log.append("rollback")
        count("rollbacks")
        editor.rollback()
        (mine, undos, redos) = (stored, [], [])
    }

    /// Commits changes of somebody else.
    private func commit(count: Int) throws {
        let old = stored
        var changes: [World.Change] = []
        for _ in 0..<count {
            guard let change = change(in: stored, isMine: false) else { continue }
            changes.append(change)
            stored.apply(change)
        }
        log.append("commit \(changes)")
        self.count("commits of others")
        try store.perform { context in for change in changes { try self.apply(change, in: context) } }
        try noteInserted(changes)
        let merge = mine.merge(from: old, to: stored)
        for index in undos.indices { note(merge.overtaken, in: &undos[index]) }
        for index in redos.indices { note(merge.overtaken, in: &redos[index]) }
        for (project, item, world) in merge.cascades {
            if let index = undos.lastIndex(where: { $0.deleted.contains(.project(project)) }) {
                add(item, of: project, world, to: &undos[index])
            } else if let index = redos.lastIndex(where: { $0.deleted.contains(.project(project)) }) {
                add(item, of: project, world, to: &redos[index])
            }
        }
        if !NSManagedObjectContext.revivesSavedDeletions {
            let lost = old.items.subtracting(stored.items)
            for index in undos.indices { undos[index].lost.formUnion(lost.intersection(undos[index].deleted)) }
            for index in redos.indices { redos[index].lost.formUnion(lost.intersection(redos[index].deleted)) }
        }
        noteRenewed(from: old)
        noteLinks(added: stored.links.subtracting(old.links), removed: old.links.subtracting(stored.links))
        try adoptOrder(of: merge.unordered)
    }

    /// Notes the attributes that others have changed while the deletion of their items was not saved: undoing the deletion
    /// keeps the new values.
    private func noteRenewed(from old: World) {
        for item in old.items.intersection(stored.items).subtracting(mine.items) {
            for (name, value) in stored.values(of: item) {
                let property = World.Property(item: item, name: name)
                guard let before = old.value(property), before != value else { continue }
                func note(_ step: inout StudioStep) {
                    if step.before.value(property) == before { step.before.setPlain(property, to: value) }
                }
                if let index = undos.lastIndex(where: { $0.deleted.contains(item) }) {
                    note(&undos[index])
                } else if let index = redos.lastIndex(where: { $0.deleted.contains(item) }) {
                    note(&redos[index])
                }
            }
        }
    }

    /// Notes the ids of items of somebody else, which the unsaved deletion of their project may hide from the editor.
    private func noteInserted(_ changes: [World.Change]) throws {
        try store.perform { context in
            for change in changes {
                switch change {
                case .insertJob(let number, _):
                    let job = try context.fetchOne(Studio.Job.all.where { $0.number == number })
                    if let job { _ = self.note(job, .job(number)) }
                case .insertCover(let number, _):
                    let cover = try context.fetchOne(Studio.Cover.all.where { $0.number == number })
                    if let cover { _ = self.note(cover, .cover(number)) }
                default: break
                }
            }
        }
    }

    /// Notes the links that others have given to items with an unsaved deletion: undoing the deletion keeps them.
    private func noteLinks(added: Set<[Int]>, removed: Set<[Int]>) {
        for index in undos.indices { undos[index].links.subtract(removed) }
        for index in redos.indices { redos[index].links.subtract(removed) }
        for link in added {
            let deleted = [World.Item.project(link[0]), .tag(link[1])].filter { !mine.items.contains($0) }
            // A link between two deleted objects is deleted with them.
            for item in deleted where deleted.count == 1 {
                if let index = undos.lastIndex(where: { $0.deleted.contains(item) }) {
                    undos[index].links.insert(link)
                } else if let index = redos.lastIndex(where: { $0.deleted.contains(item) }) {
                    redos[index].links.insert(link)
                }
            }
        }
    }

    private func note(_ overtaken: Set<World.Property>, in step: inout StudioStep) {
        let touched = step.touched
        step.overtaken.formUnion(overtaken.filter { touched.contains($0.item) })
    }

    private func add(_ item: World.Item, of project: Int, _ world: World, to step: inout StudioStep) {
        guard !step.touched.contains(item) else { return }
        step.added.insert(item)
        switch item {
        case .job(let number):
            step.before.jobs[number] = World.Job(title: world.jobs[number]?.title ?? "", project: project)
            step.after.jobs[number] = nil
            step.unordered.insert(project)
        case .cover(let number):
            let isTaken = step.before.cover(of: project) != nil
            step.before.covers[number] = World.Cover(
                color: world.covers[number]?.color ?? "", project: isTaken ? nil : project)
            step.after.covers[number] = nil
        case .project, .tag: break
        }
    }

    private func adoptOrder(of projects: Set<Int>) throws {
        if projects.isEmpty { return }
        let found = try editor.read { try self.content($0) }
        for project in projects {
            guard let list = found.projects[project]?.jobs, Set(list) == Set(mine.projects[project]?.jobs ?? []) else {
                continue
            }
            mine.projects[project]?.jobs = list
        }
    }

    // MARK: Comparisons

    private func check() throws {
        guard isRight else { return }
        let found = try editor.read { try self.content($0) }
        if found != mine { fail("found \(found), expected \(mine)") }
        if editor.undoNames != undos.map(\.name) { fail("undo \(editor.undoNames), expected \(undos.map(\.name))") }
        if editor.redoNames != redos.map(\.name) { fail("redo \(editor.redoNames), expected \(redos.map(\.name))") }
        if mine != stored, !editor.hasChanges { fail("no changes") }
    }

    private func fail(_ problem: String) {
        isRight = false
        Issue.record("SWORM_RANDOM_SEED=\(seed): \(problem), after\n\(log.suffix(20).joined(separator: "\n"))")
    }

    private func content(_ context: ManagedObjectContext) throws -> World {
        var world = World()
        for project in try context.fetch(Studio.Project.all) {
            let value = try project.decode()
            _ = note(project, .project(value.number))
            world.projects[value.number] = World.Project(
                name: value.name, budget: value.budget, jobs: try project.jobs.decode().map(\.number),
                tags: Set(try project.tags.decode().map(\.number)))
            if let cover = project.cover, try cover.project?.decode().number != value.number {
                throw StoreError(.storeFailed, "cover of \(value.number)")
            }
        }
        for job in try context.fetch(Studio.Job.all) {
            let value = try job.decode()
            _ = note(job, .job(value.number))
            world.jobs[value.number] = World.Job(title: value.title, project: try job.project?.decode().number)
        }
        for cover in try context.fetch(Studio.Cover.all) {
            let value = try cover.decode()
            _ = note(cover, .cover(value.number))
            let project = try cover.project?.decode().number
            world.covers[value.number] = World.Cover(color: value.color, project: project)
            if try cover.project?.cover?.decode().number ?? value.number != value.number {
                throw StoreError(.storeFailed, "project of cover \(value.number)")
            }
        }
        for tag in try context.fetch(Studio.Tag.all) {
            let value = try tag.decode()
            _ = note(tag, .tag(value.number))
            world.tags[value.number] = value.word
        }
        return world
    }

    private var numbers: [ObjectReference: World.Item] = [:]

    /// Returns the property of a conflict. Objects that do not exist any more are known from before.
    private func property(_ conflict: UndoConflict) throws -> World.Property {
        guard let item = numbers[conflict.object] else { throw StoreError(.objectNotFound, "\(conflict)") }
        return World.Property(item: item, name: conflict.property)
    }

    func note<T>(_ handle: ManagedObject<T>, _ item: World.Item) -> ManagedObject<T> {
        numbers[handle.id.reference] = item
        return handle
    }
}
