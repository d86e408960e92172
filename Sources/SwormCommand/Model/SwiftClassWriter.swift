import OpenCoreData
import SwormStore

/// A writer that generates the source of subclasses of `NSManagedObject`, with the names that the model has for them.
///
/// Comments name the properties that the subclasses cannot express, with the reason.
struct SwiftClassWriter {
    private var lines: [String] = []
    private let entities: [NSEntityDescription]
    private let names: SwiftClassNames

    /// - Throws: ``ToolError`` if the model names no class.
    static func text(_ model: NSManagedObjectModel, source: String) throws -> String {
        let entities = try model.compiledWithDescriptions().entities
        guard entities.contains(where: { SwiftClassNames.className(of: $0) != nil }) else {
            throw ToolError(
                .noClasses, "the model names no classes: the objects of its entities are plain managed objects",
                hint: "name them in the model editor, or with managedObjectClassName; --swift writes structs instead")
        }
        var writer = SwiftClassWriter(entities: entities)
        writer.lines = ["// Generated from \(SwiftNames.oneLine(source)).", "", "import Foundation", "import Sworm"]
        for entity in entities { writer.write(entity) }
        return writer.lines.joined(separator: "\n") + "\n"
    }

    private init(entities: [NSEntityDescription]) {
        self.entities = entities
        names = SwiftClassNames(entities)
    }

    private mutating func add(_ text: String = "", depth: Int = 0) {
        let line = text.hasPrefix("//") ? SwiftNames.oneLine(text) : text
        lines.append(line.isEmpty ? "" : String(repeating: "    ", count: depth) + line)
    }

    private mutating func write(_ entity: NSEntityDescription) {
        add()
        if let obstacle = obstacle(to: entity) {
            return add("// The entity `\(entity.name ?? "")` \(SwiftNames.oneLine(obstacle)).")
        }
        let type = names.type(of: entity)
        let notes = notes(of: entity)
        if !notes.isEmpty {
            add("/// An entity that " + notes.map(SwiftNames.oneLine).joined(separator: ", ") + ".")
        }
        // A class that the model names without a module is found by that name in Objective-C.
        if let given = SwiftClassNames.givenClassName(of: entity), !given.contains(".") {
            add("#if canImport(ObjectiveC)")
            add("@objc(\(given))")
            add("#endif")
        }
        let superclass = entity.superentity.flatMap { SwiftClassNames.classEntity(of: $0) }
        let heritage = superclass.map(names.type(of:)) ?? "NSManagedObject"
        add("\(hasSubclasses(entity) ? "" : "final ")class \(type): \(heritage) {")
        let properties = properties(of: entity, superclass: superclass)
        for (text, depth) in properties.flatMap(\.lines) { add(text, depth: depth + 1) }
        if !properties.isEmpty { add() }
        writeRequest(of: entity, type: type)
        add("}")
    }

    private mutating func writeRequest(of entity: NSEntityDescription, type: String) {
        let request = names.qualified("NSFetchRequest")
        let start = "class func fetchRequest() -> \(request)<\(type)> {"
        let value = "\(request)(entityName: \(SwiftNames.literal(entity.name ?? "")))"
        guard start.count + value.count > 113 else { return add("\(start) \(value) }", depth: 1) }
        add(start, depth: 1)
        add(value, depth: 2)
        add("}", depth: 1)
    }

    /// Returns whether the class of an entity below has another class.
    private func hasSubclasses(_ entity: NSEntityDescription) -> Bool {
        let name = SwiftClassNames.className(of: entity)
        return entities.contains { other in
            guard let own = SwiftClassNames.className(of: other), own != name else { return false }
            return lineage(of: other).contains { SwiftClassNames.className(of: $0) == name }
        }
    }

    /// Returns the entities above an entity, from the nearest one.
    private func lineage(of entity: NSEntityDescription) -> [NSEntityDescription] {
        Array(sequence(first: entity, next: \.superentity).dropFirst())
    }

    /// Returns the entity for which a class is written, of those that have the class.
    private func declaringEntity(ofClass name: String) -> NSEntityDescription? {
        entities.first { entity in
            SwiftClassNames.className(of: entity) == name
                && !lineage(of: entity).contains { SwiftClassNames.className(of: $0) == name }
        }
    }

    /// Returns the reason why no class is written for an entity, or nil if one is.
    private func obstacle(to entity: NSEntityDescription) -> String? {
        guard let given = SwiftClassNames.givenClassName(of: entity) else {
            return "has no class in the model: its objects are plain managed objects"
        }
        guard let name = SwiftClassNames.className(of: entity) else {
            return "has the class \(given) in the model, which is no name in Swift"
        }
        guard let first = declaringEntity(ofClass: name), first !== entity else { return nil }
        return "has the class `\(name)` in the model, too, which is written for `\(first.name ?? "")`"
    }

    private func notes(of entity: NSEntityDescription) -> [String] {
        var notes: [String] = []
        if entity.isAbstract { notes.append("is abstract: it can be fetched, but not inserted") }
        if let former = entity.renamingIdentifier, former != entity.name { notes.append("was renamed from \(former)") }
        if let modifier = entity.versionHashModifier { notes.append("has the hash modifier \"\(modifier)\"") }
        return notes
    }

    /// Returns the properties that a class itself declares: attributes, then relationships.
    private func properties(
        of entity: NSEntityDescription, superclass: NSEntityDescription?
    ) -> [SwiftClassProperty] {
        // The class of a super-entity has the properties of the entity for which it is written.
        let declaring = superclass.flatMap { SwiftClassNames.className(of: $0) }.flatMap(declaringEntity)
        let inherited = Set(declaring?.properties.map(\.name) ?? [])
        let own = entity.properties.filter { !inherited.contains($0.name) }
        let properties = SwiftClassNames.properties(of: entity)
        let attributes = own.compactMap { $0 as? NSAttributeDescription }.map {
            SwiftClassProperty($0, name: properties[$0.name] ?? $0.name, in: entity, names: names)
        }
        let relationships = own.compactMap { $0 as? NSRelationshipDescription }.map {
            SwiftClassProperty($0, name: properties[$0.name] ?? $0.name, names: names)
        }
        let fetched = own.filter { $0 is NSFetchedPropertyDescription }.map {
            SwiftClassProperty(leftOut: $0.name, because: "is a fetched property, which `Managed` does not have")
        }
        return attributes + relationships + fetched
    }
}
