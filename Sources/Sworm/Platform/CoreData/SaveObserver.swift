#if canImport(CoreData)
import CoreData
import Foundation
import SwormPredicates

/// An observer of the saves of a coordinator's contexts, which announces what each of them has committed.
///
/// Core Data reports changed properties only before a save and committed objects only after it.
///
/// @unchecked: the coordinator is only compared with those of contexts; everything that changes is behind a lock.
final class SaveObserver: @unchecked Sendable {
    private let coordinator: NSPersistentStoreCoordinator
    private let listener: @Sendable (CommittedChanges) -> Void
    /// The changed properties of saves that are running, by context.
    private let saving = Locked<[ObjectIdentifier: CommittedChanges]>([:])
    private let tokens = Locked<[ObservationToken]>([])
    private let number = Locked<UInt64>(0)

    /// A token of a notification center, which may be used on any thread.
    private struct ObservationToken: @unchecked Sendable { let object: any NSObjectProtocol }

    init(_ coordinator: NSPersistentStoreCoordinator, _ listener: @escaping @Sendable (CommittedChanges) -> Void) {
        self.coordinator = coordinator
        self.listener = listener
    }

    func start() {
        observe(.NSManagedObjectContextWillSave) { observer, context, _ in observer.willSave(context) }
        observe(.NSManagedObjectContextDidSave) { observer, context, notification in
            observer.didSave(context, notification)
        }
    }

    func end() {
        let tokens = tokens.withLock { tokens in
            defer { tokens = [] }
            return tokens
        }
        for token in tokens { NotificationCenter.default.removeObserver(token.object) }
    }

    private func observe(
        _ name: Notification.Name,
        _ body: @escaping @Sendable (SaveObserver, NSManagedObjectContext, Notification) -> Void
    ) {
        let token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] in
            // The save of a context with a parent commits nothing.
            guard let self, let context = $0.object as? NSManagedObjectContext, context.parent == nil,
                context.persistentStoreCoordinator === coordinator
            else { return }
            body(self, context, $0)
        }
        tokens.withLock { $0.append(ObservationToken(object: token)) }
    }

    private func willSave(_ context: NSManagedObjectContext) {
        context.processPendingChanges()
        var changes = CommittedChanges()
        for object in context.deletedObjects {
            for (name, relationship) in object.entity.relationshipsByName {
                changes.note(properties: [name], of: object.entity.stableName)
                guard let inverse = relationship.inverseRelationship else { continue }
                for entity in relationship.destinationEntity?.family ?? [] {
                    changes.note(properties: [inverse.name], of: entity.stableName)
                }
            }
        }
        for object in context.updatedObjects {
            changes.note(properties: object.changedValues().keys, of: object.entity.stableName)
            // `willSave` of a custom class, which is called later, may change more.
            if object.entity.hasCustomClass {
                changes.note(properties: object.entity.propertiesByName.keys, of: object.entity.stableName)
            }
        }
        saving.withLock { $0[ObjectIdentifier(context)] = changes }
    }

    private func didSave(_ context: NSManagedObjectContext, _ notification: Notification) {
        var changes = saving.withLock { $0.removeValue(forKey: ObjectIdentifier(context)) } ?? .unknown
        changes.author = context.transactionAuthor
        func note(_ key: String, _ kind: CommittedChanges.Kind) {
            for object in notification.userInfo?[key] as? Set<NSManagedObject> ?? [] {
                changes.note(kind, of: object.objectID.reference.key, root: object.entity.root.stableName)
            }
        }
        note(NSInsertedObjectsKey, .insertion)
        note(NSUpdatedObjectsKey, .update)
        note(NSDeletedObjectsKey, .deletion)
        changes.number = number.withLock { number in
            number += 1
            return number
        }
        if !changes.isEmpty { listener(changes) }
    }
}

extension NSManagedObjectContext {
    /// The identifiers of the stores.
    var storeIdentifiers: [String] { (persistentStoreCoordinator?.persistentStores ?? []).compactMap(\.identifier) }

    /// Returns nil: Core Data reads values only through objects.
    func liveRows<T>(_ request: RequestContent, with binding: EntityBinding<T>) throws -> LiveRows<T>? { nil }

    /// Whether rows of sub-entities are found by their key and the super-entity.
    var readsRowsByKey: Bool { false }

    /// Returns nil: Core Data has no keys in its API.
    func liveSources(of entity: ModelEntity) throws -> LiveSources? { nil }

    /// Returns nil: Core Data has no versions in its API.
    func liveStamps(_ request: RequestContent, of entity: ModelEntity) throws -> [LiveStamp]? { nil }

    /// Returns false: Core Data does not report when a commit becomes visible.
    var isCommitting: Bool { false }

    /// Returns false: Core Data does not report when a commit becomes visible.
    var hasForeignCommits: Bool { false }

    /// Calls a closure after each save of a context of the same coordinator, on the thread that has saved, and soon after
    /// other commits to its stores.
    ///
    /// - Parameter question: Not asked, because the changes are in Core Data's notifications anyway.
    func listenToCommits(
        concerning question: (@Sendable ([String]) -> Bool)? = nil,
        _ listener: @escaping @Sendable (CommittedChanges) -> Void
    ) -> CommitListening {
        guard let coordinator = persistentStoreCoordinator else { return CommitListening([]) }
        let observer = SaveObserver(coordinator, listener)
        let remote = RemoteChangeObserver(coordinator, listener)
        remote.start()
        observer.start()
        return CommitListening(
            [{ observer.end() }, { remote.end() }],
            noticing: [
                {
                    remote.notice()
                    return true
                }
            ])
    }
}

extension NSEntityDescription {
    fileprivate var hasCustomClass: Bool {
        managedObjectClassName.map { !$0.isEmpty && $0 != "NSManagedObject" } ?? false
    }
}

extension EntityBinding {
    /// Whether a value of the type may change without a new version of its row.
    var hasDerivedAttributes: Bool { true }
}
#endif
