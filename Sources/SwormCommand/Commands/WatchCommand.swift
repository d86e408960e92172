import Dispatch
import SwormPredicates
import SwormStore

/// `sworm-tool watch`: shows the changes that other programs commit.
enum WatchCommand {
    static let command = Command(
        CommandSpec(
            "watch", summary: "Shows the changes that other programs commit, until it is interrupted.",
            discussion: [
                "Each line is one changed object: the date, the kind of the change, the object, its changed properties "
                    + "with their old and new values, and the author. The store is opened read-only.",
                "In a store with a history, each transaction is shown once, however quickly they follow each other. A "
                    + "value that a later transaction has replaced before it was read is shown as '…'. Without a "
                    + "history, all objects are compared after each commit; quick commits are shown together, and "
                    + "marked. Old values are those that were read last, so all watched objects are read at the start.",
                "With --where, objects are shown that match the predicate before or after the change. Without "
                    + "--entity, it applies to the entities that have its properties.",
            ],
            operands: [OperandSpec("STORE", summary: "The store file.")],
            options: [
                OptionSpec("entity", value: "NAME", summary: "Only objects of an entity and of its sub-entities."),
                CountCommand.whereOption,
                OptionSpec("json", summary: "Writes a line of JSON for each change."),
                BlobStyle.option, StoreModelChoice.option,
            ],
            examples: [
                "sworm-tool watch Library.sqlite",
                "sworm-tool watch Library.sqlite --entity Book --where 'year > 1860' --json",
            ])
    ) { arguments, console in
        let store = try StoreReader(arguments.operands[0], arguments: arguments)
        let predicate = try store.predicate(arguments)
        let entities = try entities(arguments, matching: predicate, in: store)
        // A view that stays open would prevent that the log is emptied.
        store.session.end()

        let pending = DispatchSemaphore(value: 0)
        let isInterrupted = Locked(false)
        return try Interruption.handled {
            isInterrupted.withLock { $0 = true }
            pending.signal()
        } _: {
            // Begun before the first reading, so that no commit is missed in between.
            let stopListening = store.store.listen(concerning: nil) { _ in pending.signal() }
            defer { stopListening() }
            let watch = try StoreWatch(
                store, entities: entities, predicate: predicate, blobs: BlobStyle(arguments))
            let history = watch.lastTransaction == nil ? "without a history" : "with a history"
            console.note("watching \(watch.count) objects \(history); interrupt to end")
            let isJSON = arguments.has("json")
            while true {
                for change in try watch.changes(warn: console.warn) {
                    if isJSON { change.writeJSON(to: console.out) } else { change.writeText(to: console.out) }
                }
                try console.out.flush()
                pending.wait()
                while pending.wait(timeout: .now()) == .success {}
                if isInterrupted.withLock({ $0 }) { break }
            }
            store.missingFiles.report(console, of: arguments.operands[0])
            return .ok
        }
    }

    private static func entities(
        _ arguments: Arguments, matching predicate: PredicateTree?, in store: StoreReader
    ) throws -> [CompiledEntity] {
        func family(_ entity: CompiledEntity) -> [CompiledEntity] {
            store.model.entities.filter { entity.family.contains($0.number) && !$0.isAbstract }
        }
        func check(_ entity: CompiledEntity) throws {
            var fetch = FetchSpecification(entity: entity.number)
            fetch.predicate = predicate
            try store.naming(entity) { try store.session.check(fetch) }
        }
        if let name = arguments.value("entity") {
            let entity = try store.entity(name)
            try check(entity)
            return family(entity)
        }
        let all = store.model.entities.filter { !$0.isAbstract }
        guard predicate != nil else { return all }
        var found: [CompiledEntity] = []
        var failure: (any Error)?
        for entity in all {
            do {
                try check(entity)
                found.append(entity)
            } catch {
                failure = failure ?? error
            }
        }
        if found.isEmpty, let failure { throw failure }
        return found
    }
}
