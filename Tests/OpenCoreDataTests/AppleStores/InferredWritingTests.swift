import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Writes into copies of stores with the models that were inferred from them, and looks at the copies with the real ones.
@Suite("Writing with inferred models", .enabled(if: AppleStores.folder != nil, AppleStores.missing))
struct InferredWritingTests {
    private static var options: [AnyHashable: Any] { [SwormWritesWithInferredModelOption: true] }

    /// What a store took, and the reasons for which it did not.
    private struct Outcome {
        var taken: [String: Int] = [:]
        var reasons: [String] = []

        mutating func save(_ kind: String, _ context: NSManagedObjectContext) throws {
            do {
                try context.save()
                taken[kind, default: 0] += 1
            } catch let error as CocoaError {
                reasons.append(error.localizedDescription)
                context.rollback()
            }
        }
    }

    @Test func `a save with an inferred model is sound under the real model`() throws {
        var total = Outcome()
        var seen: Set<URL> = []
        for real in AppleStores.stores where seen.insert(real.url).inserted {
            let (folder, url) = try real.copied()
            let inferred = AppleStore(
                url: url, testDescription: real.testDescription,
                model: AppleModel(testDescription: "inferred") {
                    try StoredModel(ofStoreAt: url, ignoresCache: true).model
                })
            if try PlainStore(copyOf: url).tables["ACHANGE"] != nil {
                let error = coreDataError { try inferred.withContext(at: url, options: Self.options) { _ in } }
                #expect(error?.message.contains("history") == true)
                let raw = try Connection(.file(path: url.path))
                for table in ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"] {
                    try raw.execute("DROP TABLE IF EXISTS \(table)")
                }
            }
            if FileManager.default.fileExists(atPath: StoreFiles(url: url).externalData) {
                let error = coreDataError { try inferred.withContext(at: url, options: Self.options) { _ in } }
                #expect(error?.message.contains("external data files") == true)
                continue
            }
            let model = try real.model.make()
            let issues = try StoreVerification.issues(of: url, model: model.compiled())
            let plainIssues = try PlainStore(copyOf: url).issues(PlainModel(model))
            try inferred.withContext(at: url, options: Self.options) { context in
                try write(context, model, &total)
            }
            let found = try StoreVerification.issues(of: url, model: model.compiled())
            #expect(found.filter { !issues.contains($0) } == [], "\(real.testDescription)")
            let after = try PlainStore(copyOf: url)
            #expect(after.issues(PlainModel(model)) == plainIssues, "\(real.testDescription)")
            #expect(after.pragmas["integrity_check"] == "ok")
            // The metadata stay those of the real model.
            try real.withContext(at: url) { _ in }
            withExtendedLifetime(folder) {}
        }
        print("taken: \(total.taken), refused: \(total.reasons.count)")
        for kind in ["insert", "update", "relate", "delete"] { #expect((total.taken[kind] ?? 0) > 0, "\(kind)") }
        for part in ["may be the inverse", "can be stored in files", "may point to the deleted object", "may be keys"] {
            #expect(total.reasons.contains { $0.contains(part) }, "\(part)")
        }
    }

    private func write(
        _ context: NSManagedObjectContext, _ model: NSManagedObjectModel, _ outcome: inout Outcome
    ) throws {
        let coordinator = try #require(context.persistentStoreCoordinator)
        let entities = coordinator.managedObjectModel.entities.filter {
            model.entitiesByName[$0.name ?? ""]?.isAbstract == false
        }
        var number = 0
        func value(for attribute: NSAttributeDescription, unlike current: Any?) -> Any {
            number += 1
            switch attribute.attributeType {
            // An attribute of integers may be one of Booleans.
            case .integer64AttributeType: return (current as? NSNumber)?.intValue == 1 ? 0 : 1
            case .decimalAttributeType: return NSDecimalNumber(value: number)
            case .doubleAttributeType: return Double(number) + 0.25
            case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: Double(number))
            case .binaryDataAttributeType: return Data("bytes \(number)".utf8)
            default: return "text\(number)"
            }
        }
        for entity in entities {
            let name = try #require(entity.name)
            let new = NSManagedObject(entity: entity, insertInto: context)
            for case let attribute as NSAttributeDescription in entity.properties
            where attribute.attributeType != .binaryDataAttributeType
                && attribute.attributeType != .integer64AttributeType
            {
                new.setValue(value(for: attribute, unlike: nil), forKey: attribute.name)
            }
            try outcome.save("insert", context)
            let request = NSFetchRequest<NSManagedObject>(entityName: name)
            request.includesSubentities = false
            request.sortDescriptors = []
            let objects = try context.fetch(request)
            for object in objects.prefix(3) {
                for property in entity.properties {
                    if let attribute = property as? NSAttributeDescription {
                        let current = object.value(forKey: attribute.name)
                        object.setValue(value(for: attribute, unlike: current), forKey: attribute.name)
                        try outcome.save("update", context)
                    } else if let relationship = property as? NSRelationshipDescription {
                        let others = NSFetchRequest<NSManagedObject>(
                            entityName: try #require(relationship.destinationEntity?.name))
                        let other = try context.fetch(others).last
                        if relationship.isToMany {
                            guard let other else { continue }
                            if relationship.isOrdered {
                                object.mutableOrderedSetValue(forKey: relationship.name).add(other)
                            } else {
                                object.mutableSetValue(forKey: relationship.name).add(other)
                            }
                        } else {
                            object.setValue(other, forKey: relationship.name)
                        }
                        try outcome.save("relate", context)
                    }
                }
            }
            for object in [objects.first, objects.last].compactMap({ $0 }) {
                context.delete(object)
                try outcome.save("delete", context)
            }
        }
    }
}
