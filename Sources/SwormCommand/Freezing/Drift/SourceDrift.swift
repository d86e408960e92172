/// The differences between two sources in Swift, one line for each, with the type that contains it.
///
/// The order of lines inside a type does not matter.
enum SourceDrift {
    private struct Line: Hashable {
        var owner: String
        var text: String
    }

    static func lines(from old: String, to new: String, limit: Int = 20) -> [String] {
        let (before, now) = (parsed(old), parsed(new))
        let removed = remainder(of: before, without: now)
        let added = remainder(of: now, without: before)
        var owners: [String] = []
        for line in removed + added where !owners.contains(line.owner) { owners.append(line.owner) }
        var result: [String] = []
        for owner in owners {
            let lost = removed.filter { $0.owner == owner }.map(\.text)
            let found = added.filter { $0.owner == owner }.map(\.text)
            let start = owner.isEmpty ? "" : "\(owner): "
            if lost.count == found.count {
                result += zip(lost, found).map { "\(start)`\($0)` became `\($1)`" }
            } else {
                result += lost.map { "\(start)`\($0)` was removed" } + found.map { "\(start)`\($0)` was added" }
            }
        }
        guard result.count > limit else { return result }
        return result.prefix(limit) + ["and \(result.count - limit) further lines"]
    }

    private static func remainder(of lines: [Line], without others: [Line]) -> [Line] {
        var counts: [Line: Int] = [:]
        for line in others { counts[line, default: 0] += 1 }
        return lines.filter { line in
            guard let count = counts[line], count > 0 else { return true }
            counts[line] = count - 1
            return false
        }
    }

    /// Returns the lines without indentation, with the types that contain them.
    private static func parsed(_ text: String) -> [Line] {
        var stack: [(indent: Int, name: String)] = []
        var result: [Line] = []
        for line in text.split(separator: "\n") {
            let indent = line.prefix { $0 == " " }.count
            let words = line.dropFirst(indent)
            if words.isEmpty { continue }
            while let last = stack.last, last.indent >= indent, !words.hasPrefix("}") { stack.removeLast() }
            result.append(Line(owner: stack.map(\.name).joined(separator: "."), text: String(words)))
            let declaration = words.prefixMatch(of: /(?:final )?(?:struct|class|enum|extension) ([^ :]+)/)
            if let declaration { stack.append((indent, String(declaration.1))) }
        }
        return result
    }
}
