/// The groups of a timeline as a table or as JSON.
struct TimelineOutput {
    /// The greatest number of signs of a bar.
    private static let longestBar = 20

    let groups: [TimelineGroup]
    let grouping: TimelineGrouping
    let console: Console

    func writeTable() {
        let title = grouping == .day || grouping == .hour ? "\(grouping.rawValue) (UTC)" : grouping.rawValue
        var titles = [title, "transactions", "changes", "+", "~", "-"]
        var right = [false, true, true, true, true, true]
        if grouping != .author {
            titles.append("authors")
            right.append(false)
        }
        let table = TextTable(titles + [""], right: right + [false], width: console.width, to: console.out)
        let most = groups.map(\.counts.total).max() ?? 0
        for group in groups {
            var cells = [grouping == .author && group.key.isEmpty ? "no author" : group.key, "\(group.transactions)"]
            cells += Self.cells(group.counts)
            if grouping != .author { cells.append(authors(group)) }
            table.add(cells + [Self.bar(group.counts.total, most: most)])
        }
        table.end()
        if groups.isEmpty { console.line("no transactions") }
    }

    private func authors(_ group: TimelineGroup) -> String {
        let names = group.sortedAuthors.map { $0.isEmpty ? "no author" : $0 }
        return names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and \(names.count - 3) more" : "")
    }

    /// Returns the cells of the numbers of changes. Zero is shown only in the total.
    static func cells(_ counts: ChangeCounts) -> [String] {
        ["\(counts.total)"] + [counts.inserted, counts.updated, counts.deleted].map { $0 > 0 ? "\($0)" : "" }
    }

    private static func bar(_ count: Int, most: Int) -> String {
        guard count > 0, most > 0 else { return "" }
        let length = Int((Double(count) / Double(most) * Double(longestBar)).rounded())
        return String(repeating: "█", count: max(1, length))
    }

    func writeJSON() {
        console.answer(
            .array(
                groups.map { group in
                    let key: JSONValue = grouping == .author && group.key.isEmpty ? .null : .string(group.key)
                    let authors = group.sortedAuthors.map { name -> JSONValue in
                        .object([
                            ("author", name.isEmpty ? .null : .string(name)),
                            ("transactions", .count(group.authors[name] ?? 0)),
                        ])
                    }
                    return .object(
                        [(grouping.rawValue, key), ("transactions", .count(group.transactions))]
                            + Self.members(group.counts) + [("authors", .array(authors))])
                }))
    }

    static func members(_ counts: ChangeCounts) -> [(String, JSONValue)] {
        [
            ("changes", .count(counts.total)), ("inserted", .count(counts.inserted)),
            ("updated", .count(counts.updated)), ("deleted", .count(counts.deleted)),
        ]
    }
}
