import Foundation

@testable import OpenCoreData
@testable import SwormStore

/// What the fuzzers begin with: a small model as an archive, and a small store of it. They are made, not kept.
enum FuzzSeeds {
    static func write(_ kind: String, to folder: URL) throws {
        let model = NSManagedObjectModel()
        let book = NSEntityDescription()
        book.name = "Book"
        let author = NSEntityDescription()
        author.name = "Author"
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        func relationship(_ name: String, _ destination: NSEntityDescription, isToMany: Bool)
            -> NSRelationshipDescription
        {
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = destination
            relationship.maxCount = isToMany ? 0 : 1
            return relationship
        }
        let cover = attribute("cover", .binaryDataAttributeType)
        cover.allowsExternalBinaryDataStorage = true
        let (books, writer) = (
            relationship("books", book, isToMany: true), relationship("author", author, isToMany: false)
        )
        (books.inverseRelationship, writer.inverseRelationship) = (writer, books)
        books.isOrdered = true
        let (likes, likedBy) = (
            relationship("likes", book, isToMany: true), relationship("likedBy", author, isToMany: true)
        )
        (likes.inverseRelationship, likedBy.inverseRelationship) = (likedBy, likes)
        book.properties = [
            attribute("title", .stringAttributeType), attribute("price", .decimalAttributeType),
            attribute("printed", .dateAttributeType), attribute("id", .UUIDAttributeType), cover, writer, likedBy,
        ]
        author.properties = [
            attribute("name", .stringAttributeType), attribute("age", .integer16AttributeType), books, likes,
        ]
        model.entities = [book, author]
        switch kind {
        case "archives":
            try ModelArchiveWriter.archive(of: model).write(to: folder.appendingPathComponent("seed"))
            try model.storeCache().write(to: folder.appendingPathComponent("packed"))
            return
        case "models":
            try Data(xml.utf8).write(to: folder.appendingPathComponent("seed"))
            return
        default: break
        }
        let url = folder.appendingPathComponent("seed")
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let options: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for index in 0..<4 {
                let person = NSManagedObject(entity: author, insertInto: context)
                person.setValue("Author \(index)", forKey: "name")
                let volume = NSManagedObject(entity: book, insertInto: context)
                volume.setValue("Title \(index)", forKey: "title")
                volume.setValue(Decimal(index) / 8, forKey: "price")
                volume.setValue(Date(timeIntervalSinceReferenceDate: 1), forKey: "printed")
                volume.setValue(UUID(), forKey: "id")
                volume.setValue(Data([1, 2, 3]), forKey: "cover")
                volume.setValue(person, forKey: "author")
                volume.setValue(Set([person]), forKey: "likedBy")
            }
            try context.save()
        }
        try coordinator.remove(store)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
    }

    private static let xml = """
        <?xml version="1.0"?><model userDefinedModelVersionIdentifier="1"><entity name="A" isAbstract="YES">
        <attribute name="n" optional="YES" attributeType="Integer 16" defaultValueString="3" minValueString="1"/>
        <attribute name="s" attributeType="String" regularExpressionString="a.*"/>
        <attribute name="c" attributeType="Composite" composite="P"/>
        <relationship name="bs" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="B" inverseName="a"
        inverseEntity="B"/><fetchIndex name="i"><fetchIndexElement property="n" order="descending"/></fetchIndex>
        <uniquenessConstraints><uniquenessConstraint><constraint value="s"/></uniquenessConstraint></uniquenessConstraints>
        </entity><entity name="B" parentEntity="A"><relationship name="a" maxCount="1" destinationEntity="A"
        inverseName="bs"/></entity><composite name="P"><attribute name="x" attributeType="Double"/></composite>
        <configuration name="K"><memberEntity name="B"/></configuration></model>
        """
}
