/// The help of the tool and of its commands, generated from their specifications.
enum HelpText {
    private static let width = 80

    static func tool(_ commands: [CommandSpec]) -> String {
        var lines = [
            "sworm-tool inspects, queries, checks, compares, copies and migrates Core Data",
            "stores.", "",
            "usage: sworm-tool COMMAND [ARGUMENTS]", "", "commands:",
        ]
        let indent = (commands.map(\.name.count).max() ?? 0) + 4
        for command in commands { lines += entry(command.name, summary: command.summary, indent: indent) }
        lines += [
            "", "See 'sworm-tool COMMAND --help' for the help of a command. Read-only commands",
            "never modify a store file, and also read the changes in its -wal. If the store",
            "has a -shm, they take part as readers, and their locks modify the -shm. It",
            "contains no data: SQLite recreates it from the -wal.", "",
            "exit codes: 0 done, 1 differences or faults found, 2 wrong arguments, 3 failed",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    static func command(_ spec: CommandSpec) -> String {
        var lines = wrap(spec.summary, indent: 0)
        lines += [""]
        let usage = (["usage: sworm-tool", spec.name] + spec.operands.map(\.usage) + ["[OPTIONS]"])
        lines += [usage.joined(separator: " "), ""]
        for paragraph in spec.discussion { lines += wrap(paragraph, indent: 0) + [""] }
        let options = spec.allOptions.map { (label($0), text($0)) }
        let indent = min(28, ((options.map(\.0.count) + spec.operands.map(\.name.count)).max() ?? 0) + 4)
        for operand in spec.operands { lines += entry(operand.name, summary: operand.summary, indent: indent) }
        if !spec.operands.isEmpty { lines.append("") }
        lines.append("options:")
        for (label, text) in options { lines += entry(label, summary: text, indent: indent) }
        if !spec.examples.isEmpty {
            lines += ["", "examples:"] + spec.examples.map { "  " + $0 }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func label(_ option: OptionSpec) -> String {
        let short = option.short.map { "-\($0), " } ?? ""
        return short + "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
    }

    private static func text(_ option: OptionSpec) -> String {
        guard !option.choices.isEmpty else { return option.summary }
        return "\(option.summary) One of \(option.choices.joined(separator: ", "))."
    }

    private static func entry(_ name: String, summary text: String, indent: Int) -> [String] {
        var lines = wrap(text, indent: indent)
        let label = "  " + name
        if label.count + 2 > indent {
            lines.insert(label, at: 0)
        } else if let first = lines.first {
            lines[0] = label + first.dropFirst(label.count)
        }
        return lines
    }

    private static func wrap(_ text: String, indent: Int) -> [String] {
        let blank = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > width {
                lines.append(blank + line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + [blank + line]
    }
}
