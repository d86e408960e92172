#if canImport(CoreData)
import CoreData
import Dispatch
import Foundation
import SwormPredicates

/// An observer of the commits to a coordinator's stores that no context of the coordinator has made: those of other
/// processes, of other coordinators, and of batch requests.
///
/// For stores with a history and with notifications of remote changes, the transactions are read from the history. The
/// saves of the coordinator's own contexts are announced twice then, because the name of a process does not identify it.
/// For other stores, the dates of the files are compared once a second, and any change may have been made.
///
/// @unchecked: the coordinator is only used on the queue and for comparisons; everything that changes is behind a lock.
final class RemoteChangeObserver: @unchecked Sendable {
    private struct State: Sendable {
        var token: TokenBox?
        var files: [String: FileState] = [:]
        /// The files of stores with a history, when it was last read by ``notice()``.
        var recordedFiles: [String: FileState] = [:]
        var timer: TimerBox?
        var observation: ObservationBox?
    }

    /// The size and date of a file.
    private struct FileState: Sendable, Hashable {
        var size: Int64?
        var date: Date?
    }

    /// A token, which is immutable.
    private struct TokenBox: @unchecked Sendable { let token: NSPersistentHistoryToken }

    /// A timer, whose methods may be called on any thread.
    private struct TimerBox: @unchecked Sendable { let timer: any DispatchSourceTimer }

    /// A token of a notification center, which may be used on any thread.
    private struct ObservationBox: @unchecked Sendable { let object: any NSObjectProtocol }

    private let coordinator: NSPersistentStoreCoordinator
    private let listener: @Sendable (CommittedChanges) -> Void
    private let queue = DispatchQueue(label: "Sworm.RemoteChangeObserver", qos: .userInitiated)
    private let state = Locked(State())

    init(_ coordinator: NSPersistentStoreCoordinator, _ listener: @escaping @Sendable (CommittedChanges) -> Void) {
        self.coordinator = coordinator
        self.listener = listener
    }

    func start() {
        let (recorded, unrecorded) = coordinator.persistentStores.reduce(into: ([NSPersistentStore](), [String]())) {
            if $1.announcesRemoteChanges {
                $0.0.append($1)
            } else if let url = $1.url, url.path != "/dev/null" {
                $0.1 += [url.path, url.path + "-wal"]
            }
        }
        if !recorded.isEmpty {
            let files = Self.states(recorded.compactMap(\.url).flatMap { [$0.path, $0.path + "-wal"] })
            state.withLock { $0.recordedFiles = files }
            let token = coordinator.currentPersistentHistoryToken(fromStores: recorded).map { TokenBox(token: $0) }
            let object = NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
            ) { [weak self] _ in
                self?.queue.async { [weak self] in self?.readHistory() }
            }
            state.withLock { ($0.token, $0.observation) = (token, ObservationBox(object: object)) }
        }
        if !unrecorded.isEmpty { watch(unrecorded) }
    }

    /// Announces the commits that have been made so far, if the files have changed.
    func notice() {
        let (recorded, unrecorded) = state.withLock { (Array($0.recordedFiles.keys), Array($0.files.keys)) }
        if !unrecorded.isEmpty { queue.sync { compare(unrecorded) } }
        let files = Self.states(recorded)
        let isChanged = state.withLock { state in
            defer { state.recordedFiles = files }
            return state.recordedFiles != files
        }
        if isChanged { queue.sync { readHistory() } }
    }

    func end() {
        let (timer, observation) = state.withLock { state in
            defer { (state.timer, state.observation) = (nil, nil) }
            return (state.timer, state.observation)
        }
        timer?.timer.cancel()
        if let observation { NotificationCenter.default.removeObserver(observation.object) }
    }

    // MARK: Histories

    private func readHistory() {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let token = state.withLock { $0.token }
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token?.token)
        request.resultType = .transactionsAndChanges
        var changes: CommittedChanges?
        // Read before the history, so that transactions in between are read again and none is missed.
        let stores = coordinator.persistentStores.filter(\.announcesRemoteChanges)
        let next = coordinator.currentPersistentHistoryToken(fromStores: stores).map { TokenBox(token: $0) }
        do {
            try context.performAndWait {
                let result = try context.execute(request) as? NSPersistentHistoryResult
                for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
                    let more = CommittedChanges(transaction)
                    if changes == nil { changes = more } else { changes?.merge(more) }
                }
            }
        } catch {
            changes = .unknown
        }
        if let next { state.withLock { $0.token = next } }
        guard var changes, !changes.isEmpty else { return }
        changes.isForeign = true
        listener(changes)
    }

    // MARK: Files

    private func watch(_ paths: [String]) {
        let files = Self.states(paths)
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + 0.9, repeating: 0.9, leeway: .milliseconds(50))
        timer.setEventHandler { [weak self] in self?.compare(paths) }
        let box = TimerBox(timer: timer)
        state.withLock { ($0.files, $0.timer) = (files, box) }
        timer.activate()
    }

    private func compare(_ paths: [String]) {
        let files = Self.states(paths)
        let isChanged = state.withLock { state in
            defer { state.files = files }
            return state.files != files
        }
        guard isChanged else { return }
        var changes = CommittedChanges.unknown
        changes.isForeign = true
        listener(changes)
    }

    private static func states(_ paths: [String]) -> [String: FileState] {
        var states: [String: FileState] = [:]
        for path in paths {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            states[path] = FileState(
                size: (attributes?[.size] as? NSNumber)?.int64Value,
                date: attributes?[.modificationDate] as? Date)
        }
        return states
    }
}

extension NSPersistentStore {
    /// Whether the store has a history and posts notifications of remote changes.
    fileprivate var announcesRemoteChanges: Bool {
        [NSPersistentHistoryTrackingKey, NSPersistentStoreRemoteChangeNotificationPostOptionKey].allSatisfy {
            (options?[$0] as? NSNumber)?.boolValue ?? (options?[$0] as? Bool) ?? false
        }
    }
}

extension CommittedChanges {
    /// Creates the changes of a transaction in a history. Links are noted from both sides.
    fileprivate init(_ transaction: NSPersistentHistoryTransaction) {
        self.init()
        author = transaction.author
        for change in transaction.changes ?? [] {
            let (id, entity) = (change.changedObjectID, change.changedObjectID.entity)
            let root = entity.root.stableName
            var names: Set<String>
            switch change.changeType {
            case .insert:
                note(.insertion, of: id.reference.key, root: root)
                names = Set(entity.relationshipsByName.keys)
            case .delete:
                note(.deletion, of: id.reference.key, root: root)
                names = Set(entity.relationshipsByName.keys)
            default:
                note(.update, of: id.reference.key, root: root)
                names = Set(change.updatedProperties?.map(\.name) ?? [])
                if names.isEmpty { names = Set(entity.propertiesByName.keys) }
            }
            note(properties: names, of: entity.stableName)
            // Derived values are not recorded. They may change with each row of the hierarchy.
            for relative in entity.root.family {
                let derived = relative.attributesByName.filter { $0.value is NSDerivedAttributeDescription }
                if !derived.isEmpty { note(properties: derived.keys, of: relative.stableName) }
            }
            for name in names {
                guard let inverse = entity.relationshipsByName[name]?.inverseRelationship else { continue }
                for member in inverse.entity.family { note(properties: [inverse.name], of: member.stableName) }
            }
        }
    }
}
#endif
