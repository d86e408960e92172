import Foundation

@testable import OpenCoreData
@testable import SwormStore

/// A mapping as lines: what comes (`+`), what goes (`-`) and what was renamed (`old > new`); nothing for what stays.
func text(of mapping: ModelMapping) -> [String] {
    mapping.entities.flatMap { entity -> [String] in
        guard let source = entity.source else { return ["+ \(entity.destination ?? "")"] }
        guard let destination = entity.destination else { return ["- \(source)"] }
        let properties = (entity.attributes + entity.relationships).compactMap { property -> String? in
            switch (property.source, property.destination) {
            case (let old?, let new?): old == new ? nil : "\(destination).\(old) > \(new)"
            case (let old?, nil): "- \(destination).\(old)"
            case (nil, let new?): "+ \(destination).\(new)"
            case (nil, nil): "nothing"
            }
        }
        return (source == destination ? [] : ["\(source) > \(destination)"]) + properties
    }
}

/// The mapping between two models as lines, or the reasons why there is none.
func inferred(from old: NSManagedObjectModel, to new: NSManagedObjectModel) -> [String] {
    do {
        return text(of: try ModelMapping.inferred(from: old, to: new))
    } catch let error as CoreDataError {
        return error.details.map { "\($0.errorCode): \($0.message)" }
    } catch {
        return ["\(error)"]
    }
}

/// A small model with a hierarchy, a composite and a derived attribute, of which the tests change copies.
enum OldLibrary {
    static func model() -> NSManagedObjectModel {
        let author = Build.entity("Author")
        let book = Build.entity("Book")
        let media = Build.entity("Media")
        let film = Build.entity("Film", [Build.attribute("minutes", .integer16AttributeType)])
        let song = Build.entity("Song", [Build.attribute("minutes", .integer16AttributeType)])
        let books = Build.toMany("books", book)
        let writer = Build.toOne("author", author)
        Build.connect(books, writer)
        author.properties = [
            Build.attribute("name", optional: false), Build.attribute("born", .integer16AttributeType),
            Build.composite("home", [Build.attribute("street"), Build.attribute("city")]),
            Build.derived("bookCount", .integer64AttributeType, "count:(books)"), books,
        ]
        book.properties = [
            Build.attribute("title"), Build.attribute("note") { $0.isTransient = true }, writer,
            Build.toOne("cover", media),
        ]
        media.isAbstract = true
        media.properties = [Build.attribute("label")]
        media.subentities = [film, song]
        return Build.model(author, book, media, film, song)
    }

    /// What is inferred when the model is changed.
    static func inferred(_ change: (Changes) throws -> Void) rethrows -> [String] {
        let changes = Changes(model: model())
        try change(changes)
        return OpenCoreDataTests.inferred(from: model(), to: changes.model)
    }

    /// A model under change; what is not there yields a new description, by which the test fails.
    struct Changes {
        let model: NSManagedObjectModel

        subscript(entity: String) -> NSEntityDescription { model.entitiesByName[entity] ?? NSEntityDescription() }

        func attribute(_ path: String) -> NSAttributeDescription {
            property(path) as? NSAttributeDescription ?? NSAttributeDescription()
        }

        func relationship(_ path: String) -> NSRelationshipDescription {
            property(path) as? NSRelationshipDescription ?? NSRelationshipDescription()
        }

        private func property(_ path: String) -> NSPropertyDescription? {
            let parts = path.split(separator: ".").map(String.init)
            let property = self[parts[0]].propertiesByName[parts[1]]
            guard parts.count == 3 else { return property }
            return (property as? NSCompositeAttributeDescription)?.elements.first { $0.name == parts[2] }
        }

        func add(_ properties: NSPropertyDescription..., to entity: String) {
            self[entity].properties = self[entity].ownProperties + properties
        }

        func remove(_ path: String) {
            let parts = path.split(separator: ".").map(String.init)
            self[parts[0]].properties = self[parts[0]].ownProperties.filter { $0.name != parts[1] }
        }

        /// Takes a property from its entity and gives it to another one.
        func move(_ path: String, to entity: String) {
            guard let property = property(path) else { return }
            remove(path)
            add(property, to: entity)
        }

        func add(_ entities: NSEntityDescription...) { model.entities += entities }

        func remove(entity name: String) {
            for parent in model.entities where parent.subentities.contains(where: { $0.name == name }) {
                parent.subentities = parent.subentities.filter { $0.name != name }
            }
            model.entities = model.entities.filter { $0.name != name }
        }
    }
}
