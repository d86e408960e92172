import Foundation
import OpenCoreData
import SwormStore

/// A writer that generates Swift structs with tables for a model.
///
/// Properties that tables cannot express are described in comments. A composite attribute becomes a nested struct with a
/// table of its own, and an entity with sub-entities becomes an enum of their structs. If there are no such comments, a model
/// that is created from the tables has the version hashes of the original model.
struct SwiftModelWriter {
    private var lines: [String] = []
    let entities: [NSEntityDescription]
    let types: SwiftTypeNames
    /// The enum that contains the types; nil if they are at the top level.
    private let namespace: String?

    /// - Parameter namespace: The name of an enum that contains the types, so that a module can have the types of
    ///   several versions; nil for none.
    static func text(_ model: NSManagedObjectModel, source: String, in namespace: String? = nil) throws -> String {
        var writer = SwiftModelWriter(entities: try model.compiledWithDescriptions().entities, namespace: namespace)
        writer.lines = [
            "// Generated from \(SwiftNames.oneLine(source)). Without a default in the model, a new value has the zero value of its type.",
            "",
            "import Foundation", "import Sworm",
        ]
        if let namespace { writer.lines += ["", "enum \(namespace) {"] }
        for (index, entity) in writer.entities.enumerated() {
            if index > 0 || namespace == nil { writer.add() }
            writer.write(entity)
        }
        if namespace != nil { writer.lines.append("}") }
        return writer.lines.joined(separator: "\n") + "\n"
    }

    private init(entities: [NSEntityDescription], namespace: String?) {
        self.entities = entities
        types = SwiftTypeNames(entities)
        self.namespace = namespace
    }

    /// The indentation of a line, which is deeper in a namespace.
    private func indent(_ depth: Int) -> String {
        String(repeating: "    ", count: namespace == nil ? depth : depth + 1)
    }

    /// Adds a line. A line that is too long is broken after its first bracket, and a comment never is.
    mutating func add(_ text: String = "", depth: Int = 0) {
        let isComment = text.hasPrefix("//")
        let line = text.isEmpty ? "" : indent(depth) + (isComment ? SwiftNames.oneLine(text) : text)
        guard line.count > 120, !isComment, let rest = SwiftNames.endOfFirstBracket(in: line) else {
            lines.append(line)
            return
        }
        lines.append(String(line[..<rest]))
        lines.append(indent(depth + 1) + line[rest...])
    }

    /// Begins the declaration of a type.
    ///
    /// - Parameter protocols: The protocols of its table. Only a type at the top level can have an extension for them.
    mutating func begin(_ declaration: String, protocols: String) {
        add(namespace == nil ? "\(declaration) {" : "\(declaration): \(protocols) {")
    }

    /// Begins the part of a type with its table.
    mutating func beginTable(of type: String, protocols: String) {
        if namespace == nil { add("}") }
        add()
        if namespace == nil { add("extension \(type): \(protocols) {") }
    }

    /// Adds a list as the value of a static property. In a table, each of several elements has its own line.
    mutating func add(_ declaration: String, elements texts: [String], isTable: Bool = false) {
        let line = "\(declaration) = [\(texts.joined(separator: ", "))]"
        if indent(1).count + line.count <= 120, texts.count < 2 || !isTable { return add(line, depth: 1) }
        add("\(declaration) = [", depth: 1)
        for text in texts { add(text + (texts.count > 1 ? "," : ""), depth: 2) }
        add("]", depth: 1)
    }

    private mutating func write(_ entity: NSEntityDescription) {
        let type = types.type(of: entity)
        guard !entity.subentities.isEmpty else {
            let superentity = entity.superentity.map { types.type(of: $0) }
            return writeStruct(of: entity, type: type, superentity: superentity, isWhole: false)
        }
        writeEnum(of: entity)
        if !entity.isAbstract {
            add()
            writeStruct(of: entity, type: types.ownType(of: entity), superentity: type, isWhole: true)
        }
    }

    /// Returns what tables cannot say of an entity.
    func notes(of entity: NSEntityDescription, isEnum: Bool = false) -> [String] {
        let name = entity.name ?? ""
        var notes: [String] = []
        if entity.isAbstract, !isEnum { notes.append("is abstract: it can be fetched, but not inserted") }
        if let className = entity.managedObjectClassName, className != name, className != "NSManagedObject" {
            notes.append("has the class \(className) in Core Data")
        }
        if let former = entity.renamingIdentifier, former != name { notes.append("was renamed from \(former)") }
        if let modifier = entity.versionHashModifier { notes.append("has the hash modifier \"\(modifier)\"") }
        return notes
    }

    /// Writes a struct for the objects of an entity.
    ///
    /// - Parameters:
    ///   - type: The name of the struct.
    ///   - superentity: The enum of which the struct is a case.
    ///   - isWhole: Whether the struct represents objects of the entity of the enum itself.
    private mutating func writeStruct(
        of entity: NSEntityDescription, type: String, superentity: String?, isWhole: Bool
    ) {
        let name = entity.name ?? ""
        let table = SwiftTable(entity, inherited: isWhole ? entity : entity.superentity, in: self)
        let notes = isWhole ? [] : notes(of: entity)
        let protocols = "ManagedObjectConvertible\(table.hasComposites ? ", CompositeOwner" : "")"
        if !notes.isEmpty { add("/// An entity that " + notes.joined(separator: ", ") + ".") }
        if isWhole { add("/// An object of the entity \(name) itself.") }
        begin("struct \(type)", protocols: protocols)
        for (text, depth) in table.attributes.flatMap(\.declaration) { add(text, depth: depth + 1) }
        addComments(about: entity)
        beginTable(of: type, protocols: protocols)
        if let superentity { add("typealias Superentity = \(superentity)", depth: 1) }
        if type != name { add("static let entityName = \(SwiftNames.literal(name))", depth: 1) }
        writeTable(table, of: entity, type: type)
        if !isWhole { writeRules(table, of: entity, type: type) }
        add("}")
    }

    /// Adds comments about the properties that tables cannot express.
    mutating func addComments(about entity: NSEntityDescription) {
        for attribute in entity.properties.compactMap({ $0 as? NSAttributeDescription }) {
            guard let obstacle = SwiftAttribute.obstacle(attribute) else { continue }
            add("// `\(attribute.name)` \(obstacle).", depth: 1)
        }
        for property in entity.properties where property is NSFetchedPropertyDescription {
            add("// `\(property.name)` is a fetched property, which tables do not support.", depth: 1)
        }
    }

    mutating func writeTable(_ table: SwiftTable, of entity: NSEntityDescription, type: String) {
        add("static let attributes: Set<Attribute<\(type)>>", elements: table.attributes.map(\.entry), isTable: true)
        writeRelations(of: entity)
    }

    mutating func writeRules(_ table: SwiftTable, of entity: NSEntityDescription, type: String) {
        writeConstraints(of: entity, type: type, paths: table.paths, own: table.own)
        writeIndexes(of: entity, type: type, paths: table.paths)
    }
}
