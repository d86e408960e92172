import Foundation

/// The content of an object as text for people.
struct ObjectText {
    private let facts: ObjectFacts
    private let console: Console
    /// The width of the names of properties.
    private let indent: Int

    init(_ facts: ObjectFacts, console: Console) {
        self.facts = facts
        self.console = console
        let names = facts.attributes.map(\.name) + facts.targets.map(\.relationship) + facts.sources.map(\.name)
        indent = min(names.map(DisplayWidth.of).max() ?? 0, max(12, console.width / 3))
    }

    func write() {
        let version = "version \(facts.version)"
        let title = facts.name.shown + (facts.label.map { "  \(TextTable.oneLine($0))" } ?? "")
        let room = max(10, console.width - version.count - 2)
        console.line(DisplayWidth.fit(title, to: room) + "  " + version)
        for attribute in facts.attributes {
            let text = attribute.isHidden ? "hidden" : attribute.text ?? "nil"
            line(attribute.name, attribute.text == "" ? "empty" : text)
        }
        if !facts.targets.isEmpty { console.line("points at") }
        for target in facts.targets {
            if target.isToMany {
                write(target.relationship, count: target.count, links: target.links)
            } else {
                line(target.relationship, target.links.first.map(text) ?? "nil")
            }
        }
        if !facts.sources.isEmpty { console.line("who points at this") }
        for source in facts.sources { write(source.name, count: source.count, links: source.links) }
        writeHistory()
    }

    /// Writes a relationship: its number of objects, and a line for each object that was read.
    private func write(_ name: String, count: Int, links: [ObjectFacts.Link]) {
        let digits = String(count)
        guard let first = links.first else { return line(name, digits) }
        line(name, digits + "  " + text(first))
        let blank = String(repeating: " ", count: digits.count + 2)
        for link in links.dropFirst() { line("", blank + text(link)) }
        if count > links.count { line("", blank + "and \(count - links.count) more: --all shows them") }
    }

    private func writeHistory() {
        guard let changes = facts.changes else { return }
        console.line("history")
        if changes.isEmpty { console.line("  no changes") }
        let authors = changes.map { Self.origin(author: $0.author, process: $0.process) }
        let width = min(authors.map(DisplayWidth.of).max() ?? 0, 20)
        for (change, author) in zip(changes, authors) {
            let date = DateText.whole(change.date.timeIntervalSinceReferenceDate.rounded(.down))
                .replacing("T", with: " ").replacing("Z", with: "")
            var text = "  \(date)  "
            if width > 0 { text += DisplayWidth.fit(TextTable.oneLine(author), to: width) + "  " }
            text += change.kind.rawValue
            if let properties = change.properties {
                text += "  " + properties.joined(separator: ", ")
            } else if change.kind == .updated {
                text += "  unknown properties"
            }
            let number = "  transaction \(change.transaction)"
            console.line(DisplayWidth.cut(text, to: max(40, console.width - number.count)) + number)
        }
    }

    /// Returns the author of a transaction, or in parentheses its process.
    static func origin(author: String?, process: String?) -> String {
        author ?? process.map { "(\($0))" } ?? ""
    }

    private func line(_ name: String, _ text: String) {
        let text = DisplayWidth.cut(TextTable.oneLine(text), to: max(20, console.width - indent - 4))
        console.line("  " + DisplayWidth.fit(TextTable.oneLine(name), to: indent) + "  " + text)
    }

    private func text(_ link: ObjectFacts.Link) -> String {
        link.name.shown + (link.exists ? link.label.map { "  \($0)" } ?? "" : "  does not exist")
    }
}
