import SwormStore

/// `sworm-tool timeline`: shows what changed when, and by whom.
enum TimelineCommand {
    static let command = Command(
        CommandSpec(
            "timeline", summary: "Shows the changes in a store's history, by time, author or entity.",
            discussion: [
                "Each line counts the transactions and changes of a group: + inserted, ~ updated, - deleted objects. With "
                    + "--object, each change of the object is shown with the properties that it changed. Days and "
                    + "hours are those of UTC.",
                "The history contains what the app has not deleted from it yet, and values only of deleted objects "
                    + "whose attributes the model preserves.",
            ],
            operands: [OperandSpec("STORE", summary: "The store file, or the address of a store on a server.")],
            options: [TimelineGrouping.option] + TimelineFilter.options + HiddenAttributes.options + [
                StoreModelChoice.option, OptionSpec("json", summary: "Writes JSON."),
            ],
            examples: [
                "sworm-tool timeline Library.sqlite --since 30d", "sworm-tool timeline Library.sqlite --by author",
                "sworm-tool timeline Library.sqlite --object Book/17",
            ])
    ) { arguments, console in
        let store = try StoreReader(arguments.operands[0], arguments: arguments, allowsServers: true)
        let filter = try TimelineFilter(arguments, store: store)
        let reader = TimelineReader(store: store, filter: filter)
        if filter.key != nil {
            guard arguments.value("by") == nil else {
                throw ToolError(.usage, "--object shows single changes, which are in no groups", hint: "omit --by")
            }
            let hidden = try HiddenAttributes(arguments, model: store.model)
            try TimelineChanges(reader, hidden: hidden, console: console).write(json: arguments.has("json"))
            return .ok
        }
        let asked = arguments.value("by").flatMap { TimelineGrouping(rawValue: $0) } ?? .day
        if asked == .transaction {
            try TimelineTransactions(reader, console: console).write(json: arguments.has("json"))
            return .ok
        }
        var groups = TimelineGroups(by: asked, in: store)
        try reader.forEach { groups.add($0) }
        let output = TimelineOutput(groups: groups.sorted, grouping: asked, console: console)
        if arguments.has("json") { output.writeJSON() } else { output.writeTable() }
        return .ok
    }
}
