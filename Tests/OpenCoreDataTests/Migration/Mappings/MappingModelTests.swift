import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Mapping models")
struct MappingModelTests {
    private func changed() -> NSManagedObjectModel {
        let changes = OldLibrary.Changes(model: OldLibrary.model())
        changes["Author"].renamingIdentifier = "Author"
        changes["Author"].name = "Writer"
        changes.attribute("Writer.name").renamingIdentifier = "name"
        changes.attribute("Writer.name").name = "fullName"
        changes.add(Build.attribute("pages", .integer32AttributeType), to: "Book")
        changes.add(Build.entity("Shop"))
        changes.remove(entity: "Song")
        return changes.model
    }

    @Test func `an inferred model has a mapping for each entity, named by its effect`() throws {
        let (old, new) = (OldLibrary.model(), changed())
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
        #expect(
            mapping.entityMappings.map(\.name) == [
                "IEM_Transform_Book", "IEM_Copy_Media", "IEM_Copy_Film", "IEM_Add_Shop", "IEM_Transform_Writer",
                "IEM_Remove_Song",
            ])
        #expect(
            mapping.entityMappings.map(\.mappingType) == [
                .transformEntityMappingType, .copyEntityMappingType, .copyEntityMappingType, .addEntityMappingType,
                .transformEntityMappingType, .removeEntityMappingType,
            ])
        let writer = try #require(mapping.entityMappingsByName["IEM_Transform_Writer"])
        #expect(writer.sourceEntityName == "Author")
        #expect(writer.destinationEntityName == "Writer")
        #expect(writer.sourceEntityVersionHash == old.entitiesByName["Author"]?.versionHash)
        #expect(writer.destinationEntityVersionHash == new.entitiesByName["Writer"]?.versionHash)
        #expect(writer.attributeMappings?.map(\.name) == ["bookCount", "born", "fullName", "home.street", "home.city"])
        #expect(writer.relationshipMappings?.map(\.name) == ["books"])
        let shop = try #require(mapping.entityMappingsByName["IEM_Add_Shop"])
        #expect(shop.sourceEntityName == nil)
        #expect(mapping.entityMappingsByName["IEM_Remove_Song"]?.destinationEntityName == nil)
    }

    @Test func `a mapping that cannot be inferred is reported as an NSError, with all reasons`() throws {
        let new = OldLibrary.model()
        new.entitiesByName["Author"]?.attributesByName["born"]?.attributeType = .dateAttributeType
        let error = try #require(throws: (any Error).self) {
            try NSMappingModel.inferredMappingModel(forSourceModel: OldLibrary.model(), destinationModel: new)
        }
        let plain = error as NSError
        #expect(plain.domain == NSCocoaErrorDomain)
        #expect(plain.code == NSInferredMappingModelError)
        #expect((plain.userInfo[NSDetailedErrorsKey] as? [any Error])?.count == 1)
    }
}
