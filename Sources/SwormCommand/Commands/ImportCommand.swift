import Foundation
import OpenCoreData
import SwormStore

/// `sworm-tool import`: creates a store from a dump.
enum ImportCommand {
    static let command = Command(
        CommandSpec(
            "import", summary: "Creates a new store from the output of 'dump'.",
            discussion: [
                "Objects keep their primary keys; the store gets a new identifier. It appears under its name only when it "
                    + "is complete.",
                "If something in the dump cannot be imported unchanged, no store is created, and the error names the line, the "
                    + "object and the property. Derived values are recomputed where a save recomputes them.",
                "Missing values of required properties, links to missing objects, links without a matching inverse, and "
                    + "missing external data files are imported as they are, with a warning for each.",
                "A store that is mirrored to CloudKit is never replaced.",
            ],
            operands: [
                OperandSpec("DUMP", summary: "The file or pipe with the output of 'dump'; - for the standard input."),
                OperandSpec("TO", summary: "The file of the new store."),
            ],
            options: [
                OptionSpec(
                    "model", value: "PATH",
                    summary:
                        "The model of the dumped store, which a dump does not contain: an .xcdatamodeld, .xcdatamodel, "
                        + ".momd or .mom, or a store that contains its model, such as the dumped store. Of several "
                        + "versions, the matching one is used. Required."),
                OptionSpec("force", summary: "Replaces an existing store."),
                OptionSpec("history", summary: "The new store has a history."),
            ],
            examples: [
                "sworm-tool import library.ndjson New.sqlite --model Library.xcdatamodeld",
                "sworm-tool dump Old.sqlite | sworm-tool import - New.sqlite --model Old.sqlite",
            ])
    ) { arguments, console in
        let reader = try DumpReader(arguments.operands[0])
        guard let option = arguments.url("model") else {
            throw ToolError(
                .modelNeeded, "the model of \(reader.name) is required",
                hint: "name the model, or the dumped store: --model PATH")
        }
        let description = try StoreModelChoice.model(hashes: reader.hashes, of: reader.name, option: option).model
        guard description.storeHashes == nil else {
            throw ToolError(
                .modelMismatch, "a model that was inferred from a store is not sufficient to create another store",
                hint: "use the model that the store was written with")
        }
        let model = try description.compiled()
        let place = try NewStoreLocation(arguments.operands[1], replaces: arguments.has("force"))
        var options = StoreOptions()
        options.tracksHistory = arguments.has("history")
        options.modelCache = try description.storeCache()
        let store = try SQLiteStore.open(url: place.url, model: model, options: options)
        do {
            if !reader.metadata.isEmpty { try store.setMetadata(reader.metadata) }
            let derived = DerivedValues(model)
            let storeImport = StoreImport(store, derived: derived, dump: reader.name, console: console)
            let count = try storeImport.fill(from: reader)
            store.close()
            try storeImport.strays.write(to: place.url)
            try derived.write(to: place.url)
            try place.finish()
            for warning in storeImport.warnings { console.warn(warning) }
            if reader.missingFiles > 0 { console.warn("\(MissingFiles.words(reader.missingFiles)) missing") }
            console.line("\(count) object\(count == 1 ? "" : "s") imported")
        } catch {
            store.close()
            throw error
        }
        return .ok
    }
}
