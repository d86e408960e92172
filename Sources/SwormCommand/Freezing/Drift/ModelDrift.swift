import OpenCoreData
import SwormPredicates
import SwormStore

/// The differences between the model of a shipped version and the current one, one line for each.
struct ModelDrift {
    /// A side of the comparison.
    enum Side { case old, new }

    private let copies: Set<Side>
    private var lines: [String] = []

    private init(copies: Set<Side>) { self.copies = copies }

    /// - Parameters:
    ///   - comparesTemplates: Whether the request templates of both models are known. The copy of a model in a store
    ///     has none.
    ///   - copies: The models that are copies in stores. A predicate that such a copy lacks is unknown, and no
    ///     difference.
    static func lines(
        from old: NSManagedObjectModel, to new: NSManagedObjectModel, comparesTemplates: Bool = false,
        copies: Set<Side> = []
    ) -> [String] {
        var drift = ModelDrift(copies: copies)
        drift.compareIdentifiers(from: old, to: new)
        drift.compareEntities(from: old, to: new)
        drift.compareConfigurations(from: old, to: new)
        if comparesTemplates { drift.compareTemplates(from: old, to: new) }
        return drift.lines
    }

    private mutating func compareIdentifiers(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
        func text(_ model: NSManagedObjectModel) -> String {
            let names = model.versionIdentifiers.map { "\($0.base)" }.filter { !$0.isEmpty }.sorted()
            return names.isEmpty ? "none" : names.joined(separator: ", ")
        }
        guard text(old) != text(new) else { return }
        lines.append("the model " + DriftWords.change(of: "version identifiers", from: text(old), to: text(new)))
    }

    private mutating func compareConfigurations(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
        func members(_ model: NSManagedObjectModel) -> [String: String] {
            let names = model.configurations.filter { $0 != "PF_DEFAULT_CONFIGURATION_NAME" }
            return names.reduce(into: [:]) { result, name in
                let entities = (model.entities(forConfigurationName: name) ?? []).compactMap(\.name)
                result[name] = entities.sorted(by: VersionHash.precedes).joined(separator: ", ")
            }
        }
        compare(from: members(old), to: members(new), what: "configuration", of: "the model")
    }

    private mutating func compareTemplates(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
        func text(_ request: RequestTemplate) -> String {
            let numbers = [
                ("limit", request.fetchLimit), ("batch size", request.fetchBatchSize),
                ("result type", Int(clamping: request.resultType)),
            ]
            let settings = numbers.filter { $0.1 != 0 }.map { ", \($0.0) \($0.1)" }.joined()
            let condition = request.canonicalPredicateText.map { " where \($0)" } ?? ""
            return (request.entityName ?? "?") + settings + condition
        }
        compare(
            from: old.requestTemplates.mapValues(text), to: new.requestTemplates.mapValues(text),
            what: "fetch request", of: "the model")
    }

    /// Compares descriptions by the names of the described things.
    private mutating func compare(
        from old: [String: String], to new: [String: String], what: String, of owner: String
    ) {
        for name in Set(old.keys).union(new.keys).sorted(by: VersionHash.precedes) {
            switch (old[name], new[name]) {
            case (let text?, nil): lines.append("\(owner): \(what) \(name)\(Self.bracketed(text)) was removed")
            case (nil, let text?): lines.append("\(owner): \(what) \(name)\(Self.bracketed(text)) was added")
            case (let before?, let now?) where before != now:
                lines.append("\(owner): \(what) \(name) changed from (\(before)) to (\(now))")
            default: break
            }
        }
    }

    private static func bracketed(_ text: String) -> String { text.isEmpty ? "" : " (\(text))" }

    // MARK: Entities

    private mutating func compareEntities(from old: NSManagedObjectModel, to new: NSManagedObjectModel) {
        let matched = DriftPairs(
            from: old.entities, to: new.entities, facts: { DriftFacts($0) }, fingerprint: Self.fingerprint)
        for entity in matched.removed { lines.append("entity \(entity.name ?? "") was removed") }
        for pair in matched.pairs {
            if let words = pair.renaming.words(to: pair.new.name ?? "") {
                lines.append("entity \(pair.old.name ?? "") \(words)")
            }
            let count = lines.count
            compare(from: pair.old, to: pair.new)
            compareHashes(from: pair.old, to: pair.new, knowsReason: lines.count > count || pair.renaming != .none)
        }
        for entity in matched.added { lines.append("entity \(entity.name ?? "") was added") }
    }

    /// Returns a text of everything but the name of an entity and that of its class.
    private static func fingerprint(of entity: NSEntityDescription) -> String {
        let facts = DriftFacts(entity).facts.filter { $0.subject != "class" }.map { "\($0.subject)=\($0.text)" }
        let properties = entity.ownProperties.map { "\($0.name) \(DriftFacts($0).fingerprint)" }.sorted()
        return (facts + properties).joined(separator: "\n")
    }

    private mutating func compare(from old: NSEntityDescription, to new: NSEntityDescription) {
        let owner = "entity \(old.name ?? "")"
        compare(from: DriftFacts(old), to: DriftFacts(new), as: owner)
        compareProperties(
            from: old.ownProperties.map { DriftFacts($0) }, to: new.ownProperties.map { DriftFacts($0) },
            owner: owner, path: "")
        let constraints = [old, new].map { entity in
            Set(entity.uniquenessNames.map { "(\($0.joined(separator: ", ")))" })
        }
        for text in constraints[0].subtracting(constraints[1]).sorted() {
            lines.append("\(owner): uniqueness constraint \(text) was removed")
        }
        for text in constraints[1].subtracting(constraints[0]).sorted() {
            lines.append("\(owner): uniqueness constraint \(text) was added")
        }
        let unknown = unknownConditions(from: old, to: new)
        compare(
            from: Self.indexes(of: old, hiding: unknown), to: Self.indexes(of: new, hiding: unknown), what: "index",
            of: owner)
    }

    /// Returns the names of the indexes that have a predicate in one model, and none in the copy of the other one.
    private func unknownConditions(from old: NSEntityDescription, to new: NSEntityDescription) -> Set<String> {
        let now = Dictionary(new.indexes.map { ($0.name, $0.isPartial) }, uniquingKeysWith: { first, _ in first })
        let unknown = old.indexes.filter { index in
            guard let isPartial = now[index.name], isPartial != index.isPartial else { return false }
            return copies.contains(isPartial ? .old : .new)
        }
        return Set(unknown.map(\.name))
    }

    private mutating func compareHashes(
        from old: NSEntityDescription, to new: NSEntityDescription, knowsReason: Bool
    ) {
        guard old.versionHash != new.versionHash else { return }
        var line = "entity \(old.name ?? ""): its version hash changed, so that stores need a migration"
        if !knowsReason, let above = new.superentity?.name { line += ", because of its super-entity \(above)" }
        lines.append(line)
    }

    /// Returns the elements of the indexes by name. An attribute that is flagged as indexed has an index of its name.
    ///
    /// - Parameter unknown: The names of the indexes whose predicates are left out.
    private static func indexes(of entity: NSEntityDescription, hiding unknown: Set<String>) -> [String: String] {
        var result: [String: String] = [:]
        let single = Set(entity.indexes.filter { $0.elements.count == 1 }.map { $0.elements[0].propertyName })
        for property in entity.ownProperties where property.isIndexed && !single.contains(property.name) {
            result[property.name] = property.name
        }
        for names in entity.compoundIndexNames { result[names.joined(separator: ",")] = names.joined(separator: ", ") }
        for index in entity.indexes {
            let elements = index.elements.map { element in
                (element.propertyName ?? "?") + (element.isAscending ? "" : " descending")
                    + (element.collationType == .rTree ? " in an R-tree" : "")
            }
            let text = unknown.contains(index.name) ? nil : index.partialPredicate?.format ?? index.partialPredicateText
            result[index.name] = elements.joined(separator: ", ") + (text.map { " where \($0)" } ?? "")
        }
        return result
    }

    // MARK: Properties

    /// - Parameter path: The composite attributes that contain the properties, each followed by a period.
    private mutating func compareProperties(
        from old: [DriftFacts], to new: [DriftFacts], owner: String, path: String
    ) {
        let matched = DriftPairs(from: old, to: new, facts: { $0 }, fingerprint: \.fingerprint)
        for facts in matched.removed { lines.append("\(owner): \(facts.kind) \(path)\(facts.name) was removed") }
        for pair in matched.pairs {
            let subject = "\(owner): \(pair.old.kind) \(path)\(pair.old.name)"
            if let words = pair.renaming.words(to: pair.new.name) { lines.append("\(subject) \(words)") }
            guard pair.old.kind == pair.new.kind else {
                let article = pair.new.kind == "attribute" ? "an" : "a"
                lines.append("\(subject) became \(article) \(pair.new.kind)")
                continue
            }
            compare(from: pair.old, to: pair.new, as: subject)
            compareProperties(
                from: pair.old.elements, to: pair.new.elements, owner: owner, path: "\(path)\(pair.old.name).")
        }
        for facts in matched.added { lines.append("\(owner): \(facts.kind) \(path)\(facts.name) was added") }
    }

    private mutating func compare(from old: DriftFacts, to new: DriftFacts, as subject: String) {
        if old.name == new.name, old.formerName != new.formerName {
            lines.append(
                subject + " "
                    + DriftWords.change(
                        of: "renaming identifier", from: old.formerName ?? "none", to: new.formerName ?? "none"))
        }
        let now = Dictionary(new.facts.map { ($0.subject, $0) }, uniquingKeysWith: { first, _ in first })
        let before = Set(old.facts.map(\.subject))
        let further = new.facts.map(\.subject).filter { !before.contains($0) }
        for fact in old.facts + further.map({ DriftFacts.Fact($0, says: "none") }) {
            let current = now[fact.subject] ?? DriftFacts.Fact(fact.subject, says: "none")
            // The maximum count of a relationship to one is 1.
            let follows =
                fact.subject == "maxCount"
                && old.facts.contains { $0.subject == "isToMany" && $0.text != now["isToMany"]?.text }
            guard current.text != fact.text, !follows, !isUnknown(fact, now: current) else { continue }
            let (from, to) = fact.words == current.words ? (fact.text, current.text) : (fact.words, current.words)
            lines.append("\(subject) \(DriftWords.change(of: fact.subject, from: from, to: to))")
        }
    }

    /// Returns whether a fact is a predicate that the copy of a model lacks.
    private func isUnknown(_ fact: DriftFacts.Fact, now current: DriftFacts.Fact) -> Bool {
        guard fact.subject == "predicate" else { return false }
        return copies.contains(.old) && fact.text == "none" || copies.contains(.new) && current.text == "none"
    }
}
