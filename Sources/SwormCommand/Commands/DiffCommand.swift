import Foundation
import SwormPredicates
import OpenCoreData
import SwormStore

/// `sworm-tool diff`: lists the differences between two stores.
enum DiffCommand {
    static let command = Command(
        CommandSpec(
            "diff", summary: "Lists the objects that were added, removed or changed between two stores.",
            discussion: [
                "Objects are matched by entity and primary key, which suits two states of one store. For stores that were "
                    + "filled separately, use --key or --match unique; objects without such values are matched by primary key. "
                    + "The exit code is 1 if there are differences."
            ],
            operands: [
                OperandSpec("A", summary: "The file of the old store, or the address of a store on a server."),
                OperandSpec("B", summary: "The file of the new store, or the address of a store on a server."),
            ],
            options: [
                OptionSpec(
                    "key", value: "LIST", summary: "Matches objects by these attributes, for entities that have them."),
                OptionSpec(
                    "match", value: "HOW", choices: ["id", "unique"],
                    summary: "Matches objects by their ids, or by the uniqueness constraints of the model."),
                OptionSpec("entity", value: "LIST", summary: "Compares only the objects of these entities."),
                StoreModelChoice.option,
                OptionSpec("model-b", value: "PATH", summary: "The model of the second store, if it differs."),
                OptionSpec("json", summary: "Writes JSON."),
            ],
            examples: ["sworm-tool diff Before.sqlite After.sqlite --model Library.xcdatamodeld"])
    ) { arguments, console in
        let old = try StoreReader(arguments.operands[0], arguments: arguments, allowsServers: true)
        let new = try StoreReader(
            arguments.operands[1], arguments: arguments,
            modelOption: arguments.value("model-b") == nil ? "model" : "model-b", allowsServers: true)
        let names = try arguments.list("entity")?.map { name in
            try old.model.entity(named: name)?.name ?? new.entity(name).name
        }
        let writer: any DifferenceWriter =
            arguments.has("json") ? JSONDifferences(console) : TextDifferences(console)
        let progress = Progress(console, label: "differences")
        var total = 0
        let comparison = try StoreComparison(of: old, with: new, by: match(arguments, in: old)) { difference in
            writer.write(difference)
            total += 1
            progress.update(total)
            try console.out.check()
        }
        try comparison.run(names)
        progress.end()
        writer.end()
        old.missingFiles.report(console, of: old.name)
        new.missingFiles.report(console, of: new.name)
        return total == 0 ? .ok : .found
    }

    private static func match(_ arguments: Arguments, in store: StoreReader) throws -> ObjectMatch {
        guard let names = try arguments.list("key") else {
            return arguments.value("match") == "unique" ? .unique : .id
        }
        let match = ObjectMatch.attributes(names)
        guard store.model.entities.contains(where: { match.attributes(of: $0, in: store.model) != nil }) else {
            let known = Set(store.model.entities.flatMap { $0.attributes.map(\.name) }).sorted()
            guard let unknown = names.first(where: { !known.contains($0) }) else {
                throw ToolError(
                    .query, "no entity has all of the attributes \(names.joined(separator: ", "))",
                    hint: "match by fewer attributes, or by the uniqueness constraints: --match unique")
            }
            throw ToolError(
                .query, "no entity has the attribute '\(unknown)'",
                hint: nameHint(unknown, among: known, what: "the attributes are"))
        }
        return match
    }
}

/// A writer that writes differences as they are found.
private protocol DifferenceWriter: AnyObject {
    func write(_ difference: StoreComparison.Difference)
    func end()
}

private final class TextDifferences: DifferenceWriter {
    private let console: Console
    private var counts = (added: 0, removed: 0, changed: 0)

    init(_ console: Console) { self.console = console }

    func write(_ difference: StoreComparison.Difference) {
        switch difference {
        case .added(let name, let changes):
            counts.added += 1
            line("+ \(name)")
            for change in changes where change.new != "null" { line("    \(change.name): \(change.new ?? "")") }
        case .removed(let name, let changes):
            counts.removed += 1
            line("- \(name)")
            for change in changes where change.old != "null" { line("    \(change.name): \(change.old ?? "")") }
        case .changed(let name, let changes):
            counts.changed += 1
            line("~ \(name)")
            for change in changes { write(change) }
        }
    }

    private func write(_ change: StoreComparison.Change) {
        let (old, new) = (change.old ?? "nothing", change.new ?? "nothing")
        let together = "    \(change.name): \(old) -> \(new)"
        if DisplayWidth.of(together) <= console.width { return line(together) }
        line("    \(change.name): \(old)")
        line("      -> \(new)")
    }

    private func line(_ text: String) { console.line(DisplayWidth.cut(TextTable.oneLine(text), to: console.width)) }

    func end() {
        let (added, removed, changed) = counts
        console.line(
            added + removed + changed == 0
                ? "no differences" : "\(added) added, \(removed) removed, \(changed) changed")
    }
}

private final class JSONDifferences: DifferenceWriter {
    private let console: Console
    private var isEmpty = true

    init(_ console: Console) {
        self.console = console
        console.out.write("[" as StaticString)
    }

    func write(_ difference: StoreComparison.Difference) {
        console.out.write(isEmpty ? "\n" as StaticString : ",\n")
        isEmpty = false
        let (kind, name, changes) =
            switch difference {
            case .added(let name, let changes): ("added", name, changes)
            case .removed(let name, let changes): ("removed", name, changes)
            case .changed(let name, let changes): ("changed", name, changes)
            }
        JSONValue.object([
            ("kind", .string(kind)), ("object", .string(name)),
            (
                "properties",
                .object(changes.map { ($0.name, .object([("old", .optional($0.old)), ("new", .optional($0.new))])) })
            ),
        ]).write(to: console.out, indent: nil)
    }

    func end() { console.out.write(isEmpty ? "]\n" as StaticString : "\n]\n") }
}
