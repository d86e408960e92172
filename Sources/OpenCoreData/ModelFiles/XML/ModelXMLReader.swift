import Foundation
import SwormStore

/// A reader that builds a model from the XML document of a model file.
///
/// Unknown elements and attributes are ignored, because later editors add some. Known but malformed parts are errors
/// that name the entity and the property; all of them are reported together.
struct ModelXMLReader {
    let file: String
    /// The definitions of composite attributes by their names.
    var composites: [String: XMLTree] = [:]
    /// The number of composite elements that were created. It is limited, so that nested definitions cannot grow
    /// without bounds.
    var compositeElements = 0
    private var problems: [CoreDataError] = []
    private var notes: [String] = []
    private var entities: [String: NSEntityDescription] = [:]
    /// The relationships to link after all entities were read.
    var links: [(link: RelationshipLink, element: XMLTree)] = []

    init(file: String) { self.file = file }

    mutating func report(_ message: String, at element: XMLTree, entity: String? = nil, key: String? = nil) {
        guard problems.count < 1000 else { return }
        problems.append(
            CoreDataError(NSCoreDataError, "\(file):\(element.line): \(message)", entity: entity, key: key))
    }

    /// Adds a note about something that is not an error, but that the author of the model may not have intended.
    mutating func note(_ message: String, at element: XMLTree) {
        if notes.count < 1000 { notes.append("\(file):\(element.line): \(message)") }
    }

    /// Reads a document into a model without entities.
    static func read(_ root: XMLTree, file: String, into model: NSManagedObjectModel) throws {
        var reader = ModelXMLReader(file: file)
        try reader.read(root, into: model)
    }

    private mutating func read(_ root: XMLTree, into model: NSManagedObjectModel) throws {
        guard root.name == "model" else {
            throw XMLTree.error(
                "is not a model: its root element is '\(root.name)', not 'model'", file: file, line: root.line)
        }
        for element in root.children(named: "composite") {
            if let name = element.attributes["name"], !name.isEmpty { composites[name] = element }
        }
        let elements = root.children(named: "entity")
        let read = elements.map { element in
            let entity = self.entity(from: element)
            if let name = entity.name, entities[name] == nil { entities[name] = entity }
            return entity
        }
        linkInheritance(zip(elements, read).map { ($0, $1) })
        linkRelationships()
        let configurations = configurations(of: root)
        let templates = templates(of: root)
        if problems.isEmpty, let issue = ModelLimits.issue(of: read) {
            report(issue.message, at: root, entity: issue.entity)
        }
        try throwProblems()
        model.entities = read
        model.readingNotes = notes
        model.requestTemplates = templates
        if let identifier = root.attributes["userDefinedModelVersionIdentifier"] {
            model.versionIdentifiers = [identifier]
        }
        for (name, members) in configurations { model.setEntities(members, forConfigurationName: name) }
    }

    private func throwProblems() throws {
        guard let first = problems.first else { return }
        if problems.count == 1 { throw first }
        throw CoreDataError(
            NSCoreDataError,
            "The model file has errors:" + problems.map { "\n- " + $0.message }.joined(),
            details: problems)
    }

    private mutating func linkInheritance(_ read: [(element: XMLTree, entity: NSEntityDescription)]) {
        var parents: [ObjectIdentifier: NSEntityDescription] = [:]
        for (element, entity) in read {
            guard let name = element.attributes["parentEntity"], !name.isEmpty else { continue }
            guard let parent = entities[name] else {
                report(
                    "Entity '\(entity.name ?? "")' inherits from '\(name)', which is not an entity of the model.",
                    at: element,
                    entity: entity.name)
                continue
            }
            parents[ObjectIdentifier(entity)] = parent
        }
        let all = read.map(\.entity)
        if let issue = ModelLinks.faultOfInheritance(all, parents: parents) {
            report(issue.message, at: read[issue.place].element, entity: all[issue.place].name)
            return
        }
        ModelLinks.inherit(all, parents: parents)
    }

    private mutating func linkRelationships() {
        var issues: [(Int, String)] = []
        ModelLinks.connect(links.map(\.link), in: entities) { issues.append(($0, $1)) }
        for (place, message) in issues {
            report(message, at: links[place].element, key: links[place].link.relationship.name)
        }
    }

    private mutating func configurations(of root: XMLTree) -> [(String, [NSEntityDescription])] {
        var result: [(String, [NSEntityDescription])] = []
        for element in root.children(named: "configuration") {
            guard let name = element.attributes["name"], !name.isEmpty else {
                report("A configuration has no name.", at: element)
                continue
            }
            var members: [NSEntityDescription] = []
            for member in element.children(named: "memberEntity") {
                let memberName = member.attributes["name"] ?? ""
                guard let entity = entities[memberName] else {
                    report(
                        "Configuration '\(name)' holds '\(memberName)', which is not an entity of the model.",
                        at: member)
                    continue
                }
                members.append(entity)
            }
            result.append((name, members))
        }
        return result
    }
}
