public import Observation
import SwormPredicates

/// A value of an object that a user edits, while somebody else may save the same object.
///
/// ```swift
/// let draft = try Draft(of: id, in: store)
/// draft.mine.title = "War and Peace"
/// do {
///     try draft.save()
/// } catch let conflict as DraftConflict {
///     // Ask the user, then: try draft.save(conflicts: .mine)
/// }
/// ```
/// A draft has three versions of the value: ``base`` as it was read, ``mine`` as it is edited, and ``theirs``, which
/// follows the store. An attribute that only one side has changed is taken over from that side. One that both sides have
/// changed to different values is a conflict. Nothing is written before ``save(conflicts:recreating:)``, which writes
/// only the attributes that the draft has changed.
///
/// A draft belongs to the actor on which it was created. Relations are not part of it.
@Observable
public final class Draft<Value: ManagedObjectConvertible & Sendable> {
    /// The id of the object; nil until a draft of a new object is saved.
    public private(set) var id: ManagedObjectID<Value>?
    /// The value as it was read, or last merged or saved.
    public private(set) var base: Value
    /// The value as it is edited.
    public var mine: Value
    /// The value in the store; nil if the object does not exist, because it was deleted or is not saved yet.
    public private(set) var theirs: Value?

    @ObservationIgnored private let store: PersistentContainer
    /// The actor to which the draft belongs. It may hold the draft.
    @ObservationIgnored private weak var actor: (any Actor)?
    @ObservationIgnored private var following: Task<Void, Never>?

    private init(value: Value, of id: ManagedObjectID<Value>?, in store: PersistentContainer, actor: any Actor) {
        (self.id, self.store, self.actor) = (id, store, actor)
        (base, mine, theirs) = (value, value, id == nil ? nil : value)
        if let id { start(id) }
    }

    /// References that keep neither the draft nor its actor alive.
    ///
    /// @unchecked: the draft is only used on the actor.
    private final class References: @unchecked Sendable {
        weak var draft: Draft?
        weak var actor: (any Actor)?

        init(to draft: Draft, of actor: (any Actor)?) { (self.draft, self.actor) = (draft, actor) }
    }

    /// Starts to follow the object in the store.
    private func start(_ id: ManagedObjectID<Value>) {
        following?.cancel()
        let references = References(to: self, of: actor)
        following = Task { [store] in await Draft<Value>.follow(id, of: store, deliveringTo: references) }
    }

    private static func follow(
        _ id: ManagedObjectID<Value>, of store: PersistentContainer, deliveringTo references: References
    ) async {
        var retries = FollowerRetries(store)
        while !Task.isCancelled {
            retries.begin()
            do {
                var values = store.value(of: id).makeAsyncIterator()
                while let value = try await values.next() {
                    guard let actor = references.actor else { return }
                    await deliver(value, to: references, on: actor)
                    retries.succeed()
                }
                return
            } catch is CancellationError {
                return
            } catch {
                store.logError?(error)
                if FollowerRetries.isFinal(error) { return }
            }
            await retries.wait()
        }
    }

    private static func deliver(_ value: Value?, to references: References, on actor: isolated any Actor) {
        // A task that was replaced is cancelled on the actor, and delivers nothing afterwards.
        if !Task.isCancelled { references.draft?.theirs = value }
    }

    deinit { following?.cancel() }

    /// Creates a draft of an object, on the main actor.
    ///
    /// - Parameters:
    ///   - id: The id of the object.
    ///   - store: The container.
    /// - Throws: A ``StoreError`` with the code `objectNotFound` if there is no such object, or another one if the store
    ///   cannot be read.
    @MainActor
    public convenience init(of id: ManagedObjectID<Value>, in store: PersistentContainer) throws {
        let value = try store.read { try $0.object(with: id).decode() }
        self.init(value: value, of: id, in: store, actor: MainActor.shared)
    }

    /// Creates a draft of an object, on an actor.
    ///
    /// - Parameters:
    ///   - id: The id of the object.
    ///   - store: The container.
    ///   - actor: The actor to which the draft belongs: `self` in a method of an actor.
    /// - Throws: See ``init(of:in:)``.
    public convenience init(
        of id: ManagedObjectID<Value>, in store: PersistentContainer, on actor: isolated some Actor
    ) throws {
        let value = try store.read { try $0.object(with: id).decode() }
        self.init(value: value, of: id, in: store, actor: actor)
    }

    /// Creates a draft of a new object, on the main actor. Saving it inserts the object.
    ///
    /// - Parameters:
    ///   - value: The initial value.
    ///   - store: The container.
    @MainActor
    public convenience init(new value: Value, in store: PersistentContainer) {
        self.init(value: value, of: nil, in: store, actor: MainActor.shared)
    }

    /// Creates a draft of a new object, on an actor. Saving it inserts the object.
    ///
    /// - Parameters:
    ///   - value: The initial value.
    ///   - store: The container.
    ///   - actor: The actor to which the draft belongs: `self` in a method of an actor.
    public convenience init(new value: Value, in store: PersistentContainer, on actor: isolated some Actor) {
        self.init(value: value, of: nil, in: store, actor: actor)
    }
}

// The state, and saving.
extension Draft {
    /// Whether the draft differs from the value that was read, or is a draft of a new object.
    public var hasChanges: Bool {
        guard id != nil else { return true }
        guard let merge = try? DraftMerge(base: base, mine: mine, theirs: base) else { return true }
        return !merge.written(.mine).isEmpty
    }

    /// Whether the object was deleted by somebody else. ``save(conflicts:recreating:)`` can insert it again.
    public var isDeleted: Bool { id != nil && theirs == nil }

    /// The attributes that both the draft and somebody else have changed, to different values.
    ///
    /// Set an attribute of ``mine`` to the value in ``theirs`` to resolve its conflict, or decide for all of them with
    /// ``save(conflicts:recreating:)``. Empty if a value of the draft cannot be encoded, which saving throws.
    public var conflicts: [DraftConflict.Attribute] {
        guard let theirs, let merge = try? DraftMerge(base: base, mine: mine, theirs: theirs) else { return [] }
        return merge.conflicts
    }

    /// Takes over the attributes that only somebody else has changed, without saving anything.
    ///
    /// - Throws: ``AttributeError/badAttribute(_:)`` if a value of the draft cannot be encoded.
    public func merge() throws {
        guard let theirs else { return }
        let merge = try DraftMerge(base: base, mine: mine, theirs: theirs)
        (mine, base) = (try merge.merged(.mine, into: mine), try merge.rebased(from: base))
    }

    /// Discards the changes of the draft: it has the value in the store again.
    public func revert() {
        if let theirs { (base, mine) = (theirs, theirs) } else { mine = base }
    }

    /// Writes the attributes that the draft has changed, and takes over what somebody else has changed.
    ///
    /// The value in the store is read and compared again in the transaction that writes, so that no change of somebody
    /// else is lost, even if ``theirs`` does not have it yet. If nothing has changed, nothing is written. A draft of a
    /// new object inserts it. After an error, the draft is as it was before.
    ///
    /// - Parameters:
    ///   - resolution: The side whose values are saved for attributes that both sides have changed; nil to throw an
    ///     error if there are any.
    ///   - isRecreating: Whether an object that somebody else has deleted is inserted again, under a new id. Its
    ///     relations are empty.
    /// - Throws: ``DraftConflict`` if both sides have changed attributes; a ``StoreError`` with the code `objectDeleted`
    ///   if the object was deleted, or with another one if the store cannot be written.
    public func save(conflicts resolution: DraftResolution? = nil, recreating isRecreating: Bool = false) throws {
        try save(conflicts: resolution, recreating: isRecreating, linking: { _, _ in })
    }

    /// Saves like ``save(conflicts:recreating:)``, and sets relations of the object in the same transaction.
    ///
    /// A new object of a type with a required relation is saved with it:
    /// ```swift
    /// try draft.save { context, book in book.author = try context.object(with: author) }
    /// ```
    /// - Parameters:
    ///   - resolution: The side whose values are saved for attributes that both sides have changed; nil to throw an
    ///     error if there are any.
    ///   - isRecreating: Whether an object that somebody else has deleted is inserted again, under a new id.
    ///   - link: A closure that sets the relations of the object. It may be called again if the write is repeated.
    /// - Throws: The errors of ``save(conflicts:recreating:)``, and those of the closure.
    public func save(
        conflicts resolution: DraftResolution? = nil, recreating isRecreating: Bool = false,
        linking link: (_ context: ManagedObjectContext, _ object: ManagedObject<Value>) throws -> Void
    ) throws {
        let (mine, base) = (mine, base)
        guard let id else { return try insert(mine, link) }
        let outcome: DraftOutcome<Value> = try store.perform(retrying: 5) { context in
            guard let object = try Draft<Value>.existing(id, in: context) else { return .isDeleted }
            let theirs = try object.decode()
            let merge = try DraftMerge(base: base, mine: mine, theirs: theirs)
            // Returned instead of thrown, because a conflict is no failure of the store, which would be logged.
            if resolution == nil, !merge.conflicts.isEmpty { return .conflicts(merge.conflicts) }
            try object.write(merge.written(resolution ?? .mine))
            try link(context, object)
            return .saved(try merge.merged(resolution ?? .mine, into: mine))
        }
        switch outcome {
        case .saved(let saved):
            (self.mine, self.base, theirs) = (saved, saved, saved)
            // Values of the state before the save may be on their way.
            start(id)
        case .conflicts(let attributes): throw DraftConflict(entityName: Value.entityName, attributes: attributes)
        case .isDeleted where isRecreating: try insert(mine, link)
        case .isDeleted:
            throw StoreError(
                .objectDeleted,
                "\(id) was deleted while it was edited. Save the draft with `recreating: true` to insert it again.",
                entity: Value.entityName)
        }
    }

    private func insert(
        _ value: Value, _ link: (ManagedObjectContext, ManagedObject<Value>) throws -> Void
    ) throws {
        let id: ManagedObjectID<Value> = try store.perform { context in
            let object = try context.insert(value)
            try link(context, object)
            return object
        }
        (self.id, base, theirs) = (id, value, value)
        start(id)
    }

    private static func existing(
        _ id: ManagedObjectID<Value>, in context: ManagedObjectContext
    ) throws -> ManagedObject<Value>? {
        do {
            return try context.object(with: id)
        } catch StoreError.Code.objectNotFound {
            return nil
        }
    }
}

/// The outcome of writing a draft.
private enum DraftOutcome<Value: Sendable>: Sendable {
    case saved(Value)
    case conflicts([DraftConflict.Attribute])
    case isDeleted
}

extension ManagedObject {
    /// Writes attributes by their names, without the other ones.
    fileprivate func write(_ values: [(name: String, value: AttributeValue)]) throws {
        try checkWriting()
        for (name, value) in values { try translatingErrors { try binding.setValue(value, of: instance, named: name) } }
    }
}
