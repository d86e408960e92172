import OpenCoreData
import SwormStore

/// The links between the objects of a dump, which are checked: their destinations must exist, and both sides of a
/// relationship must agree.
struct DumpLinks {
    /// The location of an object: one table contains a whole hierarchy.
    struct Place: Hashable {
        var root: Int
        var key: Int64
    }

    struct Entry {
        var entity: Int
        var line: Int
    }

    /// A link, as one of its two objects states it.
    struct Word {
        var owner: RowID
        var slot: Int
        var destination: RowID
        var line: Int
    }

    /// Two objects that each name the other as their only partner.
    struct Pair {
        var owner: RowID
        var slot: Int
        var destination: RowID
        var inverse: Int
    }

    let model: CompiledModel
    private let dump: String
    /// Returns whether a store can contain a link that only its owner states.
    let canKeep: (_ slot: Int, _ entity: Int) -> Bool
    /// The pairs that were completed since the last call of ``takePairs()``.
    private var pairs: [Pair] = []
    var entries: [Place: Entry] = [:]
    /// The links to objects that have not been read yet.
    var open: [Word] = []
    /// The links that only one side has stated so far.
    var halves: [SaveRequest.Link: Word] = [:]
    /// The members of relationships without inverse. Each may belong to one object only.
    private var taken: [SaveRequest.Link: Word] = [:]

    init(_ model: CompiledModel, dump: String, canKeep: @escaping (_ slot: Int, _ entity: Int) -> Bool) {
        self.model = model
        self.dump = dump
        self.canKeep = canKeep
    }

    mutating func takePairs() -> [Pair] {
        defer { pairs.removeAll(keepingCapacity: true) }
        return pairs
    }

    /// Returns the line of an object, or nil if the object was not read.
    func line(of row: RowID) -> Int? {
        entries[place(row)].flatMap { $0.entity == row.entity ? $0.line : nil }
    }

    mutating func add(_ object: DumpReader.Object) throws {
        let row = object.row
        if let earlier = entries.updateValue(Entry(entity: row.entity, line: object.line), forKey: place(row)) {
            let other = RowID(entity: earlier.entity, key: row.key)
            throw issue(
                at: object.line, "is \(name(row)), and line \(earlier.line) is \(name(other))",
                hint: model[row.entity].root == row.entity && other == row
                    ? "an object has one line; remove one of them"
                    : "objects of one hierarchy need different keys; change one of them, and the links to it")
        }
        for (slot, destination) in object.toOnes.enumerated() {
            if let destination { try add(Word(owner: row, slot: slot, destination: destination, line: object.line)) }
        }
        for (slot, members) in object.toManys {
            for member in members {
                try add(Word(owner: row, slot: slot, destination: member, line: object.line))
            }
        }
    }

    private mutating func add(_ word: Word) throws {
        if entries[place(word.destination)]?.entity != word.destination.entity { open.append(word) }
        let relationship = model[word.owner.entity].relationships[word.slot]
        guard let inverse = relationship.inverse else {
            guard relationship.isToMany else { return }
            // Use the same owner key for all links, because a member may belong to one owner only.
            let member = SaveRequest.Link(
                owner: .init(entity: relationship.owner, key: 0), relationship: word.slot, destination: word.destination
            )
            if let other = taken.updateValue(word, forKey: member) {
                throw issue(
                    at: word.line,
                    "cannot be imported: \(name(word.owner)): '\(relationship.name)' names \(name(word.destination)), "
                        + "which belongs to \(name(other.owner)) in line \(other.line)",
                    hint: "a member of a relationship without an inverse belongs to one object")
            }
            return
        }
        let back = model[relationship.destination].relationships[inverse]
        // An object that is its own partner states the link once only.
        guard !back.isTransient, !(word.owner == word.destination && isReflexive(relationship, with: back)) else {
            return
        }
        let link = pair(word, relationship: relationship, back: back, inverse: inverse)
        guard halves.removeValue(forKey: link) != nil else {
            halves[link] = word
            return
        }
        if !relationship.isToMany, !back.isToMany {
            pairs.append(Pair(owner: word.owner, slot: word.slot, destination: word.destination, inverse: inverse))
        }
    }

    // MARK: Pairs

    private func isReflexive(_ relationship: CompiledRelationship, with back: CompiledRelationship) -> Bool {
        relationship.owner == back.owner && relationship.name == back.name
    }

    /// Returns a link that is the same for both sides of a pair.
    private func pair(
        _ word: Word, relationship: CompiledRelationship, back: CompiledRelationship, inverse: Int
    ) -> SaveRequest.Link {
        let isFirst =
            isReflexive(relationship, with: back)
            ? (word.owner.entity, word.owner.key) < (word.destination.entity, word.destination.key)
            : (relationship.owner, word.slot) < (back.owner, inverse)
        return isFirst
            ? SaveRequest.Link(owner: word.owner, relationship: word.slot, destination: word.destination)
            : SaveRequest.Link(owner: word.destination, relationship: inverse, destination: word.owner)
    }

    // MARK: Messages

    func issue(at line: Int, _ what: String, hint: String) -> ToolError {
        ToolError(.dump, "line \(line) of \(dump) \(what)", hint: hint)
    }

    func name(_ row: RowID) -> String {
        ObjectName(entity: model[row.entity].name, key: row.key).description
    }

    func place(_ row: RowID) -> Place { Place(root: model[row.entity].root, key: row.key) }
}
