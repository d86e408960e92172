import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("A store of another model is rejected")
struct OtherModelTests {
    private func refusal(_ change: (NSManagedObjectModel) throws -> Void) throws -> CoreDataError {
        let folder = try StoreFolder()
        let url = folder.url()
        let coordinator = try GraphLibrary.coordinator(at: url)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        let before = try folder.contents()
        let model = GraphLibrary.model()
        try change(model)
        let error = try #require(coreDataError { _ = try GraphLibrary.coordinator(at: url, model: model) })
        #expect(try folder.contents() == before)
        #expect(error.errorCode == NSPersistentStoreIncompatibleVersionHashError)
        return error
    }

    @Test func `the error lists the entities and the properties that differ`() throws {
        let error = try refusal { model in
            let book = try #require(model.entitiesByName["Book"])
            book.properties.removeAll { $0.name == "isbn" }
            book.uniquenessConstraints = []
            book.properties.append(Build.attribute("subtitle"))
            (book.propertiesByName["year"] as? NSAttributeDescription)?.attributeType = .stringAttributeType
            model.entities.append(Build.entity("Extra"))
        }
        let details = error.details.map(\.message).joined(separator: "\n")
        #expect(details.contains("'Book' has changed"))
        #expect(details.contains("'subtitle' is in the model only"))
        #expect(details.contains("the column 'ZISBN', which is not a property of the model"))
        #expect(details.contains("'year' is stored as VARCHAR by the model and as INTEGER in the store"))
        #expect(details.contains("'Extra' is in the model only"))
        #expect(error.message.contains("'subtitle'") && error.message.contains("migrate"))
    }

    @Test func `a difference that no column shows is said to be one`() throws {
        let error = try refusal { try #require($0.entitiesByName["Tag"]).attributesByName["name"]?.isOptional = false }
        #expect(error.details.map(\.message).joined().contains("'Tag' has changed: its columns are the same"))
    }
}
