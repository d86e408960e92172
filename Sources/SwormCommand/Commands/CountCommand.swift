import OpenCoreData
import SwormStore

/// `sworm-tool count`: counts the objects of an entity.
enum CountCommand {
    static let whereOption = OptionSpec(
        "where", value: "PREDICATE",
        summary: "Only objects that match a predicate, in Core Data's predicate format syntax.")

    static let command = Command(
        CommandSpec(
            "count", summary: "Counts the objects of an entity and of its sub-entities.",
            operands: [
                OperandSpec("STORE", summary: "The store file, or the address of a store on a server."),
                OperandSpec("ENTITY", summary: "The name of the entity."),
            ],
            options: [whereOption, StoreModelChoice.option, OptionSpec("json", summary: "Writes JSON.")],
            examples: ["sworm-tool count Library.sqlite Book --where 'year > 1860'"])
    ) { arguments, console in
        let store = try StoreReader(arguments.operands[0], arguments: arguments, allowsServers: true)
        let entity = try store.entity(arguments.operands[1])
        var fetch = FetchSpecification(entity: entity.number)
        fetch.predicate = try store.predicate(arguments)
        let count = try store.naming(entity) { try store.session.count(fetch) }
        if arguments.has("json") {
            console.answer(.object([("entity", .string(entity.name)), ("count", .count(count))]))
        } else {
            console.line("\(count)")
        }
        return .ok
    }
}
