import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Mappings inferred for changed entities")
struct EntityMappingTests {
    @Test func `a model that did not change is mapped to itself, derived and composite values included`() throws {
        let mapping = try ModelMapping.inferred(from: OldLibrary.model(), to: OldLibrary.model())
        #expect(text(of: mapping).isEmpty)
        #expect(mapping.entities.map(\.destination) == ["Author", "Book", "Media", "Film", "Song"])
        let author = try #require(mapping.entities.first)
        #expect(author.attributes.map(\.source) == ["bookCount", "born", "home.street", "home.city", "name"])
        #expect(author.relationships == [ModelMapping.Property(source: "books", destination: "books")])
        // What is only kept in memory has no part in it.
        #expect(mapping.entities[1].attributes.map(\.destination) == ["title"])
    }

    @Test func `entities are added, also with required properties, and removed`() {
        #expect(
            OldLibrary.inferred {
                $0.add(
                    Build.entity(
                        "Shop",
                        [
                            Build.attribute("name", optional: false),
                            Build.toOne("best", $0["Book"]) {
                                $0.isOptional = false
                            },
                        ]))
                $0.remove(entity: "Film")
            } == ["+ Shop", "- Film"])
    }

    @Test func `an entity is renamed by its identifier`() {
        #expect(
            OldLibrary.inferred {
                $0["Author"].renamingIdentifier = "Author"
                $0["Author"].name = "Writer"
            } == ["Author > Writer"])
    }

    @Test func `an entity renamed without an identifier is another one, and the links to it are deleted`() {
        #expect(
            OldLibrary.inferred { $0["Author"].name = "Writer" } == [
                "+ Book.author", "- Book.author", "+ Writer", "- Author",
            ])
    }

    @Test func `two entities that claim one old one are rejected`() {
        #expect(
            OldLibrary.inferred {
                let writer = Build.entity("Writer")
                writer.renamingIdentifier = "Author"
                $0.add(writer)
            } == [
                "134190: The entities 'Author' and 'Writer' both map to 'Author' of the old model by the renaming "
                    + "identifier 'Author'. Give the new one an identifier of its own."
            ])
    }

    @Test func `an entity that may be two old ones is rejected`() throws {
        let old = OldLibrary.model()
        old.entitiesByName["Film"]?.renamingIdentifier = "Work"
        old.entitiesByName["Song"]?.renamingIdentifier = "Work"
        let new = try #require(old.copy() as? NSManagedObjectModel)
        let changes = OldLibrary.Changes(model: new)
        changes.remove(entity: "Film")
        changes["Song"].name = "Work"
        #expect(
            inferred(from: old, to: new) == [
                "134190: 'Work' maps to each of the entities 'Film' and 'Song' of the old model, which have the same renaming "
                    + "identifier 'Work'. Give it the name of one of them as its identifier."
            ])
    }

    @Test func `an entity gets a new parent, to which its properties move up`() {
        #expect(
            OldLibrary.inferred {
                let person = Build.entity("Person")
                person.subentities = [$0["Author"]]
                $0.add(person)
                $0.move("Author.name", to: "Person")
            } == ["+ Person"])
    }

    @Test func `a hierarchy is flattened, and its properties move down`() {
        #expect(
            OldLibrary.inferred {
                $0["Media"].subentities = []
                $0.add(Build.attribute("label"), to: "Film")
                $0.add(Build.attribute("label"), to: "Song")
                $0.remove("Book.cover")
                $0.remove(entity: "Media")
            } == ["- Book.cover", "- Media"])
    }

    @Test func `an attribute of all children moves up`() {
        #expect(
            OldLibrary.inferred {
                $0.move("Film.minutes", to: "Media")
                $0.remove("Song.minutes")
            } == ["+ Media.minutes"])
    }

    @Test func `an entity that moves under another one of its hierarchy needs the values that it newly inherits`() {
        let expected =
            "134190: Attribute 'Film.studio' is new and required, and has no default value for the existing objects. "
            + "Give it a default value, make it optional, or fill it in a custom stage; if it was renamed, give it its old "
            + "name as renaming identifier."
        #expect(
            OldLibrary.inferred {
                $0["Media"].subentities = [$0["Film"]]
                $0["Film"].subentities = [$0["Song"]]
                $0.remove("Song.minutes")
                $0.add(Build.attribute("studio", optional: false), to: "Film")
            } == [expected])
    }

    @Test func `an abstract entity has no objects that could lack anything`() {
        #expect(
            OldLibrary.inferred {
                $0.add(Build.attribute("studio", optional: false), to: "Media")
                $0.remove(entity: "Film")
                $0.remove(entity: "Song")
            } == ["+ Media.studio", "- Film", "- Song"])
    }

    @Test func `entities of two hierarchies cannot come together`() {
        let common = { (first: String, second: String, root: String) in
            "134190: The entities '\(first)' and '\(second)' now belong to one hierarchy, that of '\(root)', but had no common "
                + "ancestor before, so their objects may have the same keys. Keep them separate, or combine the objects "
                + "in a custom stage."
        }
        #expect(
            OldLibrary.inferred { $0["Media"].subentities += [$0["Book"]] } == [common("Book", "Film", "Media")])
        #expect(
            OldLibrary.inferred {
                let thing = Build.entity("Thing")
                thing.subentities = [$0["Author"], $0["Book"]]
                $0.add(thing)
            } == [common("Author", "Book", "Thing")])
    }

    @Test func `an entity may join a hierarchy that has no objects`() {
        #expect(
            OldLibrary.inferred {
                $0["Media"].subentities = [$0["Author"]]
                $0.remove(entity: "Film")
                $0.remove(entity: "Song")
            } == ["+ Author.label", "- Film", "- Song"])
    }

    @Test func `all reasons are reported at once, in one error`() throws {
        let new = OldLibrary.model()
        let changes = OldLibrary.Changes(model: new)
        changes.attribute("Author.born").attributeType = .stringAttributeType
        changes.attribute("Book.title").isOptional = false
        changes.relationship("Book.cover").destinationEntity = changes["Film"]
        let error = try #require(throws: CoreDataError.self) {
            try ModelMapping.inferred(from: OldLibrary.model(), to: new)
        }
        #expect(error.errorCode == NSInferredMappingModelError)
        #expect(error.details.map(\.entity) == ["Author", "Book", "Book"])
        #expect(error.details.map(\.key) == ["born", "cover", "title"])
        #expect(
            error.message.hasPrefix(
                "No mapping from the old model to the new one can be inferred; there are 3 reasons:\n- Attribute "))
        for detail in error.details { #expect(error.message.contains("\n- " + detail.message)) }
    }

    @Test func `a model with issues is rejected with those issues`() throws {
        let new = OldLibrary.model()
        new.entitiesByName["Author"]?.attributesByName["born"]?.attributeType = .undefinedAttributeType
        let error = try #require(throws: CoreDataError.self) {
            try ModelMapping.inferred(from: OldLibrary.model(), to: new)
        }
        #expect(error.errorCode == NSCoreDataError)
        #expect(error.message.contains("Attribute 'Author.born' has no type"))
    }
}
