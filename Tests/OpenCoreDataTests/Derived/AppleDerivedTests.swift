import Foundation
@testable import OpenCoreData
import SwormSQLite
import Testing

/// Derived attributes in copies of stores that Apple's framework wrote, kept by the triggers that it wrote too.
@Suite(.enabled(if: AppleStores.folder != nil, AppleStores.missing))
struct AppleDerivedTests {
    private struct Count {
        var entity: String
        var attribute: String
        var members: String
        var owner: String
    }

    private static func counts(_ model: NSManagedObjectModel) -> [Count] {
        model.entities.flatMap { entity in
            entity.properties.compactMap { property in
                guard let derived = property as? NSDerivedAttributeDescription, let text = derived.derivation,
                    text.hasPrefix("count:("), let name = entity.name,
                    let relation = entity.relationshipsByName[String(text.dropFirst(7).dropLast())],
                    let inverse = relation.inverseRelationship, !inverse.isToMany
                else { return nil }
                return Count(entity: name, attribute: derived.name, members: relation.name, owner: inverse.name)
            }
        }
    }

    private static let stores = AppleStores.stores.filter { store in
        ((try? store.model.make()).map { !counts($0).isEmpty } ?? false)
    }

    @Test(arguments: stores)
    func `counts follow members that move and are deleted, in contexts and in the file`(_ fixture: AppleStore) throws {
        let (folder, url) = try fixture.copied()
        let model = try fixture.model.make()
        let context = GraphLibrary.context(try GraphLibrary.coordinator(at: url, model: model))
        let schema = "SELECT sql FROM sqlite_master ORDER BY rowid"
        let before = try folder.raw(url.lastPathComponent).lines(schema)
        for count in Self.counts(model) {
            let owners = try context.all(count.entity)
            func check() throws {
                let fresh = GraphLibrary.context(try GraphLibrary.coordinator(at: url, model: model))
                for owner in owners {
                    let expected = owner.set(count.members).count
                    #expect(owner.number(count.attribute) == expected)
                    let other = fresh.object(
                        with: try #require(
                            fresh.persistentStoreCoordinator?.managedObjectID(
                                forURIRepresentation: owner.objectID.uriRepresentation())))
                    #expect(other.number(count.attribute) == expected)
                }
            }
            try check()
            // One member stays behind, for relationships that demand it.
            let first = try #require(owners.first { $0.set(count.members).count > 2 })
            let second = owners.first { $0 !== first } ?? first
            try #require(first.set(count.members).first).setValue(second, forKey: count.owner)
            try context.save()
            try check()
            context.delete(try #require(first.set(count.members).first))
            try context.save()
            try check()
        }
        #expect(try folder.raw(url.lastPathComponent).lines(schema) == before)
    }
}
