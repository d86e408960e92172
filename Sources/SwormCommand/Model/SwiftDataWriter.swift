import Foundation
import OpenCoreData
import SwormStore

/// A writer that generates the source of a SwiftData schema for a model: an enum of model classes.
///
/// Properties and rules that SwiftData cannot express are described in comments, with the reason.
struct SwiftDataWriter {
    private var lines: [String] = []
    let entities: [NSEntityDescription]
    /// The names of the classes, which hide types of the same names.
    let names: SwiftDataNames

    /// - Parameters:
    ///   - source: The origin of the model, for a comment.
    ///   - name: The name of the enum.
    ///   - version: The numbers of the schema's version.
    static func text(
        _ model: NSManagedObjectModel, source: String, name: String, version: (Int, Int, Int)
    ) throws -> String {
        var writer = SwiftDataWriter(entities: try model.compiledWithDescriptions().entities)
        writer.write(source: source, name: name, version: version)
        return writer.lines.joined(separator: "\n") + "\n"
    }

    private init(entities: [NSEntityDescription]) {
        self.entities = entities
        names = SwiftDataNames(entities: entities.compactMap(\.name))
    }

    private mutating func write(source: String, name: String, version: (Int, Int, Int)) {
        add("// The SwiftData schema of \(SwiftNames.oneLine(source)). Comments describe the rest of the model.")
        add()
        add("#if canImport(SwiftData)")
        add("import Foundation")
        add("import SwiftData")
        add()
        add("@available(\(platforms), *)")
        add("enum \(name): VersionedSchema {")
        let number = "SwiftData.Schema.Version(\(version.0), \(version.1), \(version.2))"
        add("static var versionIdentifier: SwiftData.Schema.Version { \(number) }", depth: 1)
        add()
        add("static var models: [any PersistentModel.Type] {", depth: 1)
        add("[", depth: 2)
        let classes = entities.filter { names.obstacle(to: $0) == nil }
        for entity in classes { add("\(names.type(of: entity)).self,", depth: 3) }
        add("]", depth: 2)
        add("}", depth: 1)
        for entity in entities {
            add()
            if let obstacle = names.obstacle(to: entity) {
                add("// The entity `\(entity.name ?? "")` \(obstacle).", depth: 1)
            } else {
                write(entity)
            }
        }
        add("}")
        add("#endif")
    }

    /// The first versions of the systems that have everything that the schema uses.
    private var platforms: String {
        if entities.contains(where: { $0.superentity != nil }) {
            return "macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26"
        }
        let usesMacros = entities.contains { entity in
            let groups = SwiftDataGroups(entity, isClass: { names.obstacle(to: $0) == nil })
            return !groups.unique.isEmpty || !groups.indexes.isEmpty
                || entity.ownProperties.contains {
                    ($0 as? NSAttributeDescription)?.preservesValueInHistoryOnDeletion ?? false
                }
        }
        return usesMacros
            ? "macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2"
            : "macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1"
    }

    mutating func add(_ text: String = "", depth: Int = 0) {
        let line = text.hasPrefix("//") ? SwiftNames.oneLine(text) : text
        lines.append(line.isEmpty ? "" : String(repeating: "    ", count: depth) + line)
    }

    // MARK: Classes

    private mutating func write(_ entity: NSEntityDescription) {
        let type = names.type(of: entity)
        for note in notes(of: entity) { add("// \(SwiftNames.oneLine(note))", depth: 1) }
        add("@Model", depth: 1)
        let superclass = superclass(of: entity)
        let heritage = superclass.map { ": \(names.type(of: $0))" } ?? ""
        add("\(entity.subentities.isEmpty ? "final " : "")class \(type)\(heritage) {", depth: 1)
        writeGroups(of: entity, type: type)
        let properties = declarations(of: entity)
        for property in properties {
            for (text, depth) in property.lines { add(text, depth: depth + 2) }
        }
        if !properties.isEmpty { add() }
        writeInitializer(properties, inherited: superclass.map { parameters(of: $0) }, hasSuperclass: superclass != nil)
        add("}", depth: 1)
    }

    private func superclass(of entity: NSEntityDescription) -> NSEntityDescription? {
        entity.superentity.flatMap { names.obstacle(to: $0) == nil ? $0 : nil }
    }

    private func notes(of entity: NSEntityDescription) -> [String] {
        var notes: [String] = []
        if entity.isAbstract {
            notes.append("The entity is abstract in the model. SwiftData has no abstract entities.")
        }
        if let above = entity.superentity, superclass(of: entity) == nil {
            notes.append("The entity inherits from `\(above.name ?? "")`, which has no class here.")
        }
        if let former = entity.renamingIdentifier, former != entity.name {
            notes.append("The entity was renamed from `\(former)`. SwiftData has no former names of classes.")
        }
        if let modifier = entity.versionHashModifier {
            notes.append("The entity has the hash modifier \"\(modifier)\". SwiftData's classes have none.")
        }
        return notes
    }

    private mutating func writeGroups(of entity: NSEntityDescription, type: String) {
        let groups = SwiftDataGroups(entity, isClass: { names.obstacle(to: $0) == nil })
        for note in groups.notes { add("// \(SwiftNames.oneLine(note))", depth: 2) }
        func list(_ groups: [[String]]) -> String {
            groups.map { group in
                "[" + group.map { "\\.\(SwiftDataNames.property($0))" }.joined(separator: ", ") + "]"
            }.joined(separator: ", ")
        }
        if !groups.unique.isEmpty { add("#Unique<\(type)>(\(list(groups.unique)))", depth: 2) }
        if !groups.indexes.isEmpty { add("#Index<\(type)>(\(list(groups.indexes)))", depth: 2) }
        if !groups.unique.isEmpty || !groups.indexes.isEmpty { add() }
    }

    /// Returns the declarations of the properties that the class itself has, and comments about those that it cannot have.
    private func declarations(of entity: NSEntityDescription) -> [SwiftDataProperty] {
        let unique = Set(entity.uniquenessNames.filter { $0.count == 1 }.compactMap(\.first))
        let own = superclass(of: entity) == nil ? entity.properties : entity.ownProperties
        return own.map { property in
            switch property {
            case let attribute as NSAttributeDescription:
                SwiftDataProperty(
                    attribute, isUnique: unique.contains(attribute.name), names: names,
                    taken: taken(before: attribute, in: entity))
            case let relationship as NSRelationshipDescription:
                SwiftDataProperty(relationship, names: names)
            default:
                SwiftDataProperty(
                    leftOut: property.name, because: "is a fetched property, which SwiftData does not have")
            }
        }
    }

    /// Returns the names that the struct of an attribute must not have.
    private func taken(before attribute: NSAttributeDescription, in entity: NSEntityDescription) -> Set<String> {
        let taken = Set(entities.compactMap(\.name) + entity.properties.map(\.name))
        let composites = entity.properties.compactMap { $0 as? NSCompositeAttributeDescription }
        let earlier = composites.prefix { $0.name != attribute.name }
        return taken.union(SwiftNames.structs(of: Array(earlier), avoiding: taken).values)
    }

    // MARK: Initializers

    /// Returns the parameters that an initializer has for the properties without a value of their own.
    private func parameters(of entity: NSEntityDescription) -> [SwiftDataProperty] {
        declarations(of: entity).filter(\.needsValue) + (superclass(of: entity).map { parameters(of: $0) } ?? [])
    }

    private mutating func writeInitializer(
        _ properties: [SwiftDataProperty], inherited: [SwiftDataProperty]?, hasSuperclass: Bool
    ) {
        let own = properties.filter(\.needsValue)
        let all = own + (inherited ?? [])
        let list = all.map { "\($0.name): \($0.type)" }
        let start = hasSuperclass && own.isEmpty ? "override init" : "init"
        let line = "\(start)(\(list.joined(separator: ", "))) {"
        if line.count + 8 <= 120 {
            add(line, depth: 2)
        } else {
            add("\(start)(", depth: 2)
            for (index, text) in list.enumerated() { add(text + (index + 1 < list.count ? "," : ""), depth: 3) }
            add(") {", depth: 2)
        }
        for property in own { add("self.\(property.name) = \(property.name)", depth: 3) }
        if hasSuperclass {
            let arguments = (inherited ?? []).map { "\($0.name): \($0.name)" }.joined(separator: ", ")
            add("super.init(\(arguments))", depth: 3)
        }
        add("}", depth: 2)
    }
}
