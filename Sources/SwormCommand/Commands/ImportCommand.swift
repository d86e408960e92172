import Foundation
import OpenCoreData

/// `sworm-tool import`: a new store from a dump.
enum ImportCommand {
    static let command = Command(
        CommandSpec(
            "import", "Makes a new store from what 'dump' wrote.",
            discussion: [
                "Objects keep their keys; the store gets an identifier of its own. It appears under its name only when it "
                    + "is whole."
            ],
            operands: [
                OperandSpec("DUMP", "The file of lines that 'dump' wrote."),
                OperandSpec("TO", "The file of the new store."),
            ],
            options: [
                StoreModelChoice.option, OptionSpec("force", "Replaces a store of that name."),
                OptionSpec("history", "The new store keeps a history."),
            ],
            examples: ["sworm-tool import library.ndjson New.sqlite --model Library.xcdatamodeld"])
    ) { arguments, console in
        let source = Arguments.url(arguments.operands[0])
        let reader = try DumpReader(source)
        guard let option = arguments.url("model") else {
            throw ToolError(
                .modelNeeded, "the model of '\(source.lastPathComponent)' is needed, and none is given",
                hint: "name a model, or the store that was dumped: --model PATH")
        }
        let description = try StoreModelChoice.model(hashes: reader.hashes, of: source, option: option).model
        guard description.storeHashes == nil else {
            throw ToolError(
                .modelMismatch, "the model that was inferred from a store is not enough to make another one",
                hint: "give the model that the store was written with")
        }
        let model = try description.compiled()
        let place = try NewStorePlace(arguments.operands[1], replaces: arguments.has("force"))
        var options = StoreOptions()
        options.tracksHistory = arguments.has("history")
        options.modelCache = try description.storeCache()
        let store = try SQLiteStore.open(url: place.url, model: model, options: options)
        do {
            if !reader.metadata.isEmpty { try store.setMetadata(reader.metadata) }
            let count = try StoreFiller(store, console).fill(from: reader)
            store.close()
            try DerivedValues.write(from: source, to: place.url, model: model)
            try place.finish()
            console.line("\(count) object\(count == 1 ? "" : "s") imported")
        } catch {
            store.close()
            throw error
        }
        return .ok
    }
}
