import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Mappings inferred for changed relationships")
struct RelationshipMappingTests {
    @Test func `relationships are added and removed`() {
        #expect(
            OldLibrary.inferred {
                let readers = Build.toMany("readers", $0["Author"]) { $0.isOptional = false }
                let read = Build.toMany("read", $0["Book"])
                Build.connect(readers, read)
                $0.add(readers, to: "Book")
                $0.add(read, to: "Author")
                $0.remove("Book.cover")
            } == ["+ Author.read", "+ Book.readers", "- Book.cover"])
    }

    @Test func `a new required to-one relationship is rejected where there may be objects`() {
        let change = { (optional: Bool) in
            OldLibrary.inferred {
                $0.add(Build.toOne("editor", $0["Author"]) { $0.isOptional = optional }, to: "Book")
            }
        }
        #expect(change(true) == ["+ Book.editor"])
        #expect(
            change(false) == [
                "134190: Relationship 'Book.editor' is new and required, but the existing objects have no value for it. Make it "
                    + "optional, or set it in a custom stage; if it was renamed, give it its old name as renaming "
                    + "identifier."
            ])
    }

    /// The migration itself checks whether the existing links are sufficient.
    @Test func `the rule of deletion, the bounds and being required do not matter`() {
        #expect(
            OldLibrary.inferred {
                $0.relationship("Author.books").deleteRule = .cascadeDeleteRule
                $0.relationship("Author.books").minCount = 1
                $0.relationship("Author.books").maxCount = 100
                $0.relationship("Book.author").isOptional = false
            } == [])
    }

    @Test func `to-one becomes to-many and back, with an order and without`() {
        #expect(
            OldLibrary.inferred {
                $0.relationship("Book.author").maxCount = 0
                $0.relationship("Author.books").isOrdered = true
                $0.relationship("Book.cover").maxCount = 0
            } == [])
        #expect(OldLibrary.inferred { $0.relationship("Author.books").maxCount = 1 } == [])
    }

    @Test func `a relationship is renamed by its identifier`() {
        #expect(
            OldLibrary.inferred {
                $0.relationship("Book.author").renamingIdentifier = "author"
                $0.relationship("Book.author").name = "writer"
            } == ["Book.author > writer"])
    }

    @Test func `the inverse of a relationship that is found is found with it`() {
        #expect(OldLibrary.inferred { $0.relationship("Book.author").name = "writer" } == ["Book.author > writer"])
        #expect(
            OldLibrary.inferred {
                $0.relationship("Book.author").name = "writer"
                $0.relationship("Author.books").name = "works"
            } == ["+ Author.works", "- Author.books", "+ Book.writer", "- Book.author"])
    }

    @Test func `a required inverse that is found this way has no missing values`() {
        #expect(
            OldLibrary.inferred {
                $0.relationship("Book.author").isOptional = false
                $0.relationship("Book.author").name = "writer"
            } == ["Book.author > writer"])
    }

    @Test func `a destination may widen, be renamed, or lose some of its entities`() {
        let old = { (destination: String) in
            let model = OldLibrary.model()
            model.entitiesByName["Book"]?.relationshipsByName["cover"]?.destinationEntity =
                model.entitiesByName[destination]
            return model
        }
        #expect(inferred(from: old("Film"), to: old("Media")) == [])
        #expect(
            OldLibrary.inferred {
                $0["Media"].renamingIdentifier = "Media"
                $0["Media"].name = "Medium"
                $0.remove(entity: "Song")
            } == ["Media > Medium", "- Song"])
    }

    @Test func `a destination that cannot hold the former related objects is rejected`() {
        #expect(
            OldLibrary.inferred { $0.relationship("Book.cover").destinationEntity = $0["Film"] } == [
                "134190: Relationship 'Book.cover' now has the destination 'Film', but may relate to objects of 'Song' through "
                    + "'Book.cover'. Give it another name, which deletes the links, or set it in a custom stage."
            ])
        #expect(OldLibrary.inferred { $0.relationship("Book.cover").destinationEntity = $0["Author"] }.count == 1)
        #expect(
            OldLibrary.inferred {
                $0.relationship("Book.cover").destinationEntity = $0["Film"]
                $0.remove(entity: "Song")
            } == ["- Song"])
    }

    @Test func `a relationship whose whole destination was deleted is new`() {
        #expect(
            OldLibrary.inferred {
                let picture = Build.entity("Picture")
                $0.add(picture)
                $0.relationship("Book.cover").destinationEntity = picture
                $0.remove(entity: "Film")
                $0.remove(entity: "Song")
                $0.remove(entity: "Media")
            } == ["+ Book.cover", "- Book.cover", "+ Picture", "- Media", "- Film", "- Song"])
    }

    @Test func `an attribute that becomes a relationship, or the other way round, is rejected`() {
        #expect(
            OldLibrary.inferred {
                $0.remove("Book.title")
                $0.add(Build.toOne("title", $0["Media"]), to: "Book")
            } == [
                "134190: Relationship 'Book.title' was an attribute before. Give it another name, which deletes the values of the "
                    + "attribute, or convert them to objects in a custom stage."
            ])
        #expect(
            OldLibrary.inferred {
                $0.remove("Book.cover")
                $0.add(Build.attribute("cover"), to: "Book")
            } == [
                "134190: Attribute 'Book.cover' was a relationship before. Give it another name, which deletes the links, or "
                    + "convert them to values in a custom stage."
            ])
        #expect(
            OldLibrary.inferred {
                $0.remove("Book.title")
                $0.add(Build.toOne("title", $0["Media"]) { $0.renamingIdentifier = "titleObject" }, to: "Book")
            } == ["- Book.title", "+ Book.title"])
    }

    @Test func `an inverse is added and removed`() {
        #expect(
            OldLibrary.inferred {
                let books = Build.toMany("covers", $0["Book"])
                Build.connect(books, $0.relationship("Book.cover"))
                $0.add(books, to: "Media")
            } == ["+ Media.covers", "+ Film.covers", "+ Song.covers"])
        #expect(
            OldLibrary.inferred {
                $0.remove("Author.books")
                $0.remove("Author.bookCount")
                $0.relationship("Book.author").inverseRelationship = nil
            } == ["- Author.bookCount", "- Author.books"])
    }

    /// Two pairs between the same entities.
    private func pairs(_ first: String, _ second: String) -> NSManagedObjectModel {
        let person = Build.entity("Person")
        let car = Build.entity("Car")
        let owned = Build.toMany("owned", car)
        let driven = Build.toMany("driven", car)
        let links = Dictionary(
            uniqueKeysWithValues: ["owner", "driver"].map { ($0, Build.toOne($0, person)) })
        person.properties = [owned, driven]
        car.properties = links.values.sorted { $0.name < $1.name }
        if let one = links[first] { Build.connect(owned, one) }
        if let one = links[second] { Build.connect(driven, one) }
        return Build.model(person, car)
    }

    @Test func `inverses that are exchanged are rejected`() {
        let lines = inferred(from: pairs("owner", "driver"), to: pairs("driver", "owner"))
        #expect(lines.count == 4)
        #expect(
            lines.contains(
                "134190: The inverse of relationship 'Person.owned' is now 'Car.driver', and was 'Car.owner' for 'Person.owned' "
                    + "before, so the links of both sides would not agree. Keep the pair together with renaming "
                    + "identifiers, give one side another name, which deletes its links, or set both in a custom stage."
            ))
        #expect(inferred(from: pairs("owner", "driver"), to: pairs("owner", "driver")) == [])
    }

    @Test func `a pair that is made of two one-way relationships is rejected`() {
        let lines = inferred(from: pairs("owner", ""), to: pairs("owner", "driver"))
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains("and was none for") })
    }

    @Test func `a relationship that moves up is found in each entity that had it`() {
        let old = OldLibrary.model()
        let new = OldLibrary.model()
        for (model, home) in [(old, ["Film", "Song"]), (new, ["Media"])] {
            for name in home {
                guard let author = model.entitiesByName["Author"], let entity = model.entitiesByName[name] else {
                    continue
                }
                entity.properties = entity.ownProperties + [Build.toOne("maker", author)]
            }
        }
        #expect(inferred(from: old, to: new) == ["+ Media.maker"])
        #expect(inferred(from: new, to: old) == ["- Media.maker"])
    }
}
