import Foundation
import OpenCoreData
import SwormStore

/// `sworm-tool freeze`: writes a shipped version in forms for code and tests, and checks them later.
enum FreezeCommand {
    private static let standardFolder = "Frozen"

    static let command = Command(
        CommandSpec(
            "freeze", summary: "Keeps a shipped version of a model as code, model, hashes and a sample store.",
            discussion: [
                "Writes into FOLDER, each named after the version: Swift structs with tables, an .xcdatamodel, a SwiftData "
                    + "schema, the version hashes for a release ledger, and a small store of made-up objects. The objects "
                    + "of STORE are not read. The same model gives the same files.",
                "--check compares the files with what was written, with each other, and with STORE or MODEL as the current "
                    + "model, and names every difference. An .xcdatamodeld or .momd must have each frozen version, even if "
                    + "it has only one version left, and every version in it must be readable; a store or a single model "
                    + "is compared with the frozen version that is most similar, or that --name names. With FOLDER "
                    + "alone, only the files are compared. The exit code is 1 if there are differences.",
            ],
            operands: [
                OperandSpec("STORE|MODEL", summary: "A store file, or a model."),
                OperandSpec(
                    "FOLDER", summary: "The folder of the frozen versions. The default is '\(standardFolder)'.",
                    isOptional: true),
            ],
            options: [
                OptionSpec("check", summary: "Changes nothing, and lists the differences."),
                OptionSpec(
                    "name", value: "NAME",
                    summary:
                        "The name of the version. The default is the identifier that the model has, or its file name."),
                OptionSpec("force", summary: "Replaces a frozen version of the same name."), StoreModelChoice.option,
                OptionSpec("json", summary: "Writes the differences as JSON."),
            ],
            examples: [
                "sworm-tool freeze Library.sqlite Releases --name 1.0",
                "sworm-tool freeze --check Library.xcdatamodeld Releases",
            ])
    ) { arguments, console in
        if arguments.has("check") { return try check(arguments, to: console) }
        if arguments.has("json") {
            throw ToolError(.usage, "--json is for the differences that --check lists", hint: "omit --json")
        }
        let folder = try FrozenFolder(arguments.operands.count > 1 ? arguments.operands[1] : standardFolder)
        let model = try StoreModelChoice.model(of: arguments).model
        try requireWhole(model, of: arguments)
        for note in model.readingNotes { console.warn(note) }
        let (names, source) = try names(for: model, of: arguments)
        let parts = FrozenParts(names: names, model: model)
        let (outcome, warnings) = try folder.write(parts, source: source, replaces: arguments.has("force"))
        for warning in warnings { console.warn(warning) }
        switch outcome {
        case .created: console.line("froze \(names.version) in \(folder.path)")
        case .replaced: console.line("replaced \(names.version) in \(folder.path)")
        case .unchanged: console.line("\(names.version) is frozen in \(folder.path) already, and unchanged")
        }
        return .ok
    }

    /// Throws an error if the model was inferred from the tables of a store.
    private static func requireWhole(_ model: NSManagedObjectModel, of arguments: Arguments) throws {
        guard model.storeHashes != nil else { return }
        throw ToolError(
            .modelNeeded, "'\(arguments.operands[0])' has no copy of the model that it was written with",
            hint: "name the model: --model PATH")
    }

    /// Returns the names of a version, and that of the version in the model file.
    private static func names(
        for model: NSManagedObjectModel, of arguments: Arguments
    ) throws -> (FrozenNames, source: String?) {
        let path = arguments.operands[0]
        let url = Arguments.url(path)
        let source = FilePath.isModel(path) ? try? NSManagedObjectModel.currentVersionName(at: url) : nil
        // A version of a model is named after the model that contains it.
        let outer = url.deletingLastPathComponent()
        let isInner = FilePath.isModel(path) && isSeries(outer)
        let stem = (isInner ? outer : url).deletingPathExtension().lastPathComponent
        let identifiers = model.versionIdentifiers.compactMap { $0.base as? String }.filter(FrozenNames.isFileName)
        let version =
            arguments.value("name") ?? (identifiers.count == 1 ? identifiers[0] : nil) ?? source
            ?? url.deletingPathExtension().lastPathComponent
        return (try FrozenNames(version: version, model: stem), source)
    }

    /// Returns whether a model file is one of several versions, by its extension.
    private static func isSeries(_ url: URL) -> Bool {
        ["xcdatamodeld", "momd"].contains(url.pathExtension.lowercased())
    }

    // MARK: Checking

    private static func check(_ arguments: Arguments, to console: Console) throws -> ExitCode {
        if arguments.has("force") {
            throw ToolError(.usage, "--check changes nothing, so that --force has no meaning", hint: "omit --force")
        }
        let first = arguments.operands[0]
        let isAlone =
            arguments.operands.count == 1 && !FilePath.isModel(first)
            && FileKind(path: Arguments.url(first).path) == .folder
        let folder = try FrozenFolder(
            isAlone ? first : arguments.operands.count > 1 ? arguments.operands[1] : standardFolder)
        var (versions, strays) = (try folder.versions(), try folder.strays())
        if let name = arguments.value("name") {
            guard versions.contains(name) || strays.contains(where: { $0.version == name }) else {
                throw ToolError(
                    .file, "'\(folder.path)' has no frozen version '\(name)'",
                    hint: nameHint(name, among: versions, what: "the versions are"))
            }
            versions = versions.filter { $0 == name }
            strays = strays.filter { $0.version == name }
        }
        let frozen = try versions.map { try FrozenVersion($0, in: folder) }
        var drifts = frozen.flatMap { $0.drifts() } + strays
        if !isAlone {
            let found = try current(arguments).drifts(from: frozen)
            versions = found.versions
            drifts += found.drifts
        }
        write(drifts, versions: versions, asJSON: arguments.has("json"), to: console)
        return drifts.isEmpty ? .ok : .found
    }

    /// - Throws: ``ToolError`` if a version of the current model cannot be read, because it may be a frozen one.
    private static func current(_ arguments: Arguments) throws -> CurrentModels {
        let (readable, unreadable) = try StoreModelChoice.versions(of: arguments)
        for (_, model) in readable { try requireWhole(model, of: arguments) }
        guard unreadable.isEmpty else {
            let messages = unreadable.map { "the version '\($0.name)' cannot be read: \($0.error.message)" }
            throw ToolError(.file, messages.joined(separator: "; "), hint: "restore the version, and check again")
        }
        let path = arguments.operands[0]
        return CurrentModels(
            readable, isSeries: isSeries(Arguments.url(path)),
            areFiles: FilePath.isModel(arguments.value("model") ?? path))
    }

    private static func write(
        _ drifts: [FrozenDrift], versions: [String], asJSON: Bool, to console: Console
    ) {
        if asJSON {
            console.answer(
                .object([
                    ("versions", .array(versions.map { .string($0) })),
                    (
                        "differences",
                        .array(
                            drifts.map {
                                .object([
                                    ("version", .string($0.version)), ("file", .optional($0.file)),
                                    ("message", .string($0.message)),
                                ])
                            })
                    ),
                ]))
            return
        }
        for drift in drifts { console.line(drift.line) }
        let count = drifts.count
        console.line(
            count == 0
                ? "no differences from \(versions.joined(separator: ", "))"
                : "\(count) difference\(count == 1 ? "" : "s") from what was frozen")
    }
}
