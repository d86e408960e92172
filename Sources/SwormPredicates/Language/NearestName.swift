/// Returns the name that is most similar to the given one, for messages, or nil if none is similar.
package func nearestName(to name: String, in names: some Sequence<String>) -> String? {
    let wanted = Array(name.lowercased().unicodeScalars.prefix(64))
    var best: (name: String, distance: Int)?
    for candidate in names.sorted() {
        let distance = editDistance(wanted, Array(candidate.lowercased().unicodeScalars.prefix(64)))
        if distance < best?.distance ?? Int.max { best = (candidate, distance) }
    }
    // For a short name, enough characters must remain for the names to be similar.
    guard let best, best.distance <= max(1, wanted.count / 3), best.distance < max(1, wanted.count) else { return nil }
    return best.name
}

/// Returns a question that suggests the nearest name, as a sentence preceded by a space, or an empty string if no name
/// is similar.
package func nearestNameHint(to name: String, in names: some Sequence<String>) -> String {
    nearestName(to: name, in: names).map { " Did you mean '\($0)'?" } ?? ""
}

/// Returns the number of letters that must be inserted, deleted, changed or swapped to turn one word into the other.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (i, a) in left.enumerated() {
        var row = [i + 1]
        for (j, b) in right.enumerated() {
            var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a == b ? 0 : 1))
            if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { cost = min(cost, beforeLast[j - 1] + 1) }
            row.append(cost)
        }
        beforeLast = last
        last = row
    }
    return last[right.count]
}
