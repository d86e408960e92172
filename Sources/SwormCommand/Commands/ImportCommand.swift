import Foundation
import OpenCoreData
import SwormStore

/// `sworm-tool import`: creates a store from a dump.
enum ImportCommand {
    static let command = Command(
        CommandSpec(
            "import", summary: "Makes a new store from what 'dump' wrote.",
            discussion: [
                "Objects keep their keys; the store gets an identifier of its own. It appears under its name only when it "
                    + "is whole.",
                "A dump of which something could not be taken over as it is makes no store: an error names the line, the "
                    + "object and the property. Derived values are worked out anew where a save does that.",
                "Values that are missing though the model demands them, links to objects that are not there or do not lead "
                    + "back, and missing files of external data are taken over as they are, with a warning for each.",
            ],
            operands: [
                OperandSpec("DUMP", summary: "The file or pipe of lines that 'dump' wrote; - for the standard input."),
                OperandSpec("TO", summary: "The file of the new store."),
            ],
            options: [
                OptionSpec(
                    "model", value: "PATH",
                    summary:
                        "The model of the store that was dumped, which a dump does not hold: an .xcdatamodeld, .xcdatamodel, "
                        + ".momd or .mom, or a store that carries its model, such as the one that was dumped. Of several "
                        + "versions the one that fits is taken. It must be given."),
                OptionSpec("force", summary: "Replaces a store of that name."),
                OptionSpec("history", summary: "The new store keeps a history."),
            ],
            examples: [
                "sworm-tool import library.ndjson New.sqlite --model Library.xcdatamodeld",
                "sworm-tool dump Old.sqlite | sworm-tool import - New.sqlite --model Old.sqlite",
            ])
    ) { arguments, console in
        let reader = try DumpReader(arguments.operands[0])
        guard let option = arguments.url("model") else {
            throw ToolError(
                .modelNeeded, "the model of \(reader.name) is needed, and none is given",
                hint: "name a model, or the store that was dumped: --model PATH")
        }
        let description = try StoreModelChoice.model(hashes: reader.hashes, of: reader.name, option: option).model
        guard description.storeHashes == nil else {
            throw ToolError(
                .modelMismatch, "the model that was inferred from a store is not enough to make another one",
                hint: "give the model that the store was written with")
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
            let filler = StoreFiller(store, derived: derived, dump: reader.name, console: console)
            let count = try filler.fill(from: reader)
            store.close()
            try filler.strays.write(to: place.url)
            try derived.write(to: place.url)
            try place.finish()
            for warning in filler.warnings { console.warn(warning) }
            if reader.missingFiles > 0 { console.warn("\(MissingFiles.words(reader.missingFiles)) missing") }
            console.line("\(count) object\(count == 1 ? "" : "s") imported")
        } catch {
            store.close()
            throw error
        }
        return .ok
    }
}
