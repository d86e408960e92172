import Foundation
import OpenCoreData
import SwormStore

/// `sworm-tool migrate`: migrates a store to another model.
enum MigrateCommand {
    static let command = Command(
        CommandSpec(
            "migrate", summary: "Migrates a store to another model, if the mapping can be inferred.",
            discussion: [
                "Entities and properties are matched by their names and renaming identifiers, as Core Data's lightweight "
                    + "migration does. If the mapping cannot be inferred, all reasons are listed. A copy of the store is "
                    + "migrated and checked, and then replaces the store atomically. If anything fails before that, the "
                    + "store is unchanged. A store that already has that model only gets the indexes that are missing "
                    + "or differ.",
                "With --dry-run, a temporary copy is migrated and then discarded, and the effects on the objects are "
                    + "listed: deleted objects, values that are lost or set to defaults, values that are missing or not "
                    + "unique, and dangling links, with the time and the disk space needed. The exit code is then 1 if "
                    + "the store cannot be migrated, or would lose data.",
                "A store that is mirrored to CloudKit is only migrated with --mirrored. Its records follow their objects. "
                    + "It is not migrated if the new model lacks an entity that has records.",
                "The store can also be the address of a store on a PostgreSQL server. Its tables are changed so that programs "
                    + "with the older model go on; with --all, the new model alone is served. The statements are listed, and with "
                    + "--dry-run not run. When no program uses an older model any more, --contract removes what is left of it.",
            ],
            operands: [OperandSpec("STORE", summary: "The store file, or the address of a store on a server.")],
            options: [
                OptionSpec(
                    "model", value: "NEW",
                    summary:
                        "The model to migrate to: an .xcdatamodeld, .xcdatamodel, .momd or .mom, or another store. Of several "
                        + "versions, the current one is used."),
                OptionSpec("mirrored", summary: "Migrates the store even if it is mirrored to CloudKit."),
                OptionSpec("dry-run", summary: "Lists the effects of the migration, and leaves the store unchanged."),
                OptionSpec(
                    "all", summary: "On a server: makes changes after which programs with older models cannot go on."),
                OptionSpec("contract", summary: "On a server: removes what only older models need."),
                OptionSpec("json", summary: "Writes JSON."),
            ],
            examples: [
                "sworm-tool migrate Library.sqlite --model Library.xcdatamodeld --dry-run",
                "sworm-tool migrate Library.sqlite --model Library.xcdatamodeld",
            ])
    ) { arguments, console in
        if ServerOperand.isAddress(arguments.operands[0]) {
            #if PostgreSQL
            return try ServerMigrate(arguments: arguments, console: console).run()
            #else
            throw ServerOperand.unavailable
            #endif
        }
        for option in ["all", "contract"] where arguments.has(option) {
            throw ToolError(
                .usage, "the option '--\(option)' is for a store on a server", hint: "omit --\(option)")
        }
        let url = try FilePath.store(arguments.operands[0])
        guard let option = arguments.url("model") else {
            throw ToolError(
                .usage, "'migrate' needs the model to migrate to",
                hint: "use --model NEW with an .xcdatamodeld, .momd or .mom, or a store of that model")
        }
        try checkMirroring(of: url, arguments)
        let (new, newName) = try StoreModelChoice.model(at: option)
        let (old, oldName) = try source(of: url, option)
        return arguments.has("dry-run")
            ? try rehearse(url, from: (old, oldName), to: (new, newName), arguments: arguments, console: console)
            : try migrate(url, from: old, to: (new, newName), arguments: arguments, console: console)
    }

    private static func checkMirroring(of url: URL, _ arguments: Arguments) throws {
        guard !arguments.has("mirrored"), try StoreInspector(url: url).mirroringTable != nil else { return }
        throw ToolError(
            .file, "'\(arguments.operands[0])' is mirrored to CloudKit and was not migrated",
            hint: "--mirrored migrates it nevertheless; 'inspect --cloudkit' shows what waits for upload")
    }

    private static func options(_ arguments: Arguments) -> StoreOptions {
        var options = StoreOptions()
        options.writesMirroredStores = arguments.has("mirrored")
        return options
    }

    /// Returns the model that the store was written with.
    private static func source(of url: URL, _ option: URL) throws -> (model: NSManagedObjectModel, name: String) {
        let stored = try StoredModel(ofStoreAt: url)
        guard stored.source != .cache else { return (stored.model, "the store's own copy") }
        // A store without a copy of its model may have been written with another version of the new model.
        do {
            let found = try StoreModelChoice.model(for: url, option: option)
            return (found.model, found.source)
        } catch let error as ToolError where error.code == .modelMismatch {
            throw ToolError(
                .modelNeeded,
                "'\(url.lastPathComponent)' has no copy of the model that it was written with, and \(error.message)",
                hint: "use an .xcdatamodeld or .momd that also contains the version that the store was written with")
        }
    }

    private static func rehearse(
        _ url: URL, from old: (model: NSManagedObjectModel, name: String),
        to new: (model: NSManagedObjectModel, name: String),
        arguments: Arguments, console: Console
    ) throws -> ExitCode {
        let progress = PhaseProgress(console)
        let report = try MigrationRehearsal(
            of: url, from: .init(old.name, model: old.model), through: [.init(new.name, model: new.model)],
            options: options(arguments), progress: { _, state in progress.update(state) }
        ).run()
        progress.end()
        if arguments.has("json") {
            console.answer(RehearsalText.json(report, store: arguments.operands[0], model: new.name))
        } else {
            RehearsalText.write(report, to: console)
        }
        return report.migrates && report.keepsEverything ? .ok : .found
    }

    private static func migrate(
        _ url: URL, from old: NSManagedObjectModel, to new: (model: NSManagedObjectModel, name: String),
        arguments: Arguments, console: Console
    ) throws -> ExitCode {
        let start = ContinuousClock.now
        var report: MigrationReport?
        var indexes = MissingIndexes.Changes()
        if old.entityVersionHashesByName != new.model.entityVersionHashesByName {
            let progress = PhaseProgress(console)
            report = try StoreMigration(
                inferring: url, from: old, to: new.model, options: options(arguments)
            ) { progress.update($0) }.run()
            progress.end()
        } else {
            StoreMigration.removeRemains(beside: StoreFiles(url: url))
            indexes = try MissingIndexes.make(at: url, model: new.model.compiled(), options: options(arguments))
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let size = FileStamp(path: StoreFiles(url: url).main)?.size ?? 0
        if arguments.has("json") {
            console.answer(
                json(report, indexes: indexes, arguments: arguments, model: new.name, seconds: seconds, size: size))
            return .ok
        }
        guard let report else {
            guard !indexes.isEmpty else {
                console.line("nothing to do: the store already has that model")
                return .ok
            }
            console.line("the store already has that model")
            RehearsalText.list("missing indexes created", names: indexes.missing, to: console)
            RehearsalText.list("changed indexes recreated", names: indexes.changed, to: console)
            return .ok
        }
        for entity in report.entities {
            console.line(
                entity.destination.map {
                    "\(entity.source)\($0 == entity.source ? "" : " -> \($0)"): \(entity.count)"
                } ?? "\(entity.source): \(entity.count) removed")
        }
        for note in report.notes { console.line("note: \(note)") }
        if report.removedFiles > 0 { console.line("external data files removed: \(report.removedFiles)") }
        console.line("migrated to \(new.name), \(ByteCountText.text(size)), \(RehearsalText.time(seconds))")
        return .ok
    }

    private static func json(
        _ report: MigrationReport?, indexes: MissingIndexes.Changes, arguments: Arguments, model: String,
        seconds: Double,
        size: Int64
    ) -> JSONValue {
        let items: [(String, JSONValue)] = [
            ("store", .string(arguments.operands[0])), ("model", .string(model)), ("migrated", .bool(report != nil)),
            (
                "entities",
                .array(
                    (report?.entities ?? []).map {
                        .object([
                            ("source", .string($0.source)), ("destination", .optional($0.destination)),
                            ("count", .int($0.count)),
                        ])
                    })
            ),
            ("notes", .array((report?.notes ?? []).map { .string($0) })),
            ("removedFiles", .count(report?.removedFiles ?? 0)), ("seconds", .double(seconds)), ("size", .int(size)),
        ]
        return .object(items + RehearsalText.json(indexes))
    }
}

/// A display of the progress of a migration, phase by phase.
private final class PhaseProgress {
    private let console: Console
    private var current: (phase: MigrationProgress.Phase, progress: Progress)?

    init(_ console: Console) { self.console = console }

    func update(_ state: MigrationProgress) {
        if current?.phase != state.phase {
            end()
            current = (state.phase, Progress(console, label: state.phase.rawValue))
        }
        current?.progress.update(state.done, of: state.total)
    }

    func end() {
        current?.progress.end()
        current = nil
    }
}
