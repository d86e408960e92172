import Foundation
@testable import OpenCoreData
import Sworm
import TestSupport
import Testing

@testable import SwormCommand

@Suite("model --classes")
struct ClassSourceTests {
    private func classes(_ xml: String, _ name: String, in workshop: Workshop) throws -> String {
        try workshop.write(xml, model: name)
        let run = Run(["model", workshop.file("\(name).xcdatamodel"), "--classes"])
        #expect(run.code == .ok, "\(run.err)")
        return run.out
    }

    /// The classes that the tool writes are part of these tests, so that the compiler has seen them.
    @Test func `the classes are those that the model names, with their properties and requests`() throws {
        let out = try classes(ZooXML.text, "Zoo", in: Workshop())
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Generated/ZooClasses.swift")
        if ProcessInfo.processInfo.environment["SWORM_WRITE_GENERATED"] == "1" { try Data(out.utf8).write(to: file) }
        #expect(try String(contentsOf: file, encoding: .utf8) == out)
    }

    @Test func `classes that are written read and write a store of the model`() throws {
        let workshop = try Workshop()
        try workshop.write(ZooXML.text, model: "Zoo")
        let model = try NSManagedObjectModel.load(contentsOf: workshop.url("Zoo.xcdatamodel"))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: workshop.url("Zoo.sqlite"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            let (keeper, cat, mouse) = (Keeper(context: context), Cat(context: context), Mouse(context: context))
            keeper.id = UUID()
            (cat.name, mouse.name) = ("Tom", "Jerry")
            cat.prey = [mouse]
            cat.address = Animal.Address(house: "East", cage: 3)
            keeper.animals = [cat, mouse]
            keeper.rounds = [NSEntityDescription.insertNewObject(forEntityName: "Round", into: context)]
            try context.save()
        }
        context.reset()
        try context.performAndWait {
            let request: NSFetchRequest<Animal> = Animal.fetchRequest()
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
            let animals = try context.fetch(request)
            let cat = try #require(animals.first as? Cat)
            #expect(animals.map(\.name) == ["Tom", "Jerry"] && cat.lives == 9 && cat.legs == 4)
            #expect(cat.address?.cage == 3 && cat.address?.house == "East")
            // A new object has the default of an element. Without any value, there is no address.
            let mouse = try #require(animals.last as? Mouse)
            #expect(mouse.address?.house == "Main" && mouse.address?.cage == nil)
            mouse.address = nil
            try context.save()
            context.refresh(mouse, mergeChanges: false)
            #expect(mouse.isFault && mouse.address == nil)
            #expect(cat.prey.map(\.name) == ["Jerry"] && cat.prey.first?.hunter === cat)
            let keeper = try #require(try context.fetch(Keeper.fetchRequest()).first)
            #expect(keeper.animals.count == 2 && keeper.animalCount == 2 && keeper.rounds.count == 1)
            #expect(keeper === cat.keeper)
        }
        #expect(Run(["verify", workshop.file("Zoo.sqlite")]).code == .ok)
    }

    @Test func `names that Swift or NSManagedObject keeps for itself get an underscore or backticks`() throws {
        let lines = try classes(ZooXML.odd, "Odd", in: Workshop()).split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let expected = [
            "final class Data: NSManagedObject {", "@Sworm.Managed(\"bytes\") var bytes: Foundation.Data?",
            "@Sworm.Managed(\"default\") var `default`: Bool",
            "@Sworm.Managed(\"className\") var className_: Swift.String?",
            "@Sworm.Managed(\"classDescription\") var classDescription_: Swift.String?",
            "@Sworm.Managed(\"hashValue\") var hashValue_: Int64?",
            "@Sworm.Managed(\"title\") var title: Swift.String?",
            "@Sworm.Managed(\"_title\") var _title_: Swift.String?",
            "@Sworm.Managed(\"Self\") var Self_: Swift.String?", "@Sworm.Managed(\"Type\") var Type_: Int32?",
            "@Sworm.Managed(keyed: \"size\") var size: [Swift.String: Any]?",
            "@Sworm.Managed(\"subentity\") var subentity: Swift.Set<Data>",
            "@Sworm.Managed(\"validateForDelete\") var validateForDelete_: Data?",
            "class func fetchRequest() -> Sworm.NSFetchRequest<Data> { Sworm.NSFetchRequest(entityName: \"Data\") }",
            "class Set: NSManagedObject {", "class String: Set {", "final class `where`: NSManagedObject {",
            // The class of a sub-entity is that of its super-entity, without the properties of the sub-entity.
            "// The entity `Substring` has the class `String` in the model, too, which is written for `String`.",
            "final class Letter: String {", "@Sworm.Managed(\"start\") var start: Int64?",
            "// The entity `Kind` has the class .Type in the model, which is no name in Swift.",
            "// The entity `Other` has the class A-B in the model, which is no name in Swift.",
        ]
        for line in expected { #expect(lines.contains(line), "\(line)") }
    }

    @Test func `a model without classes is an error that names the way out`() throws {
        let workshop = try Workshop()
        try workshop.write(
            """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="A"><attribute name="x" optional="YES" attributeType="String"/></entity>
            </model>
            """, model: "Plain")
        let run = Run(["model", workshop.file("Plain.xcdatamodel"), "--classes"])
        #expect(run.code == .failure && run.out.isEmpty)
        #expect(run.err.contains("names no classes") && run.err.contains("managedObjectClassName"))
        let both = Run(["model", workshop.file("Plain.xcdatamodel"), "--classes", "--swift"])
        #expect(both.code == .usage && both.err.contains("--swift and --classes exclude each other"))
        let misspelt = Run(["model", workshop.file("Plain.xcdatamodel"), "--clases"])
        #expect(misspelt.code == .usage && misspelt.err.contains("--classes"))
    }

    @Test func `the classes of a store are those of the model that it carries`() throws {
        let workshop = try Workshop()
        let out = try classes(ZooXML.text, "Zoo", in: workshop)
        let model = try NSManagedObjectModel.load(contentsOf: workshop.url("Zoo.xcdatamodel"))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: workshop.url("Zoo.sqlite"))
        let run = Run(["model", workshop.file("Zoo.sqlite"), "--classes", "-o", workshop.file("Zoo.swift")])
        #expect(run.code == .ok, "\(run.err)")
        let written = try String(contentsOfFile: workshop.file("Zoo.swift"), encoding: .utf8)
        // The first line names the origin. A copy of the model has the properties in the order of their names.
        func lines(_ text: String) -> [String] { text.split(separator: "\n").dropFirst().map(String.init).sorted() }
        #expect(lines(written) == lines(out))
    }
}

@Suite(
    "model --classes, compiled",
    .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct CompiledClassTests {
    @Test func `classes with names that Swift keeps for itself compile`() throws {
        let compiler = try #require(SnippetCompiler.found)
        let workshop = try Workshop()
        try workshop.write(ZooXML.odd, model: "Odd")
        let run = Run(["model", workshop.file("Odd.xcdatamodel"), "--classes"])
        #expect(run.code == .ok, "\(run.err)")
        let source = run.out
        #expect(try compiler.diagnostics(of: ["Odd": source], stage: .types) == [:])
        let broken = source + "\nlet wrong: Missing? = nil\n"
        #expect(try compiler.diagnostics(of: ["Odd": broken], stage: .types) != [:])
    }

    @Test(.enabled(if: Fixtures.folder != nil, Comment(rawValue: Fixtures.missing)))
    func `the classes of every model compile`() throws {
        let compiler = try #require(SnippetCompiler.found)
        var files: [String: String] = [:]
        var seen: Set<[String: Data]> = []
        let models = Fixtures.databases.compactMap { try? StoredModel(ofStoreAt: $0).model }
        for model in models + Self.modelFiles() where seen.insert(model.entityVersionHashesByName).inserted {
            guard let source = try? SwiftClassWriter.text(model, source: "the fixture") else { continue }
            files["Model\(files.count)"] = Self.nested(source, in: "Model\(files.count)")
        }
        #expect(files.count > 5)
        #expect(try compiler.diagnostics(of: files, stage: .types) == [:])
        print("The classes of \(files.count) models compile")
    }

    private static func modelFiles() -> [NSManagedObjectModel] {
        Fixtures.paths.filter { $0.hasSuffix(".xcdatamodel") }.compactMap { path in
            Fixtures.folder.flatMap { NSManagedObjectModel(contentsOf: $0.appendingPathComponent(path)) }
        }
    }

    /// The source with its classes in an enum, so that those of several models can have the same names.
    private static func nested(_ source: String, in name: String) -> String {
        let imports = "import Foundation\nimport Sworm\n"
        return source.replacing(imports, with: "\(imports)\nenum \(name) {\n") + "}\n"
    }
}
