import SwormStore

/// `sworm-tool show`: shows everything that a store knows about one object.
enum ShowCommand {
    static let command = Command(
        CommandSpec(
            "show", summary: "Shows an object: its values, its relationships in both directions, and its last changes.",
            discussion: [
                "An object is named by its entity and its key, such as Book/17, or by its URI. 'points at' lists the "
                    + "objects that it refers to; 'who points at this' lists the objects that refer to it, with their "
                    + "number. Of each relationship, the first \(ObjectReader.usualLinks) objects are shown unless --all "
                    + "is given.",
                "Objects are shown with labels, such as a title or a name. Values of attributes whose names look like "
                    + "secrets are hidden.",
            ],
            operands: [
                OperandSpec("STORE", summary: "The store file, or the address of a store on a server."),
                OperandSpec("OBJECT", summary: "The object, such as Book/17."),
            ],
            options: [
                OptionSpec("all", summary: "Shows all objects of each relationship."), LabelRule.option,
            ] + HiddenAttributes.options + [
                StoreModelChoice.option, OptionSpec("json", summary: "Writes JSON."),
            ],
            examples: [
                "sworm-tool show Library.sqlite Book/17", "sworm-tool show Library.sqlite Author/3 --all --json",
            ])
    ) { arguments, console in
        let store = try StoreReader(arguments.operands[0], arguments: arguments, allowsServers: true)
        let name = try ObjectOperand.name(arguments.operands[1], in: store)
        let hidden = try HiddenAttributes(arguments, model: store.model)
        let labels = Labels(store, rule: try LabelRule(store, arguments: arguments, hidden: hidden))
        let reader = ObjectReader(store, labels: labels, hidden: hidden)
        let facts = try reader.facts(
            of: try reader.find(name), links: arguments.has("all") ? nil : ObjectReader.usualLinks)
        if arguments.has("json") {
            console.answer(ObjectJSON.value(facts))
        } else {
            ObjectText(facts, console: console).write()
        }
        store.missingFiles.report(console, of: store.name)
        return .ok
    }
}
