import SwormPredicates
import SwormStore

/// The rule by which the attributes are chosen that name the objects of an entity.
///
/// The first of these applies: the attributes that the user names; a first name with a last name; the first attribute of
/// a list of usual names that half of the objects have; the attribute of a uniqueness constraint; the string of at most
/// 60 characters with the most different values; the first date. Without any, an object has no label but its key.
struct LabelRule {
    static let option = OptionSpec(
        "label", value: "LIST",
        summary: "The attributes that name objects, separated by commas: Book=title,Member=firstName+lastName. Without "
            + "it, they are chosen by their names and contents.")

    /// The names of attributes that usually name an object, best first.
    private static let usualNames = [
        "title", "name", "displayName", "fullName", "label", "subject", "headline", "username", "handle", "email",
        "identifier", "key", "code", "slug", "url", "text", "content",
    ]
    /// The greatest average length of strings that name objects without a usual name.
    private static let longest = 60

    private let store: StoreReader
    private let hidden: HiddenAttributes
    /// The attributes that the user names, by the number of the entity.
    private let asked: [Int: [Int]]

    /// - Throws: ``ToolError`` for an entity or an attribute that the model does not have.
    init(_ store: StoreReader, arguments: Arguments, hidden: HiddenAttributes) throws {
        self.store = store
        self.hidden = hidden
        var asked: [Int: [Int]] = [:]
        for item in try arguments.list("label") ?? [] {
            let parts = item.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw ToolError(
                    .usage, "'\(item)' names no entity and attribute", hint: "write --label Book=title,Author=name")
            }
            let entity = try store.entity(parts[0])
            asked[entity.number] = try parts[1].split(separator: "+").map { name in
                let names = entity.attributes.map(\.name)
                guard let slot = names.firstIndex(where: { $0.lowercased() == name.lowercased() }) else {
                    throw ToolError(
                        .usage, "\(entity.name) has no attribute '\(name)', which --label names",
                        hint: nameHint(String(name), among: names, what: "its attributes are"))
                }
                return slot
            }
        }
        self.asked = asked
    }

    /// Returns the slots of the attributes that name the objects of exactly one entity, which may be empty.
    func attributes(of entity: CompiledEntity) throws -> [Int] {
        var above: CompiledEntity? = entity
        while let named = above {
            // Inherited attributes have the same slots in a sub-entity.
            if let slots = asked[named.number] { return slots.filter { isVisible($0, of: entity) } }
            above = named.superentity.map { store.model[$0] }
        }
        let visible = entity.attributes.indices.filter { isVisible($0, of: entity) }
        let strings = visible.filter { [.string, .uri].contains(entity.attributes[$0].type) }
        let slots = Dictionary(
            strings.map { (entity.attributes[$0].name.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
        if let first = slots["firstname"], let last = slots["lastname"] { return [first, last] }
        let sample = try LabelSample(of: entity, in: store)
        for name in Self.usualNames {
            if let slot = slots[name.lowercased()], try sample.isEmpty || sample.isUsual(slot) { return [slot] }
        }
        for case let names in entity.allUniquenessConstraints(in: store.model) where names.count == 1 {
            if let slot = visible.first(where: { entity.attributes[$0].name == names[0] }) { return [slot] }
        }
        if let slot = try mostDifferent(strings, in: sample) { return [slot] }
        let dates = visible.filter { entity.attributes[$0].type == .date }
        return try dates.first { try sample.isUsual($0) }.map { [$0] } ?? []
    }

    private func mostDifferent(_ slots: [Int], in sample: LabelSample) throws -> Int? {
        var best: (slot: Int, count: Int)?
        for slot in slots where try sample.isUsual(slot) {
            let (count, length) = try sample.variety(slot)
            if length <= Double(Self.longest), count > best?.count ?? 0 { best = (slot, count) }
        }
        return best?.slot
    }

    /// Returns whether an attribute has values that a label may contain.
    private func isVisible(_ slot: Int, of entity: CompiledEntity) -> Bool {
        let attribute = entity.attributes[slot]
        switch attribute.type {
        case .binaryData, .transformable, .undefined, .objectID, .composite: return false
        default: return !attribute.isTransient && !hidden.contains(attribute, of: entity, in: store.model)
        }
    }
}

extension CompiledEntity {
    /// The uniqueness constraints of the entity and of its ancestors, the own ones first.
    func allUniquenessConstraints(in model: CompiledModel) -> [[String]] {
        uniquenessConstraints + (superentity.map { model[$0].allUniquenessConstraints(in: model) } ?? [])
    }
}
