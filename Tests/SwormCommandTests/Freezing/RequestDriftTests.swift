import Foundation
@testable import OpenCoreData
import Testing

@testable import SwormCommand

@Suite("freeze --check, fetch requests")
struct RequestDriftTests {
    /// A request template, and a fetched property of tags.
    private static let text = LibraryXML.text
        .replacing(
            "</model>",
            with: #"<fetchRequest name="recent" entity="Book" predicateString="year&gt;2000"/></model>"#
        )
        .replacing(
            #"<entity name="Tag" representedClassName="Tag">"#,
            with: #"<entity name="Tag" representedClassName="Tag"><fetchedProperty name="old" optional="YES">"#
                + #"<fetchRequest name="fetchedPropertyFetchRequest" entity="Book" predicateString="year&lt;1900""#
                + #" fetchLimit="5"/></fetchedProperty>"#)

    private func check(_ workshop: Workshop, _ changes: [(old: String, new: String)]) throws -> Run {
        let text = changes.reduce(Self.text) { $0.replacing($1.old, with: $1.new) }
        try workshop.write(text, model: "Current")
        return Run(["freeze", "--check", workshop.file("Current.xcdatamodel"), workshop.file("Frozen")])
    }

    @Test func `request templates and the requests of fetched properties are compared`() throws {
        let workshop = try Workshop()
        try workshop.write(Self.text, model: "Library")
        #expect(Run(["freeze", workshop.modelPath, workshop.file("Frozen"), "--name", "1.0"]).code == .ok)
        let same = try check(workshop, [("year&gt;2000", "year &gt; 2000")])
        #expect(same.code == .ok, "\(same.out)")
        let changed = try check(
            workshop,
            [
                ("year&gt;2000", "year &gt; 2010"), (#"fetchLimit="5""#, #"fetchLimit="9""#),
                ("</model>", #"<fetchRequest name="all" entity="Book" fetchLimit="3"/></model>"#),
            ])
        for line in [
            "1.0: entity Tag: fetched property old changed its fetch limit from 5 to 9",
            "1.0: the model: fetch request all (Book, limit 3) was added",
            "1.0: the model: fetch request recent changed from (Book where year > 2000) to (Book where year > 2010)",
        ] { #expect(changed.lines.contains(line), "\(line) in \(changed.out)") }
        // The copy of the model in a store has no templates.
        try workshop.makeStore(keepsModel: true)
        let store = Run(["freeze", "--check", workshop.storePath, workshop.file("Frozen")])
        #expect(store.code == .ok, "\(store.out)\(store.err)")
    }

    @Test func `the comparison of a sort order is compared, and the standard one has no words`() throws {
        func model(_ selector: Selector?) -> NSManagedObjectModel {
            let found = NSFetchedPropertyDescription()
            found.name = "found"
            found.requestedEntityName = "Book"
            found.request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false, selector: selector)]
            let book = NSEntityDescription()
            book.name = "Book"
            book.properties = [found]
            let model = NSManagedObjectModel()
            model.entities = [book]
            return model
        }
        #expect(ModelDrift.lines(from: model(nil), to: model("compare:")) == [])
        #expect(
            ModelDrift.lines(from: model(nil), to: model("localizedCompare:")) == [
                "entity Book: fetched property found changed its sort order from title descending to title descending by localizedCompare:"
            ])
    }

    @Test(arguments: [
        "year BETWEEN {1900, 2000}", "year IN {1900, 2000}", "year + 1 &gt; 5",
        "SUBQUERY(tags, $t, $t.name == 'x').@count &gt; 0", "year &gt; FUNCTION(1",
    ])
    func `a predicate that the copy of the model in a store lacks is no difference`(predicate: String) throws {
        let workshop = try Workshop()
        let (frozen, model) = (workshop.file("Frozen"), workshop.modelPath)
        // An index has the predicate of a choice, which has no form in an archive.
        let text = Self.text.replacing("year&lt;1900", with: predicate)
            .replacing(
                #"<fetchIndex name="byYear">"#,
                with: #"<fetchIndex name="byYear" partialIndexPredicate="TERNARY(year &gt; 0, 1, 0) == 1">"#)
        try workshop.write(text, model: "Library")
        #expect(Run(["freeze", model, frozen, "--name", "1.0"]).code == .ok)
        let same = Run(["freeze", "--check", model, frozen])
        #expect(same.code == .ok, "\(same.out)\(same.err)")
        try workshop.makeStore(keepsModel: true)
        let store = Run(["freeze", "--check", workshop.storePath, frozen])
        #expect(store.code == .ok, "\(store.out)\(store.err)")
        // A model file has all of its predicates.
        let bare = text.replacing(" predicateString=\"\(predicate)\"", with: "")
            .replacing(#" partialIndexPredicate="TERNARY(year &gt; 0, 1, 0) == 1""#, with: "")
        try workshop.write(bare, model: "Current")
        let changed = Run(["freeze", "--check", workshop.file("Current.xcdatamodel"), frozen])
        let property = "1.0: entity Tag: fetched property old changed its predicate from "
        #expect(changed.lines.contains { $0.hasPrefix(property) && $0.hasSuffix(" to none") }, "\(changed.out)")
        #expect(changed.out.contains("1.0: entity Book: index byYear changed from "), "\(changed.out)")
        // Without the document, only the copy in the sample store is left.
        try FileManager.default.removeItem(atPath: workshop.file("Frozen/1.0.xcdatamodel"))
        let copy = Run(["freeze", "--check", model, frozen])
        #expect(copy.code == .found && !copy.out.contains("predicate") && !copy.out.contains("byYear"), "\(copy.out)")
    }

    @Test func `predicates that a store lacks are no difference from a version that was frozen from it`() throws {
        let workshop = try Workshop()
        let text = Self.text.replacing("year&lt;1900", with: "TERNARY(year &gt; 0, 1, 0) == 1")
        try workshop.write(text, model: "Library")
        try workshop.makeStore(keepsModel: true)
        #expect(Run(["freeze", workshop.storePath, workshop.file("Frozen"), "--name", "1.0"]).code == .ok)
        let run = Run(["freeze", "--check", workshop.modelPath, workshop.file("Frozen")])
        #expect(run.code == .ok, "\(run.out)\(run.err)")
    }

    @Test func `request templates are not compared with a version that was frozen from a store`() throws {
        let workshop = try Workshop()
        try workshop.write(Self.text, model: "Library")
        try workshop.makeStore(keepsModel: true)
        #expect(Run(["freeze", workshop.storePath, workshop.file("Frozen"), "--name", "1.0"]).code == .ok)
        let run = try check(workshop, [])
        #expect(run.code == .ok, "\(run.out)\(run.err)")
    }
}
