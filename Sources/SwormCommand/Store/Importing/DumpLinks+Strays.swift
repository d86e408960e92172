import OpenCoreData
import SwormStore

extension DumpLinks {
    /// Returns the links that a save does not write: links to objects that are not in the dump, and links of one-to-one
    /// relationships that only one side has. Must be called after the last object.
    ///
    /// - Throws: ``ToolError`` for a link that a store cannot contain.
    mutating func strays() throws -> (missing: [StrayLink], oneSided: [StrayLink], warnings: [String]) {
        let missing = open.filter { entries[place($0.destination)]?.entity != $0.destination.entity }
            .sorted { ($0.line, $0.slot) < ($1.line, $1.slot) }
        if let word = missing.first(where: { !canKeep($0.slot, $0.owner.entity) }) { throw dangling(word) }
        let gone = Set(missing.map(\.destination))
        let halves = halves.values.filter { !gone.contains($0.destination) }
            .sorted { ($0.line, $0.slot) < ($1.line, $1.slot) }
        if let half = halves.first(where: { !isOfOnlyPartners($0) }) {
            throw issue(
                at: half.line, "cannot be imported: \(words(half))",
                hint: "make both objects name each other, or neither")
        }
        func link(_ word: Word) -> StrayLink {
            StrayLink(
                owner: word.owner, slot: word.slot, key: word.destination.key, entity: word.destination.entity)
        }
        let warnings =
            missing.map { "line \($0.line): \(lost($0))" } + halves.map { "line \($0.line): \(words($0))" }
        return (missing.map(link), halves.map(link), warnings)
    }

    private func isOfOnlyPartners(_ word: Word) -> Bool {
        let relationship = model[word.owner.entity].relationships[word.slot]
        guard !relationship.isToMany, let inverse = relationship.inverse else { return false }
        return !model[relationship.destination].relationships[inverse].isToMany
    }

    private func words(_ half: Word) -> String {
        let relationship = model[half.owner.entity].relationships[half.slot]
        let inverse = relationship.inverse.map { model[relationship.destination].relationships[$0].name } ?? ""
        return
            "\(name(half.owner)): '\(relationship.name)' names \(name(half.destination)), whose '\(inverse)' in line \(line(of: half.destination) ?? 0) does not name it"
    }

    private func dangling(_ word: Word) -> ToolError {
        issue(
            at: word.line, "cannot be imported: \(lost(word))",
            hint: "add the object, or remove it from '\(model[word.owner.entity].relationships[word.slot].name)'")
    }

    private func lost(_ word: Word) -> String {
        let property = model[word.owner.entity].relationships[word.slot].name
        let (wanted, entry) = (name(word.destination), entries[place(word.destination)])
        let found = entry.map { ", but \(name(.init(entity: $0.entity, key: word.destination.key)))" } ?? ""
        return "\(name(word.owner)): '\(property)' points to \(wanted), which is not in the dump\(found)"
    }
}
