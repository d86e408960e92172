import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Compatibility: request templates", .overEachStore)
struct RequestTemplateTests {
    private func library() throws -> (model: NSManagedObjectModel, context: NSManagedObjectContext) {
        let model = GraphLibrary.model()
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: model))
        for (title, year) in [("War and Peace", 1869), ("Anna Karenina", 1878), ("Resurrection", 1899)] {
            try context.make("Book", ["title": title, "year": year])
        }
        try context.save()
        return (model, context)
    }

    private func titles<Result>(_ request: NSFetchRequest<Result>?, _ context: NSManagedObjectContext) throws
        -> [String]
    {
        try context.fetch(try #require(request)).compactMap { ($0 as? NSManagedObject)?.text("title") }
    }

    @Test func `a template keeps its settings, and its variables get values`() throws {
        let (model, context) = try library()
        let template = NSFetchRequest<NSManagedObject>(entityName: "Book")
        template.predicate = NSPredicate(format: "year > $YEAR AND title != $TITLE")
        template.sortDescriptors = [NSSortDescriptor(key: "year", ascending: false)]
        template.fetchLimit = 2
        model.setFetchRequestTemplate(template, forName: "recent")
        template.fetchLimit = 1
        #expect(model.fetchRequestTemplatesByName.keys.sorted() == ["recent"])
        #expect(model.fetchRequestTemplate(forName: "recent")?.fetchLimit == 2)
        #expect(model.fetchRequestTemplate(forName: "recent")?.entity === model.entitiesByName["Book"])
        #expect(model.fetchRequestTemplate(forName: "other") == nil)
        let variables: [String: Any] = ["YEAR": 1860, "TITLE": "Resurrection"]
        let request = model.fetchRequestFromTemplate(withName: "recent", substitutionVariables: variables)
        #expect(try titles(request, context) == ["Anna Karenina", "War and Peace"])
        #expect(model.fetchRequestFromTemplate(withName: "other", substitutionVariables: [:]) == nil)
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        let merged = try #require(NSManagedObjectModel(byMerging: [model]))
        for other in [copy, merged] { #expect(other.fetchRequestTemplate(forName: "recent")?.fetchLimit == 2) }
        model.setFetchRequestTemplate(nil as NSFetchRequest<NSManagedObject>?, forName: "recent")
        #expect(model.fetchRequestTemplatesByName.isEmpty)
    }

    @Test func `nil removes a template, and a request of any result replaces it`() {
        let model = GraphLibrary.model()
        let template = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        model.setFetchRequestTemplate(template, forName: "recent")
        template.fetchLimit = 3
        model.setFetchRequestTemplate(template, forName: "recent")
        #expect(model.fetchRequestTemplate(forName: "recent")?.fetchLimit == 3)
        model.setFetchRequestTemplate(nil, forName: "recent")
        #expect(model.fetchRequestTemplate(forName: "recent") == nil)
    }

    @Test func `a variable without a value is an error of the fetch that names it`() throws {
        let (model, context) = try library()
        let template = NSFetchRequest<NSManagedObject>(entityName: "Book")
        template.predicate = NSPredicate(format: "year > $YEAR")
        model.setFetchRequestTemplate(template, forName: "recent")
        let request = try #require(
            model.fetchRequestFromTemplate(withName: "recent", substitutionVariables: ["Y": 1]))
        do {
            _ = try context.fetch(request)
            Issue.record("no error")
        } catch {
            #expect(error.localizedDescription.contains("YEAR"))
        }
    }

    @Test func `a managed object can be the value of a variable`() throws {
        let (model, context) = try library()
        let author = try context.make("Author", ["name": "Leo"])
        try #require(try context.all("Book", sort: "year").first).setValue(author, forKey: "author")
        try context.save()
        let template = NSFetchRequest<NSManagedObject>(entityName: "Book")
        template.predicate = NSPredicate(format: "author == $AUTHOR")
        model.setFetchRequestTemplate(template, forName: "own")
        let request = model.fetchRequestFromTemplate(withName: "own", substitutionVariables: ["AUTHOR": author])
        #expect(try titles(request, context) == ["War and Peace"])
    }

    @Test func `a model file has templates`() throws {
        let folder = try ModelTestFolder()
        defer { folder.remove() }
        let model = try folder.read(
            """
            <entity name="Book"><attribute name="year" optional="YES" attributeType="Integer 16"/></entity>
            <fetchRequest name="Recent" entity="Book" predicateString="year &gt; $YEAR" fetchLimit="10" fetchBatchSize="5"
              resultType="1" includesSubentities="NO" returnsObjectsAsFaults="NO" includesPropertyValues="NO"
              returnDistinctResults="YES"/>
            <fetchRequest name="All" entity="Book"/>
            """)
        let recent = try #require(model.fetchRequestTemplate(forName: "Recent"))
        #expect(recent.entityName == "Book" && recent.predicate?.description == "year > $YEAR")
        #expect(recent.fetchLimit == 10 && recent.fetchBatchSize == 5)
        #expect(recent.resultType == .managedObjectIDResultType && recent.returnsDistinctResults)
        #expect(!recent.includesSubentities && !recent.returnsObjectsAsFaults && !recent.includesPropertyValues)
        let all = try #require(model.fetchRequestTemplate(forName: "All"))
        #expect(all.predicate == nil && all.fetchLimit == 0 && all.resultType == .managedObjectResultType)
        #expect(all.includesSubentities && all.returnsObjectsAsFaults && all.includesPropertyValues)
        #expect(!all.returnsDistinctResults)
    }

    @Test func `a template without a name, or with a limit that is no number, is an error of the file`() throws {
        let folder = try ModelTestFolder()
        defer { folder.remove() }
        for element in ["<fetchRequest entity=\"E\"/>", "<fetchRequest name=\"F\" entity=\"E\" fetchLimit=\"many\"/>"] {
            #expect(throws: CoreDataError.self) { try folder.read("<entity name=\"E\"/>" + element) }
        }
    }

    @Test func `a compiled model has templates`() throws {
        var writer = KeyedArchiveWriter()
        let root = writer.reserve()
        let entity = writer.object(
            ["NSEntityDescription", "NSObject"], fields: ["NSEntityName": writer.string("Book")])
        let archived = writer.predicate(.constant(true))
        let predicate = try #require(archived)
        let sort = writer.object(
            ["NSSortDescriptor", "NSObject"],
            fields: ["NSKey": writer.string("year"), "NSAscending": .bool(false)])
        let sorts = writer.array([sort])
        let request = writer.object(
            ["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"],
            fields: [
                "NSEntity": entity, "NSPredicate": predicate, "NSSortDescriptors": sorts, "NSFetchLimit": .int(3),
                "NSFetchOffset": .int(1), "NSBatchSize": .int(2), "NSResultType": .int(2),
            ])
        let entities = writer.dictionary([(key: "Book", value: entity)])
        let templates = writer.dictionary([(key: "latest", value: request)])
        writer.write(
            root, lineage: ["NSManagedObjectModel", "NSObject"],
            fields: ["NSEntities": entities, "NSFetchRequestTemplates": templates])
        let model = NSManagedObjectModel()
        try ModelArchiveReader.read(writer.data(root: .uid(root)), source: "test", into: model)
        let latest = try #require(model.fetchRequestTemplate(forName: "latest"))
        #expect(latest.entityName == "Book" && latest.predicate?.description == "TRUEPREDICATE")
        #expect(latest.sortDescriptors?.map { "\($0.key ?? "") \($0.ascending)" } == ["year false"])
        #expect(latest.fetchLimit == 3 && latest.fetchOffset == 1 && latest.fetchBatchSize == 2)
        #expect(latest.resultType == .dictionaryResultType)
    }

    @Test func `a fetched property has its request, also in the model of a store`() throws {
        let property = NSFetchedPropertyDescription()
        property.name = "similar"
        #expect(property.fetchRequest == nil)
        let model = Build.model(
            Build.entity(
                "Book", [Build.attribute("title"), Build.attribute("year", .integer16AttributeType), property]))
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(format: "year == $FETCH_SOURCE.year")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        property.fetchRequest = request
        let read = NSManagedObjectModel()
        try ModelArchiveReader.read(ModelArchiveWriter.archive(of: model), source: "test", into: read)
        for model in [model, read] {
            let found = model.entitiesByName["Book"]?.propertiesByName["similar"] as? NSFetchedPropertyDescription
            let request = try #require(found?.fetchRequest)
            #expect(request.entity === model.entitiesByName["Book"])
            #expect(request.predicate?.description == "year == $FETCH_SOURCE.year")
            #expect(request.sortDescriptors?.first?.key == "title")
        }
    }

    @Test func `an index has the predicate of its rows`() {
        let index = NSFetchIndexDescription(name: "byYear", elements: [])
        #expect(index.partialIndexPredicate == nil)
        index.partialIndexPredicate = NSPredicate(format: "year > %@", argumentArray: [1900])
        #expect(index.partialIndexPredicate?.description == "year > 1900")
        #expect(index.partialPredicateText == "year > 1900")
        index.partialIndexPredicate = nil
        #expect(index.partialPredicate == nil && index.partialPredicateText == nil)
    }

    @Test func `a model has words for the names of its entities`() throws {
        let model = GraphLibrary.model()
        #expect(model.localizationDictionary == nil)
        model.localizationDictionary = ["Entity/Book": "Buch"]
        #expect((model.copy() as? NSManagedObjectModel)?.localizationDictionary == ["Entity/Book": "Buch"])
    }
}
