import OpenCoreData

// Entities with sub-entities.
extension SwiftModelWriter {
    /// A case of the enum of an entity with sub-entities.
    private struct Case {
        var name: String
        var type: String
    }

    private func cases(of entity: NSEntityDescription) -> [Case] {
        let sorted = entity.subentities.sorted { ($0.name ?? "") < ($1.name ?? "") }
        var names = sorted.map { types.type(of: $0) }
        if !entity.isAbstract { names.append(types.ownType(of: entity)) }
        var taken = Set(entity.properties.map(\.name)).union(SwiftNames.staticMembers)
            .union(SwiftNames.properties(of: entity).values)
        return names.map { type in
            let start = type.prefix { $0.isUppercase }
            // HTMLPage becomes htmlPage.
            let head = start.count > 1 && start.count < type.count ? start.dropLast() : start
            var name = head.lowercased() + type.dropFirst(head.count)
            while taken.contains(name) || taken.contains(SwiftNames.property(name)) { name += "Case" }
            taken.formUnion([name, SwiftNames.property(name)])
            return Case(name: SwiftNames.property(name), type: type)
        }
    }

    /// Writes an enum whose cases hold the structs of the sub-entities.
    mutating func writeEnum(of entity: NSEntityDescription) {
        let name = entity.name ?? ""
        let type = types.type(of: entity)
        let cases = cases(of: entity)
        let table = SwiftTable(entity, inherited: entity.superentity, in: self)
        let notes = notes(of: entity, isEnum: true)
        let protocols = "SuperentityConvertible\(table.hasComposites ? ", CompositeOwner" : "")"
        if !notes.isEmpty { add("/// An entity that " + notes.joined(separator: ", ") + ".") }
        begin("enum \(type)", protocols: protocols)
        for item in cases { add("case \(item.name)(\(item.type))", depth: 1) }
        for attribute in table.attributes {
            add()
            addProperty(attribute, cases: cases)
        }
        addComments(about: entity)
        beginTable(of: type, protocols: protocols)
        if let above = entity.superentity { add("typealias Superentity = \(types.type(of: above))", depth: 1) }
        if type != name { add("static let entityName = \(SwiftNames.literal(name))", depth: 1) }
        if entity.superentity != nil || type != name { add() }
        add("struct Subentities: Sendable {", depth: 1)
        for item in cases { add("let \(item.name) = Subentity(\(type).\(item.name))", depth: 2) }
        add("}", depth: 1)
        add("static let subentities = Subentities()", depth: 1)
        add()
        addProperty("subentity: any ManagedObjectConvertible", reading: "object", in: cases)
        add()
        add("init() { self = .\(cases[0].name)(\(cases[0].type)()) }", depth: 1)
        add()
        var shared = table
        for index in shared.attributes.indices { shared.attributes[index].isShared = true }
        writeTable(shared, of: entity, type: type)
        writeRules(table, of: entity, type: type)
        add("}")
    }

    /// Adds a property that all cases share.
    private mutating func addProperty(_ attribute: SwiftAttribute, cases: [Case]) {
        let lines = attribute.declaration
        for (text, depth) in lines.dropLast() { add(text, depth: depth + 1) }
        addProperty("\(attribute.property): \(attribute.type)", reading: "object.\(attribute.property)", in: cases)
    }

    /// Adds a computed property whose value is read from the struct of each case.
    private mutating func addProperty(_ declaration: String, reading value: String, in cases: [Case]) {
        add("var \(declaration) {", depth: 1)
        add("switch self {", depth: 2)
        for item in cases { add("case .\(item.name)(let object): \(value)", depth: 2) }
        add("}", depth: 2)
        add("}", depth: 1)
    }
}
