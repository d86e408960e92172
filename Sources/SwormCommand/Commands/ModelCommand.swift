import Foundation
import OpenCoreData

/// `sworm-tool model`: the model of a store, or one in a file.
enum ModelCommand {
    static let command = Command(
        CommandSpec(
            "model", "Shows the model of a store, or one in a file.",
            operands: [OperandSpec("STORE|MODEL", "The file of a store, or a model.")],
            options: [
                OptionSpec("json", "Answer as JSON."), StoreModelChoice.option,
            ],
            examples: ["sworm-tool model Library.xcdatamodeld"])
    ) { arguments, console in
        let (model, source) = try model(arguments)
        if arguments.has("json") {
            console.answer(try ModelJSON.value(model))
        } else {
            try ModelListing.write(model, source: source, to: console)
        }
        return .ok
    }

    private static func model(_ arguments: Arguments) throws -> (model: NSManagedObjectModel, source: String) {
        let url = Arguments.url(arguments.operands[0])
        let kinds = ["xcdatamodeld", "xcdatamodel", "momd", "mom", "omo"]
        guard !kinds.contains(url.pathExtension.lowercased()) else { return try StoreModelChoice.model(at: url) }
        return try StoreModelChoice.model(for: url, option: arguments.url("model"))
    }
}
