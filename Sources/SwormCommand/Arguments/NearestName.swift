/// Finds the name that was probably meant.
enum NearestName {
    /// The nearest of some names, or nil when none is near.
    static func of(_ name: String, in names: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased())
        // A third of the letters may be wrong, and two in a short name.
        let limit = max(2, wanted.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in names {
            let distance = distance(wanted, Array(candidate.lowercased()))
            if distance <= limit, distance < candidate.count, distance < best?.distance ?? .max {
                best = (candidate, distance)
            }
        }
        return best?.name
    }

    /// A hint that names the nearest, or else all of them.
    static func hint(_ name: String, among names: [String], what: String) -> String? {
        if let nearest = of(name, in: names) { return "did you mean '\(nearest)'?" }
        guard !names.isEmpty else { return nil }
        let shown = names.prefix(20).joined(separator: ", ")
        return "\(what): \(shown)\(names.count > 20 ? ", …" : "")"
    }

    /// The number of letters to insert, remove, replace or swap with their neighbour.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var before: [Int] = []
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(
                    previous[column + 1] + 1, current[column] + 1, previous[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            before = previous
            previous = current
        }
        return previous[right.count]
    }
}
