import SwormPredicates

/// The source from which the value of a derived attribute is computed.
struct Derivation: Sendable, Hashable {
    enum Source: Sendable, Hashable {
        /// The time of the last save that wrote the object.
        case now
        /// An attribute of the object itself, or of an object at the end of to-one relationships.
        case value(path: [Int], attribute: Int)
        /// An aggregate of the members of a to-many relationship, or of one of their attributes.
        case members(Aggregate, relationship: Int, attribute: Int?)
    }

    enum Aggregate: String, Sendable, Hashable {
        case count
        case sum
        case min
        case max
        case average = "avg"
    }

    enum Form: String, Sendable, Hashable { case plain, canonical, uppercase, lowercase }

    var source: Source
    var form: Form

    /// Parses a derivation expression.
    ///
    /// - Parameter text: The expression as models write it: `author.name`, `count:(pages)`, `pages.@sum.number`,
    ///   `canonical:(name)`.
    /// - Returns: Nil for an unknown form, or for a name that the entity does not have. Such a value is left
    ///   unchanged.
    init?(_ text: String, of entity: CompiledEntity, in model: CompiledModel) {
        form = .plain
        guard let open = text.firstIndex(of: "("), text.hasSuffix(")") else {
            guard let source = Self.source(of: Self.keys(text[...]), from: entity, in: model) else { return nil }
            self.source = source
            return
        }
        let name = text[..<open].filter { $0 != ":" }
        var keys = Self.keys(text[text.index(after: open)...].dropLast())
        if name == "now", keys.isEmpty {
            source = .now
            return
        }
        if let form = Form(rawValue: name) {
            self.form = form
        } else if name == "count" {
            keys.append("@count")
        } else if keys.count == 2, Aggregate(rawValue: name == "average" ? "avg" : name) != nil {
            keys.insert("@\(name == "average" ? "avg" : name)", at: 1)
        } else {
            return nil
        }
        guard let source = Self.source(of: keys, from: entity, in: model) else { return nil }
        // Only strings have other forms.
        if form != .plain {
            guard case .value(let path, let attribute) = source,
                Self.end(of: path, from: entity, model).attributes[attribute].type == .string
            else { return nil }
        }
        self.source = source
    }

    /// Returns the entity at the end of a path of to-one relationships.
    static func end(of path: [Int], from entity: CompiledEntity, _ model: CompiledModel) -> CompiledEntity {
        path.reduce(entity) { model[$0.relationships[$1].destination] }
    }

    private static func keys(_ text: Substring) -> [String] {
        text.split(separator: ".").map { key in String(key.filter { $0 != " " }) }
    }

    private static func source(of keys: [String], from entity: CompiledEntity, in model: CompiledModel) -> Source? {
        if keys.count >= 2, keys[1].hasPrefix("@") { return members(of: keys, from: entity, in: model) }
        var path: [Int] = []
        var current = entity
        for (index, key) in keys.enumerated() {
            // The leaf of a composite has dots in its name.
            let rest = keys[index...].joined(separator: ".")
            if case .attribute(let slot)? = current.slot(named: rest) {
                guard isKept(current.attributes[slot]) else { return nil }
                return .value(path: path, attribute: slot)
            }
            guard case .relationship(let slot)? = current.slot(named: key), !current.relationships[slot].isToMany,
                !current.relationships[slot].isTransient
            else { return nil }
            path.append(slot)
            current = model[current.relationships[slot].destination]
        }
        return nil
    }

    private static func members(of keys: [String], from entity: CompiledEntity, in model: CompiledModel) -> Source? {
        guard let aggregate = Aggregate(rawValue: String(keys[1].dropFirst())),
            case .relationship(let slot)? = entity.slot(named: keys[0]), entity.relationships[slot].isToMany,
            !entity.relationships[slot].isTransient
        else { return nil }
        if aggregate == .count { return keys.count == 2 ? .members(.count, relationship: slot, attribute: nil) : nil }
        let destination = model[entity.relationships[slot].destination]
        guard case .attribute(let attribute)? = destination.slot(named: keys[2...].joined(separator: ".")),
            isKept(destination.attributes[attribute])
        else { return nil }
        return .members(aggregate, relationship: slot, attribute: attribute)
    }

    /// Returns whether the database can copy the attribute, which is not the case for content in external files.
    private static func isKept(_ attribute: CompiledAttribute) -> Bool {
        !attribute.isTransient && !attribute.allowsExternalStorage
    }

    /// Returns the type of the derived value for an entity, or nil if the values cannot be aggregated.
    func type(from entity: CompiledEntity, _ model: CompiledModel) -> AttributeType? {
        switch source {
        case .now: return .date
        case .value(let path, let attribute): return Self.end(of: path, from: entity, model).attributes[attribute].type
        case .members(let aggregate, let relationship, let attribute):
            guard let attribute else { return .integer64 }
            let type = model[entity.relationships[relationship].destination].attributes[attribute].type
            switch aggregate {
            case .count: return .integer64
            case .min, .max: return type.valueKind?.isOrdered ?? false ? type : nil
            case .sum: return type.isNumber ? type : nil
            case .average: return type.isNumber ? .double : nil
            }
        }
    }
}
