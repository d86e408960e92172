import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Mappings inferred for changed attributes")
struct AttributeMappingTests {
    private func missing(_ path: String) -> String {
        "134190: Attribute '\(path)' is new and required, and has no default value for the existing objects. Give it a "
            + "default value, make it optional, or fill it in a custom stage; if it was renamed, give it its old name as "
            + "renaming identifier."
    }

    private func empty(_ path: String) -> String {
        "134190: Attribute '\(path)' is now required, and has no default value for objects without a value. Give it a default "
            + "value, leave it optional, or fill it in a custom stage."
    }

    @Test func `attributes are added, with a default value where they are required, and removed`() {
        #expect(
            OldLibrary.inferred {
                $0.add(
                    Build.attribute("subtitle"),
                    Build.attribute("pages", .integer32AttributeType, optional: false) {
                        $0.defaultValue = 0
                    }, to: "Book")
                $0.remove("Book.title")
            } == ["+ Book.pages", "+ Book.subtitle", "- Book.title"])
    }

    @Test func `a new required attribute without a default value is rejected, once for all that inherit it`() {
        #expect(
            OldLibrary.inferred {
                $0.add(Build.attribute("pages", .integer32AttributeType, optional: false), to: "Book")
            }
                == [missing("Book.pages")])
        #expect(
            OldLibrary.inferred { $0.add(Build.attribute("code", optional: false), to: "Media") }
                == [missing("Media.code")])
    }

    @Test func `a property that becomes required needs a default value, one that becomes optional does not`() {
        #expect(OldLibrary.inferred { $0.attribute("Book.title").isOptional = false } == [empty("Book.title")])
        #expect(
            OldLibrary.inferred {
                $0.attribute("Book.title").isOptional = false
                $0.attribute("Book.title").defaultValue = "?"
            } == [])
        #expect(OldLibrary.inferred { $0.attribute("Author.name").isOptional = true } == [])
    }

    @Test func `an attribute is renamed by its identifier, and is lost and new without one`() {
        #expect(
            OldLibrary.inferred {
                $0.attribute("Author.name").renamingIdentifier = "name"
                $0.attribute("Author.name").name = "fullName"
            } == ["Author.name > fullName"])
        #expect(
            OldLibrary.inferred { $0.attribute("Author.born").name = "year" } == ["+ Author.year", "- Author.born"])
        #expect(OldLibrary.inferred { $0.attribute("Author.name").name = "fullName" } == [missing("Author.fullName")])
    }

    @Test func `an attribute is renamed while it moves up`() {
        #expect(
            OldLibrary.inferred {
                $0.move("Film.minutes", to: "Media")
                $0.remove("Song.minutes")
                $0.attribute("Media.minutes").renamingIdentifier = "minutes"
                $0.attribute("Media.minutes").name = "length"
            } == ["+ Media.length", "Film.minutes > length", "Song.minutes > length"])
    }

    @Test func `a name is given to another attribute according to the identifiers`() {
        #expect(
            OldLibrary.inferred {
                $0.attribute("Author.name").renamingIdentifier = "name"
                $0.attribute("Author.name").name = "fullName"
                $0.add(Build.attribute("name") { $0.renamingIdentifier = "nickname" }, to: "Author")
            } == ["Author.name > fullName", "+ Author.name"])
    }

    @Test func `two attributes that claim one old one are rejected`() {
        #expect(
            OldLibrary.inferred {
                $0.add(Build.attribute("fullName") { $0.renamingIdentifier = "name" }, to: "Author")
            } == [
                "134190: The properties 'Author.name' and 'Author.fullName' both map to 'Author.name' of the old model "
                    + "by the renaming identifier 'name'. Give the new one an identifier of its own."
            ])
    }

    /// Every type against every other one.
    @Test func `numbers become wider numbers of the same kind, and every other change of type is rejected`() {
        let types: [NSAttributeType] = [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType, .stringAttributeType, .booleanAttributeType, .dateAttributeType,
            .binaryDataAttributeType, .UUIDAttributeType, .URIAttributeType, .transformableAttributeType,
        ]
        let wider: [NSAttributeType: [NSAttributeType]] = [
            .integer16AttributeType: [.integer32AttributeType, .integer64AttributeType],
            .integer32AttributeType: [.integer64AttributeType], .floatAttributeType: [.doubleAttributeType],
        ]
        for old in types {
            for new in types {
                let lines = inferred(
                    from: Build.model(Build.entity("E", [Build.attribute("x", old)])),
                    to: Build.model(Build.entity("E", [Build.attribute("x", new)])))
                guard new != old, wider[old]?.contains(new) != true else {
                    #expect(lines == [], "\(old.displayName) to \(new.displayName)")
                    continue
                }
                #expect(
                    lines == [
                        "134190: Attribute 'E.x' had the type \(old.displayName) and now has the type \(new.displayName)"
                            + ". Keep the type, give the attribute another name, which deletes its values, or convert "
                            + "them in a custom stage."
                    ])
            }
        }
    }

    @Test func `an identifier of its own makes a new attribute of one that changed its type`() {
        #expect(
            OldLibrary.inferred {
                $0.attribute("Author.born").attributeType = .dateAttributeType
                $0.attribute("Author.born").renamingIdentifier = "bornOn"
            } == ["+ Author.born", "- Author.born"])
    }

    @Test func `external storage, transformers and hash modifiers do not matter`() {
        let old = Build.model(
            Build.entity(
                "E",
                [Build.attribute("x", .binaryDataAttributeType), Build.attribute("y", .transformableAttributeType)]))
        let new = Build.model(
            Build.entity(
                "E",
                [
                    Build.attribute("x", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
                    Build.attribute("y", .transformableAttributeType) {
                        $0.valueTransformerName = "T"
                        $0.versionHashModifier = "2"
                    },
                ]))
        #expect(inferred(from: old, to: new) == [])
    }

    @Test func `an attribute that becomes transient is deleted, and one that becomes stored is new`() {
        #expect(OldLibrary.inferred { $0.attribute("Book.title").isTransient = true } == ["- Book.title"])
        #expect(OldLibrary.inferred { $0.attribute("Book.note").isTransient = false } == ["+ Book.note"])
        #expect(
            OldLibrary.inferred {
                $0.attribute("Book.note").isTransient = false
                $0.attribute("Book.note").isOptional = false
            } == [missing("Book.note")])
    }

    @Test func `derived values are computed, and may become values of their own`() {
        #expect(
            OldLibrary.inferred {
                $0.add(Build.derived("changed", .dateAttributeType, "now()"), to: "Book")
                ($0.attribute("Author.bookCount") as? NSDerivedAttributeDescription)?.derivation = "books.@count"
            } == ["+ Book.changed"])
        #expect(
            OldLibrary.inferred {
                $0.remove("Author.bookCount")
                $0.add(Build.attribute("bookCount", .integer64AttributeType), to: "Author")
            } == [])
        #expect(
            OldLibrary.inferred {
                $0.remove("Author.born")
                $0.add(Build.derived("born", .integer16AttributeType, "now()"), to: "Author")
                $0.attribute("Author.bookCount").attributeType = .integer32AttributeType
            } == ["+ Author.bookCount", "+ Author.born", "- Author.bookCount", "- Author.born"])
    }

    @Test func `the elements of a composite attribute are mapped each by itself`() {
        #expect(
            OldLibrary.inferred {
                let home = $0.attribute("Author.home") as? NSCompositeAttributeDescription
                home?.renamingIdentifier = "home"
                home?.name = "address"
                home?.elements.append(Build.attribute("country"))
                $0.attribute("Author.address.city").renamingIdentifier = "city"
                $0.attribute("Author.address.city").name = "town"
                home?.elements.removeAll { $0.name == "street" }
            } == ["Author.home.city > address.town", "+ Author.address.country", "- Author.home.street"])
        let lines = OldLibrary.inferred {
            // A leaf is required only where the composite is, too.
            let home = $0.attribute("Author.home") as? NSCompositeAttributeDescription
            home?.isOptional = false
            home?.elements.append(Build.attribute("country", optional: false))
            $0.attribute("Author.home.city").attributeType = .dateAttributeType
        }
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("134190: Attribute 'Author.home.city' had the type String") == true)
        #expect(lines.last == missing("Author.home.country"))
    }

    @Test func `an attribute that becomes a composite one, or the other way round, is rejected`() {
        #expect(
            OldLibrary.inferred {
                $0.remove("Book.title")
                $0.add(Build.composite("title", [Build.attribute("main")]), to: "Book")
            }.first?.hasPrefix(
                "134190: Attribute 'Book.title' had the type String and now has the type Composite.") == true)
        #expect(
            OldLibrary.inferred {
                $0.remove("Author.home")
                $0.add(Build.attribute("home"), to: "Author")
            }.first?.hasPrefix(
                "134190: Attribute 'Author.home' had the type Composite and now has the type String.") == true)
    }
}
