import Foundation

@testable import OpenCoreData

/// The rows of a table view, which follows a controller by the calls of its delegate alone, and refuses what a table
/// view refuses.
final class TableMirror: NSFetchedResultsControllerDelegate {
    struct Row {
        var object: NSManagedObject
        /// What the row shows: the values when it was last told to reload.
        var text: String
    }

    private struct Batch {
        var deletedSections: [Int] = []
        var insertedSections: [(index: Int, name: String)] = []
        var deleted: [IndexPath] = []
        var inserted: [(path: IndexPath, object: NSManagedObject)] = []
        var moved: [(old: IndexPath, new: IndexPath, object: NSManagedObject)] = []
        var updated: [(path: IndexPath, object: NSManagedObject)] = []
    }

    let render: (NSManagedObject) -> String
    private(set) var sections: [(name: String, rows: [Row])] = []
    private(set) var faults: [String] = []
    /// The number of calls by kind.
    private(set) var counts: [String: Int] = [:]
    private var batch: Batch?

    init(render: @escaping (NSManagedObject) -> String) { self.render = render }

    /// Shows the content of a controller, as `reloadData` does.
    func reload<Result>(_ controller: NSFetchedResultsController<Result>) {
        sections = (controller.sections ?? []).map { section in
            (section.name, (section.objects ?? []).compactMap { ($0 as? NSManagedObject).map(row) })
        }
    }

    private func row(_ object: NSManagedObject) -> Row { Row(object: object, text: render(object)) }

    private func count(_ kind: String) { counts[kind, default: 0] += 1 }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        if batch != nil { faults.append("a batch begins in another one") }
        batch = Batch()
        count("batch")
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        switch type {
        case .delete: batch?.deletedSections.append(sectionIndex)
        case .insert: batch?.insertedSections.append((sectionIndex, sectionInfo.name))
        case .move, .update: faults.append("a section cannot \(type)")
        }
        count("section \(type)")
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        count("\(type)")
        guard let object = anObject as? NSManagedObject else { return faults.append("no object: \(anObject)") }
        switch (type, indexPath, newIndexPath) {
        case (.delete, let old?, nil): batch?.deleted.append(old)
        case (.insert, nil, let new?): batch?.inserted.append((new, object))
        case (.move, let old?, let new?): batch?.moved.append((old, new, object))
        case (.update, let old?, _?): batch?.updated.append((old, object))
        default: faults.append("\(type) from \(String(describing: indexPath)) to \(String(describing: newIndexPath))")
        }
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        guard let batch else { return faults.append("an end without a beginning") }
        self.batch = nil
        check(batch)
        if faults.isEmpty { apply(batch) }
    }

    // MARK: A table view's rules

    private func check(_ batch: Batch) {
        func expect(_ isRight: Bool, _ message: @autoclosure () -> String) {
            if !isRight { faults.append(message()) }
        }
        let old = batch.deleted + batch.moved.map(\.old) + batch.updated.map(\.path)
        expect(Set(old).count == old.count, "two changes of one row: \(old)")
        for path in old {
            expect(
                sections.indices.contains(path[0]) && sections[path[0]].rows.indices.contains(path[1]),
                "there was no row \(path)")
        }
        let new = batch.inserted.map(\.path) + batch.moved.map(\.new)
        expect(Set(new).count == new.count, "two rows at one path: \(new)")
        let gone = Set(batch.deletedSections)
        let fresh = Set(batch.insertedSections.map(\.index))
        expect(
            gone.count == batch.deletedSections.count && gone.allSatisfy(sections.indices.contains),
            "deleted sections \(batch.deletedSections)")
        let after = sections.count - gone.count + fresh.count
        expect(
            fresh.count == batch.insertedSections.count && fresh.allSatisfy { (0..<after).contains($0) },
            "inserted sections \(batch.insertedSections)")
        for path in batch.moved.map(\.old) + batch.updated.map(\.path) {
            expect(!gone.contains(path[0]), "a row of a deleted section is moved or reloaded: \(path)")
        }
        for move in batch.moved {
            expect(!fresh.contains(move.new[0]), "a row is moved into a new section: \(move.new)")
        }
        for path in new { expect((0..<after).contains(path[0]), "there is no section for \(path)") }
    }

    private func apply(_ batch: Batch) {
        for update in batch.updated { sections[update.path[0]].rows[update.path[1]] = row(update.object) }
        for path in (batch.deleted + batch.moved.map(\.old)).sorted(by: >) {
            sections[path[0]].rows.remove(at: path[1])
        }
        for index in batch.deletedSections.sorted(by: >) {
            if !sections[index].rows.isEmpty { faults.append("a deleted section \(index) has rows left") }
            sections.remove(at: index)
        }
        for (index, name) in batch.insertedSections.sorted(by: { $0.index < $1.index }) {
            sections.insert((name, []), at: index)
        }
        let entering = batch.inserted.map { ($0.path, $0.object) } + batch.moved.map { ($0.new, $0.object) }
        for (path, object) in entering.sorted(by: { $0.0 < $1.0 }) {
            guard path[1] <= sections[path[0]].rows.count else {
                faults.append("a row enters behind the end: \(path)")
                return
            }
            sections[path[0]].rows.insert(row(object), at: path[1])
        }
    }

    /// The differences between the rows and a controller's content.
    func differences<Result>(from controller: NSFetchedResultsController<Result>) -> [String] {
        let present = controller.sections ?? []
        var found = faults
        if present.map(\.name) != sections.map(\.name) {
            found.append("sections \(sections.map(\.name)) instead of \(present.map(\.name))")
        }
        for (shown, section) in zip(sections, present) {
            let objects = (section.objects ?? []).compactMap { $0 as? NSManagedObject }
            if !shown.rows.map(\.object).elementsEqual(objects, by: ===) {
                found.append("section \(section.name) shows \(shown.rows.map(\.text)), not \(objects.map(render))")
            } else if shown.rows.map(\.text) != objects.map(render) {
                found.append("section \(section.name) shows \(shown.rows.map(\.text)) for \(objects.map(render))")
            }
        }
        return found
    }
}

/// A list of ids, which follows a controller by differences.
final class ListMirror: NSFetchedResultsControllerDelegate {
    private(set) var ids: [NSManagedObjectID] = []
    private(set) var touched: [NSManagedObjectID] = []
    private(set) var faults: [String] = []
    private(set) var calls = 0

    func reload<Result>(_ controller: NSFetchedResultsController<Result>) {
        ids = (controller.fetchedObjects ?? []).compactMap { ($0 as? NSManagedObject)?.objectID }
    }

    func forgetTouched() { touched = [] }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
        calls += 1
        if diff.isEmpty { faults.append("an empty difference") }
        guard let new = ids.applying(diff) else { return faults.append("a difference that cannot be applied") }
        for case .insert(_, let id, _) in diff { touched.append(id) }
        for case .remove(let offset, let id, _) in diff where ids[offset] != id {
            faults.append("\(id) was not at \(offset)")
        }
        ids = new
    }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        faults.append("a delegate with a difference has no other calls")
    }
}
