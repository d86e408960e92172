import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Every public call that throws, with a mistake. The list of public declarations says which calls there are.
@Suite("Behaviours: errors of public calls")
struct PublicErrorTests {
    typealias Mistake = (code: CocoaError.Code, call: () throws -> Void)

    /// The calls that throw no errors of the framework.
    private static let foreign: Set<String> = [
        // The errors of Swift's coding.
        "NSPersistentHistoryToken.encode(to:)", "NSPersistentHistoryToken.init(from:)",
        // Subclasses override them; they do nothing by themselves.
        "NSEntityMigrationPolicy.begin(_:with:)", "NSEntityMigrationPolicy.end(_:manager:)",
        "NSEntityMigrationPolicy.endInstanceCreation(forMapping:manager:)",
        "NSEntityMigrationPolicy.endRelationshipCreation(forMapping:manager:)",
        "NSEntityMigrationPolicy.performCustomValidation(forMapping:manager:)",
        // No migration is deferred.
        "NSPersistentStoreCoordinator.finishDeferredLightweightMigration()",
        "NSPersistentStoreCoordinator.finishDeferredLightweightMigrationTask()",
    ]

    /// The names of all public functions and initializers that throw by themselves, not only what a closure throws.
    private static func throwingCalls() throws -> Set<String> {
        let list = URL(filePath: #filePath).appending(path: "../../../PublicAPI/OpenCoreData.txt").standardized
        var names: Set<String> = []
        for line in try String(contentsOf: list, encoding: .utf8).split(separator: "\n") {
            guard let colon = line.range(of: ": ") else { continue }
            let declaration = line[colon.upperBound...]
            guard !declaration.contains("throws(Failure)") else { continue }
            var depth = 0
            let outside = declaration.filter { character in
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                return depth == 0
            }
            guard outside.contains(" throws"), !outside.contains("var ") else { continue }
            names.insert(String(line[..<colon.lowerBound]))
        }
        return names
    }

    @Test func `every public call that throws is tested here`() throws {
        let calls = try Self.throwingCalls()
        #expect(calls.contains("NSManagedObjectContext.save()") && !calls.contains { $0.contains("performAndWait") })
        #expect(try calls == Set(mistakes().keys).union(Self.foreign))
    }

    @Test func `a public call throws a CocoaError with Core Data's code`() throws {
        for (name, mistake) in try mistakes() {
            do {
                try mistake.call()
                Issue.record("\(name) throws nothing")
            } catch let error as CocoaError {
                #expect(error.code == mistake.code, "\(name): \(error)")
                let native = error as NSError
                #expect(native.domain == NSCocoaErrorDomain && native.code == mistake.code.rawValue, "\(name)")
                let message = try #require(error.asCoreData).message
                #expect(error.localizedDescription == message && native.localizedDescription == message, "\(name)")
                #expect(message.count > 20, "\(name): \(message)")
            } catch {
                Issue.record("\(name) throws a \(type(of: error)): \(error)")
            }
        }
    }

    private func mistakes() throws -> [String: Mistake] {
        try [
            contextMistakes(), policyMistakes(), coordinatorMistakes(), storeMistakes(), typedMistakes(),
            migrationMistakes(),
        ]
        .reduce([:]) { $0.merging($1) { $1 } }
    }

    private func contextMistakes() throws -> [String: Mistake] {
        let context = try GraphLibrary.context()
        let nothing = NSFetchRequest<NSManagedObject>(entityName: "Nothing")
        let author = try context.make("Author")
        let shelf = try context.make("Shelf")
        try context.make("Book", ["title": "a", "shelf": shelf])
        let stranger = NSEntityDescription.insertNewObject(forEntityName: "Nothing", into: context)
        let bare = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        let other = try GraphLibrary.context()
        let tag = try other.make("Tag")
        try other.save()
        try other.setQueryGenerationFrom(.current)
        let generation = other.queryGenerationToken
        let results = NSFetchedResultsController(
            fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Tag"), managedObjectContext: other,
            sectionNameKeyPath: nil, cacheName: nil)
        return [
            "NSManagedObjectContext.save()": (.validationMultipleErrors, { try context.save() }),
            "NSManagedObjectContext.fetch(_:)": (.coreData, { _ = try context.fetch(nothing) }),
            "NSManagedObjectContext.count(for:)": (.coreData, { _ = try context.count(for: nothing) }),
            "NSManagedObjectContext.execute(_:)": (
                .coreData, { try bare.execute(NSPersistentHistoryChangeRequest()) }
            ),
            "NSManagedObjectContext.existingObject(with:)": (
                .managedObjectReferentialIntegrity, { _ = try context.existingObject(with: tag.objectID) }
            ),
            "NSManagedObjectContext.obtainPermanentIDs(for:)": (
                .coreData, { try context.obtainPermanentIDs(for: [stranger]) }
            ),
            "NSManagedObjectContext.setQueryGenerationFrom(_:)": (
                .persistentStoreOperation, { try context.setQueryGenerationFrom(generation) }
            ),
            "NSFetchRequest.execute()": (.coreData, { _ = try nothing.execute() }),
            "NSFetchedResultsController.performFetch()": (.coreData, { try results.performFetch() }),
            "NSManagedObject.validateForInsert()": (
                .validationMissingMandatoryProperty, { try author.validateForInsert() }
            ),
            "NSManagedObject.validateForUpdate()": (
                .validationMissingMandatoryProperty, { try author.validateForUpdate() }
            ),
            "NSManagedObject.validateForDelete()": (
                .validationRelationshipDeniedDelete, { try shelf.validateForDelete() }
            ),
            "NSManagedObject.validateValue(_:forKey:)": (
                .validationStringTooShort,
                {
                    var value: Any? = "L"
                    try author.validateValue(&value, forKey: "name")
                }
            ),
            "NSManagedObject.validateValue(_:forKeyPath:)": (
                .managedObjectValidation,
                {
                    var value: Any? = "L"
                    try author.validateValue(&value, forKeyPath: "nothing.name")
                }
            ),
        ]
    }

    private func coordinatorMistakes() throws -> [String: Mistake] {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let foreign = try #require(try GraphLibrary.coordinator().persistentStores.first)
        let (url, missing) = (folder.url(), folder.url("Missing.sqlite"))
        return [
            "NSPersistentStoreCoordinator.addPersistentStore(ofType:configurationName:at:options:)": (
                .persistentStoreInvalidType,
                { try coordinator.addPersistentStore(ofType: "Nothing", configurationName: nil, at: url) }
            ),
            "NSPersistentStoreCoordinator.destroyPersistentStore(at:ofType:options:)": (
                .persistentStoreOperation,
                { try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType) }
            ),
            "NSPersistentStoreCoordinator.metadataForPersistentStore(ofType:at:options:)": (
                .persistentStoreInvalidType,
                { _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: "Nothing", at: url) }
            ),
            "NSPersistentStoreCoordinator.remove(_:)": (
                .persistentStoreOperation, { try coordinator.remove(foreign) }
            ),
            "NSPersistentStoreCoordinator.replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:sourceOptions:ofType:)":
                (
                    .persistentStoreOperation,
                    {
                        try withExtendedLifetime(folder) {
                            try coordinator.replacePersistentStore(
                                at: missing, withPersistentStoreFrom: url, ofType: NSSQLiteStoreType)
                        }
                    }
                ),
            "StoredModel.init(ofStoreAt:)": (.fileReadNoSuchFile, { _ = try StoredModel(ofStoreAt: missing) }),
        ]
    }

    private func migrationMistakes() throws -> [String: Mistake] {
        let library = try MigratedLibrary(change: { $0.relationship("Author.books").maxCount = 1 }) { context in
            let author = try context.make("Author", ["name": "Leo"])
            for title in ["a", "b"] { try context.make("Book", ["title": title, "author": author]) }
        }
        let changed = GraphLibrary.model()
        let age = changed.entitiesByName["Author"]?.attributesByName["age"]
        age?.validationRules = []
        age?.attributeType = .stringAttributeType
        /// Migrates with a policy that reports the errors of its own methods.
        func migrate(_ change: (NSEntityMapping) -> Void) throws {
            let mapping = try library.mapping()
            for entity in mapping.entityMappings where entity.sourceEntityName == "Author" {
                entity.entityMigrationPolicyType = ReportingPolicy.self
                change(entity)
            }
            do {
                try library.migrate(mapping)
            } catch let report as ReportingPolicy.Report {
                throw report.error
            }
        }
        return [
            "NSMappingModel.inferredMappingModel(forSourceModel:destinationModel:)": (
                .inferredMappingModel,
                {
                    _ = try NSMappingModel.inferredMappingModel(
                        forSourceModel: GraphLibrary.model(), destinationModel: changed)
                }
            ),
            "NSMigrationManager.migrateStore(from:sourceType:options:with:toDestinationURL:destinationType:destinationOptions:)":
                (.migration, { try library.migrate() }),
            "NSEntityMigrationPolicy.createDestinationInstances(forSource:in:manager:)": (
                .managedObjectValidation,
                {
                    try migrate { entity in
                        entity.attributeMappings?.first { $0.name == "age" }?.valueExpression = NSExpression(
                            format: "$source.name")
                    }
                }
            ),
            "NSEntityMigrationPolicy.createRelationships(forDestination:in:manager:)": (
                .migration, { try migrate { _ in } }
            ),
        ]
    }
}

/// A policy that wraps the errors of its superclass, so that nothing else converts them.
private final class ReportingPolicy: NSEntityMigrationPolicy {
    struct Report: Error {
        let error: any Error
    }

    override func createDestinationInstances(
        forSource old: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try reporting { try super.createDestinationInstances(forSource: old, in: mapping, manager: manager) }
    }

    override func createRelationships(
        forDestination new: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try reporting { try super.createRelationships(forDestination: new, in: mapping, manager: manager) }
    }

    private func reporting(_ work: () throws -> Void) throws {
        do { try work() } catch { throw Report(error: error) }
    }
}
