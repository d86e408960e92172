import SwormStore

extension NSManagedObjectContext {
    /// Whether all objects are plain managed objects, regardless of the classes that their entities name: a migration
    /// has the classes of at most one version.
    final var makesPlainObjects: Bool {
        get { classes.arePlain }
        set { classes.arePlain = newValue }
    }

    /// Returns the class of the objects of an entity.
    final func objectClass(of entity: CompiledEntity) -> NSManagedObject.Type {
        classes.type(ofEntity: entity.number) ?? lookUpClass(of: entity)
    }

    private func lookUpClass(of entity: CompiledEntity) -> NSManagedObject.Type {
        guard let coordinator, coordinator.compiledModel.entity(numbered: Int64(entity.number)) != nil else {
            return NSManagedObject.self
        }
        var type: NSManagedObject.Type?
        if let name = entity.className {
            type = coordinator.classes.named(name)
            if type == nil { coordinator.reportMissingClass(named: name, of: entity) }
        }
        classes.note(type ?? NSManagedObject.self, ofEntity: entity.number)
        return type ?? NSManagedObject.self
    }

    // MARK: Classes that callers ask for

    /// Returns the entity whose class is the given one.
    final func entity(forClass type: NSManagedObject.Type) -> NSEntityDescription? {
        if let known = classes.entity(of: type) { return known }
        guard let origin, let description = origin.description(ofClass: type),
            let entity = origin.compiled.entity(named: description.name ?? "")
        else { return nil }
        adopt(type, for: entity)
        classes.note(description, of: type)
        return description
    }

    /// Finds the class that a caller asks for, if it is the one that the model names for an entity.
    ///
    /// - Throws: A ``CoreDataError`` if the class that the model names does not exist.
    final func find<T>(_ asked: T.Type, ofEntityNamed name: String?) throws {
        guard asked != NSManagedObject.self, let type = asked as? NSManagedObject.Type,
            let coordinator = currentCoordinator, let name,
            let entity = coordinator.compiledModel.entity(named: name), let className = entity.className
        else { return }
        if let known = classes.type(ofEntity: entity.number), known is T.Type { return }
        if ManagedObjectClasses.names(of: type).contains(className) { return adopt(type, for: entity) }
        // The class of the model may be another one of its module: a subclass.
        coordinator.classes.note(type, as: nil)
        guard let found = coordinator.classes.named(className) else { throw wrongClass(type, of: entity) }
        if !makesPlainObjects { classes.note(found, ofEntity: entity.number) }
    }

    private func adopt(_ type: NSManagedObject.Type, for entity: CompiledEntity) {
        coordinator?.classes.note(type, as: entity.className)
        if !makesPlainObjects { classes.note(type, ofEntity: entity.number) }
    }

    /// Returns the results of a fetch in the type that the caller asks for.
    ///
    /// - Throws: A ``CoreDataError`` if a result has another type.
    final func typed<T>(_ results: [Any], of entityName: String?) throws -> [T] {
        if let typed = results as? [T] { return typed }
        let other = results.first { !($0 is T) }
        if let asked = T.self as? NSManagedObject.Type, let object = other as? NSManagedObject {
            throw wrongClass(asked, of: object.compiledEntity)
        }
        throw CoreDataError(
            NSCoreDataError,
            "A fetch of \(entityName ?? "objects") does not return results of the type \(T.self). Set the result type of the request, or the class of the entity."
        )
    }

    // MARK: Errors

    /// Returns the error of objects that do not have the class that a caller asks for.
    private func wrongClass(_ asked: NSManagedObject.Type, of entity: CompiledEntity) -> CoreDataError {
        let name = String(reflecting: asked)
        var reason = "the model names no class for the entity. Set its managedObjectClassName to '\(name)'"
        if let className = entity.className {
            switch coordinator?.classes.named(className) {
            case nil:
                reason =
                    "the class '\(className)' that the model names for the entity does not exist in this program. Declare it, or set the entity's managedObjectClassName to '\(name)'"
            case let found? where found == asked:
                reason =
                    "an object was created before the program had asked for the class. Set the entity's managedObjectClassName to '\(name)'"
            case let found?:
                reason =
                    "the model names the class \(String(reflecting: found)) for the entity. Ask for that class, or set the entity's managedObjectClassName to '\(name)'"
            }
        }
        return CoreDataError(
            NSCoreDataError, "The objects of the entity \(entity.name) do not have the class \(name): \(reason).",
            entity: entity.name)
    }

    /// Returns the error of an object of a class that is not that of exactly one entity.
    final func noEntity(ofClass type: NSManagedObject.Type) -> CoreDataError {
        let name = String(reflecting: type)
        guard let compiledModel else {
            return CoreDataError(
                NSCoreDataError,
                "Cannot create a \(name): the context has no coordinator, and so no model with an entity of this class."
            )
        }
        let names = ManagedObjectClasses.names(of: type)
        let matches = compiledModel.entities.filter { $0.className.map { names.contains($0) } ?? false }
        guard matches.count < 2 else {
            let list = matches.map(\.name).sorted().joined(separator: ", ")
            return CoreDataError(
                NSCoreDataError,
                "Cannot create a \(name): it is the class of several entities, which are \(list). Use init(entity:insertInto:)."
            )
        }
        let similar = compiledModel.entities.first { entity in
            entity.name == names[1] || entity.className.map { $0.hasSuffix(names[2]) } ?? false
        }
        let hint =
            similar.map { entity in
                entity.className.map { " The class of the entity \(entity.name) is '\($0)'." }
                    ?? " The entity \(entity.name) has no class."
            } ?? ""
        return CoreDataError(
            NSCoreDataError,
            "Cannot create a \(name): no entity of the model has this class.\(hint) Set the managedObjectClassName of an entity to '\(name)', '\(names[2])' or '\(names[1])'.",
            entity: similar?.name)
    }
}
