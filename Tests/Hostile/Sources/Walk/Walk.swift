import Foundation
import OpenCoreData

/// Reads all objects of a store, follows their relationships, changes and deletes some, and reads the history. Errors are what is
/// expected of a damaged store; only a crash is not.
@main
struct Walk {
    static func main() {
        guard CommandLine.arguments.count > 1 else {
            print("usage: Walk STORE")
            exit(2)
        }
        let url = URL(fileURLWithPath: CommandLine.arguments[1])
        for isReadOnly in [true, false] {
            do {
                try Walk(url, isReadOnly: isReadOnly).run()
            } catch {
                print("\(isReadOnly ? "read" : "write"): \(String(describing: error).prefix(300))")
            }
        }
    }

    private let model: NSManagedObjectModel
    private let context: NSManagedObjectContext
    private let isReadOnly: Bool

    private init(_ url: URL, isReadOnly: Bool) throws {
        self.isReadOnly = isReadOnly
        model = try StoredModel(ofStoreAt: url).model
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSReadOnlyPersistentStoreOption: isReadOnly, NSPersistentStoreTimeoutOption: 1])
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    private func run() throws {
        try context.performAndWait {
            for entity in model.entities {
                guard let name = entity.name else { continue }
                walk(name, entity)
                if !isReadOnly { change(name) }
            }
            if !isReadOnly {
                do { try context.save() } catch { context.rollback() }
                for entity in model.entities { delete(entity.name ?? "") }
            }
            let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
            request.resultType = .transactionsAndChanges
            if let history = try? context.execute(request) as? NSPersistentHistoryResult {
                for transaction in history.result as? [NSPersistentHistoryTransaction] ?? [] {
                    for change in transaction.changes ?? [] { _ = (change.updatedProperties, change.tombstone) }
                }
            }
        }
    }

    /// Reads every property of the objects, in the store's order and in one of memory.
    private func walk(_ name: String, _ entity: NSEntityDescription) {
        for attribute in [nil] + entity.attributesByName.keys.sorted().prefix(2).map(Optional.some) {
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.fetchLimit = 200
            request.sortDescriptors = attribute.map { [NSSortDescriptor(key: $0, ascending: true)] }
            guard let objects = try? context.fetch(request) else { continue }
            for object in objects {
                for property in object.entity.properties {
                    switch object.value(forKey: property.name) {
                    case let destination as NSManagedObject: _ = destination.objectID.uriRepresentation()
                    case let members as Set<NSManagedObject>: _ = members.map(\.hash)
                    case let members as NSOrderedSet: _ = members.count
                    default: break
                    }
                }
            }
        }
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: name)
        ids.resultType = .managedObjectIDResultType
        _ = try? context.fetch(ids)
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: name)
        dictionaries.resultType = .dictionaryResultType
        dictionaries.fetchLimit = 50
        _ = try? context.fetch(dictionaries)
    }

    private func change(_ name: String) {
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.fetchLimit = 30
        let objects = (try? context.fetch(request)) ?? []
        for (index, object) in objects.enumerated() {
            for attribute in object.entity.attributesByName.values where attribute.attributeType == .stringAttributeType
            {
                object.setValue("changed \(index)", forKey: attribute.name)
            }
            for relationship in object.entity.relationshipsByName.values {
                let others = NSFetchRequest<NSManagedObject>(entityName: relationship.destinationEntity?.name ?? "")
                others.fetchLimit = 3
                guard let found = try? context.fetch(others) else { continue }
                if relationship.isToMany {
                    object.setValue(
                        relationship.isOrdered ? NSOrderedSet(array: found) : Set(found) as Any,
                        forKey: relationship.name)
                } else {
                    object.setValue(found.first, forKey: relationship.name)
                }
            }
        }
    }

    private func delete(_ name: String) {
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.fetchLimit = 20
        for object in (try? context.fetch(request)) ?? [] { context.delete(object) }
        do { try context.save() } catch { context.rollback() }
    }
}
