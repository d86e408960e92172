import SwormPredicates
import SwormStore

/// The effect of one event on the results of a controller.
struct FetchedResultsStep {
    /// The objects that can have entered or left the results, or moved in them, if the plan depends on them only.
    private let touched: [NSManagedObject]
    /// The objects that have other values.
    let changed: Set<ObjectIdentifier>
    /// Whether the results can have changed.
    let isNeeded: Bool
    private let isWhole: Bool
    private let plan: FetchedResultsPlan
    private let context: NSManagedObjectContext

    /// The largest number of objects that are tested one by one. For more of them, a fetch is faster.
    private static let mostTouched = 100

    init(_ event: ContextEvent, plan: FetchedResultsPlan, context: NSManagedObjectContext) {
        self.plan = plan
        self.context = context
        let isWhole =
            event.invalidatedAll != nil || !plan.isOwn || event.merged.count > Self.mostTouched
        self.isWhole = isWhole
        let lists = [
            event.inserted, event.updated, event.deleted, event.refreshed, event.invalidated, event.written,
        ]
        var touched: [NSManagedObject] = []
        var seen = Set<ObjectIdentifier>()
        var concerns = event.invalidatedAll != nil
        for object in lists.joined() {
            if plan.concerns(object.compiledEntity.number) { concerns = true }
            guard plan.family.contains(object.compiledEntity.number), seen.insert(ObjectIdentifier(object)).inserted
            else { continue }
            touched.append(object)
        }
        for id in event.merged {
            guard let (row, _) = context.locate(id) else { continue }
            if plan.concerns(row.entity) { concerns = true }
            // Objects are only made for the rows if they are tested.
            guard !isWhole, plan.family.contains(row.entity) else { continue }
            let object = context.objectOrFault(with: id)
            if seen.insert(ObjectIdentifier(object)).inserted { touched.append(object) }
        }
        var changed = Set([event.updated, event.refreshed, event.invalidated].joined().map(ObjectIdentifier.init))
        changed.formUnion(event.inserted.map(ObjectIdentifier.init))
        self.touched = touched
        self.changed = changed
        isNeeded = concerns || !touched.isEmpty
    }

    /// Returns the results with the touched objects at their right positions; nil if only a fetch can find them.
    func place(in old: FetchedResultsContent) throws -> FetchedResultsContent? {
        guard !isWhole, touched.count <= Self.mostTouched, context.coordinator?.persistentStores.count == 1 else {
            return nil
        }
        let identities = Set(touched.map(ObjectIdentifier.init))
        let staying = old.entries.filter { !identities.contains(ObjectIdentifier($0.object)) }
        var entering: [(key: ObjectOrder.Key, object: NSManagedObject)] = []
        for object in touched where try isResult(object) {
            entering.append((try plan.order.key(of: object), object))
        }
        entering.sort { plan.order.isOrdered($0.key, before: $1.key) }
        var entries: [FetchedResultsContent.Entry] = []
        entries.reserveCapacity(staying.count + entering.count)
        var start = 0
        for (key, object) in entering {
            let position = try position(of: key, in: staying, from: start)
            entries += staying[start..<position]
            start = position
            entries.append(.init(object, section: try plan.section(of: object)))
        }
        entries += staying[start...]
        // A value that could not be read was treated as nil.
        try context.throwReadError()
        return FetchedResultsContent(entries, hasSections: plan.sectionPath != nil)
    }

    private func isResult(_ object: NSManagedObject) throws -> Bool {
        guard object.exists, object.context === context else { return false }
        do {
            try object.load()
        } catch let error as CoreDataError where error.errorCode == NSManagedObjectReferentialIntegrityError {
            return false
        }
        return try plan.predicate?.matches(object) ?? true
    }

    private func position(
        of key: ObjectOrder.Key, in entries: [FetchedResultsContent.Entry], from start: Int
    ) throws -> Int {
        var (low, high) = (start, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if plan.order.isOrdered(try plan.order.key(of: entries[middle].object), before: key) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Returns whether the results differ, or an object among them has other values.
    func changes(_ old: FetchedResultsContent, into new: FetchedResultsContent) -> Bool {
        !old.entries.elementsEqual(new.entries) { $0.object === $1.object }
            || new.entries.contains { changed.contains(ObjectIdentifier($0.object)) }
            || !old.sections.elementsEqual(new.sections) { $0.name == $1.name && $0.range == $1.range }
    }

    /// Returns the results without the objects that are known to be gone.
    func withoutLost(_ old: FetchedResultsContent, hasSections: Bool) -> FetchedResultsContent {
        FetchedResultsContent(
            old.entries.filter { entry in
                entry.object.exists && entry.object.context === context
                    && (entry.object.objectID.isTemporaryID
                        || entry.object.objectID.persistentStore?.persistentStoreCoordinator != nil)
            }, hasSections: hasSections)
    }
}
