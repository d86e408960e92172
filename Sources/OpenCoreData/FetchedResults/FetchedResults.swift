import Foundation
import SwormPredicates
import SwormStore

/// The work of a controller, which does not depend on the type of its results.
final class FetchedResults: ContextObserver {
    let context: NSManagedObjectContext
    let request: NSPersistentStoreRequest
    let sectionNameKeyPath: String?
    let cacheName: String?
    /// Whether an object has the type of the controller's results.
    private let isResult: (NSManagedObject) -> Bool
    private let makePlan: (CompiledModel) throws -> FetchedResultsPlan
    private(set) weak var delegate: (any NSFetchedResultsControllerDelegate)?
    /// The calls that the delegate is known not to implement.
    var missingCalls: DelegateCalls = []
    private var plan: FetchedResultsPlan?
    /// Nil before the first fetch.
    private(set) var content: FetchedResultsContent? {
        didSet {
            offsets = nil
            version += 1
        }
    }
    /// The number of contents so far.
    private(set) var version = 0
    /// The controller that was created by the user, which may override titles.
    weak var owner: (any SectionTitling)?
    /// The offsets of the objects, made for the first lookup.
    private var offsets: [ObjectIdentifier: Int]?
    /// Whether changes were missed, so that only another fetch finds the right objects.
    private var mustFetch = false
    /// Whether an error was recorded for objects that do not have the type of the results.
    private var hasWrongObjects = false
    /// Whether the delegate is being notified. Events in the meantime wait, because their changes refer to the new
    /// content.
    private var isAnnouncing = false
    private var waiting: [ContextEvent] = []

    init(
        _ request: NSPersistentStoreRequest, context: NSManagedObjectContext, sectionNameKeyPath: String?,
        cacheName: String?, isResult: @escaping (NSManagedObject) -> Bool,
        makePlan: @escaping (CompiledModel) throws -> FetchedResultsPlan
    ) {
        self.request = request
        self.context = context
        self.sectionNameKeyPath = sectionNameKeyPath
        self.cacheName = cacheName
        self.isResult = isResult
        self.makePlan = makePlan
    }

    func setDelegate(_ new: (any NSFetchedResultsControllerDelegate)?) {
        guard new !== delegate else { return }
        let isFollowing = delegate != nil
        delegate = new
        missingCalls = []
        if new == nil {
            context.remove(self)
            mustFetch = true
        } else if !isFollowing, content != nil {
            mustFetch = true
            context.add(self)
        }
    }

    func performFetch() throws {
        context.processEvents()
        let plan = try makePlan(try context.requireCoordinator().compiledModel)
        let content = try fetch(plan)
        if let error = Self.wrongType(content.entries.first { !isResult($0.object) }) { throw error }
        if plan.sectionPath != nil, !plan.isSortedBySection { try checkSections(of: content, plan) }
        self.plan = plan
        self.content = content
        hasWrongObjects = false
        mustFetch = delegate == nil
        if delegate != nil { context.add(self) }
    }

    /// Returns what the context finds now.
    private func fetch(_ plan: FetchedResultsPlan) throws -> FetchedResultsContent {
        let objects = try context.fetchObjects(
            plan.specification, includesPendingChanges: plan.includesPendingChanges, stores: plan.stores,
            isRefreshing: plan.isRefreshing, reading: plan.reading)
        guard plan.sectionPath != nil else {
            return FetchedResultsContent(objects.map { .init($0, section: nil) }, hasSections: false)
        }
        var last: SectionKey?
        let entries = try objects.map { object in
            let key = try plan.section(of: object)
            if let key, let known = last, known.isSame(as: key) {
                return FetchedResultsContent.Entry(object, section: known)
            }
            last = key
            return FetchedResultsContent.Entry(object, section: key)
        }
        try context.throwReadError()
        return FetchedResultsContent(entries, hasSections: true)
    }

    /// Returns the content without objects that do not have the type of the controller's results. The context's next
    /// save or fetch throws an error for the first of them.
    private func onlyResults(_ content: FetchedResultsContent, _ plan: FetchedResultsPlan) -> FetchedResultsContent {
        var known: ObjectIdentifier?
        func isRight(_ entry: FetchedResultsContent.Entry) -> Bool {
            // Most objects have one class.
            let type = ObjectIdentifier(type(of: entry.object))
            if type == known { return true }
            guard isResult(entry.object) else { return false }
            known = type
            return true
        }
        guard let error = Self.wrongType(content.entries.first { !isRight($0) }) else { return content }
        if !hasWrongObjects { context.noteFailure(error) }
        hasWrongObjects = true
        return FetchedResultsContent(content.entries.filter(isRight), hasSections: plan.sectionPath != nil)
    }

    private static func wrongType(_ entry: FetchedResultsContent.Entry?) -> CoreDataError? {
        guard let object = entry?.object else { return nil }
        let name = object.compiledEntity.name
        return CoreDataError(
            NSCoreDataError,
            "A fetch of \(name) does not return results of the type of the controller, but \(type(of: object)). Set the class of the entity.",
            entity: name)
    }

    /// Throws an error if the objects of one section are not next to each other.
    private func checkSections(of content: FetchedResultsContent, _ plan: FetchedResultsPlan) throws {
        guard let section = content.sections.first(where: { $0.occurrence > 0 }) else { return }
        let object = content.entries[section.range.lowerBound].object
        let sort = plan.specification.sorts.first?.path.joined(separator: ".") ?? ""
        throw CoreDataError(
            NSCoreDataError,
            "The objects of the section '\(section.name)' are not next to each other: \(object.compiledEntity.name) \(object.objectID) comes after another section. Make '\(sectionNameKeyPath ?? "")' the first sort descriptor instead of '\(sort)'.",
            entity: object.compiledEntity.name, key: sectionNameKeyPath, objects: [object.objectID.reference])
    }

    // MARK: Looking up

    func object(at path: IndexPath) -> NSManagedObject? {
        content.flatMap { content in content.offset(of: path).map { content.entries[$0].object } }
    }

    /// Returns an object for an index path that has none, and records the error.
    func missingObject(at path: IndexPath) -> NSManagedObject {
        let name = (plan?.specification.entity).flatMap { context.compiledModel?.entity(numbered: Int64($0))?.name }
        context.noteFailure(
            CoreDataError(
                NSCoreDataError,
                "The results of a controller have no object at the index path \(path.map { $0 }): there are \(content?.entries.count ?? 0) objects in \(content?.sections.count ?? 0) sections.",
                entity: name))
        let description = name.flatMap { NSEntityDescription.entity(forEntityName: $0, in: context) }
        guard let name, let description, let compiled = context.compiledModel?.entity(named: name) else {
            return NSManagedObject(entity: NSEntityDescription(unknownName: ""), insertInto: nil)
        }
        return context.objectClass(of: compiled).init(entity: description, insertInto: nil)
    }

    func indexPath(of object: NSManagedObject) -> IndexPath? {
        guard let content else { return nil }
        if offsets == nil {
            offsets = Dictionary(
                content.entries.enumerated().map { (ObjectIdentifier($1.object), $0) }, uniquingKeysWith: { $1 })
        }
        return offsets?[ObjectIdentifier(object)].map { content.indexPath(of: $0) }
    }

    func title(ofSectionNamed name: String) -> String? {
        if let owner { owner.sectionIndexTitle(forSectionName: name) } else { standardTitle(ofSectionNamed: name) }
    }

    /// The title of a section if no subclass of the controller overrides it.
    func standardTitle(ofSectionNamed name: String) -> String? {
        guard let delegate else { return Self.defaultTitle(name) }
        return delegate.controller(erased, sectionIndexTitleForSectionName: name)
    }

    static func defaultTitle(_ name: String) -> String? { name.first.map { String($0).uppercased() } }

    /// The controller as a delegate sees it.
    private var erased: NSFetchedResultsController<any NSFetchRequestResult> { NSFetchedResultsController(self) }

    // MARK: Following

    func contextDidChange(_ event: ContextEvent) {
        guard content != nil, delegate != nil else { return }
        waiting.append(event)
        if isAnnouncing { return }
        isAnnouncing = true
        defer { isAnnouncing = false }
        while !waiting.isEmpty { follow(waiting.removeFirst()) }
    }

    private func follow(_ event: ContextEvent) {
        guard let plan, let old = content else { return }
        let step = FetchedResultsStep(event, plan: plan, context: context)
        guard mustFetch || step.isNeeded else { return }
        var new: FetchedResultsContent
        do {
            new = if !mustFetch, let placed = try step.place(in: old) { placed } else { try fetch(plan) }
            mustFetch = false
        } catch {
            // The next event fetches again.
            mustFetch = true
            new = step.withoutLost(old, hasSections: plan.sectionPath != nil)
            if context.coordinator?.persistentStores.isEmpty == false { context.noteReadError(error) }
        }
        new = onlyResults(new, plan)
        if missingCalls.isSuperset(of: .changes), event.invalidatedAll == nil {
            announce(isChanged: step.changes(old, into: new), new)
        } else if event.invalidatedAll != nil {
            announce(FetchedResultsChanges(from: old, to: new, identity: { $0.objectID.objectKey }) { _ in true }, new)
        } else {
            announce(
                FetchedResultsChanges(from: old, to: new, identity: { ObjectIdentifier($0) }) {
                    step.changed.contains(ObjectIdentifier($0))
                }, new)
        }
    }

    /// Notifies a delegate that does not want to know the changes.
    private func announce(isChanged: Bool, _ new: FetchedResultsContent) {
        let delegate = isChanged ? delegate : nil
        if !missingCalls.contains(.beginning) { delegate?.controllerWillChangeContent(erased) }
        content = new
        if !missingCalls.contains(.end) { delegate?.controllerDidChangeContent(erased) }
    }

    /// Notifies the delegate of changes, and makes them.
    private func announce(_ changes: FetchedResultsChanges, _ new: FetchedResultsContent) {
        guard let delegate, let old = content, !changes.hasSameIDs else {
            content = new
            return
        }
        let controller = erased
        if sectionNameKeyPath == nil, !missingCalls.contains(.difference) {
            content = new
            delegate.controller(controller, didChangeContentWith: changes.difference)
            if !missingCalls.contains(.difference) { return }
            content = old
        }
        guard !changes.isEmpty else {
            content = new
            return
        }
        if !missingCalls.contains(.beginning) { delegate.controllerWillChangeContent(controller) }
        content = new
        for change in changes.sections where !missingCalls.contains(.sections) {
            let content = change.isOld ? old : new
            delegate.controller(
                controller, didChange: FetchedSection(content.sections[change.index], of: content, in: self),
                atSectionIndex: change.index, for: change.type)
        }
        for change in changes.objects where !missingCalls.contains(.objects) {
            delegate.controller(
                controller, didChange: change.object, at: change.old, for: change.type, newIndexPath: change.new)
        }
        if !missingCalls.contains(.end) { delegate.controllerDidChangeContent(controller) }
    }
}
