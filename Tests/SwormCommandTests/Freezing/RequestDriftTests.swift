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

    @Test func `request templates are not compared with a version that was frozen from a store`() throws {
        let workshop = try Workshop()
        try workshop.write(Self.text, model: "Library")
        try workshop.makeStore(keepsModel: true)
        #expect(Run(["freeze", workshop.storePath, workshop.file("Frozen"), "--name", "1.0"]).code == .ok)
        let run = try check(workshop, [])
        #expect(run.code == .ok, "\(run.out)\(run.err)")
    }
}
