import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

@Suite("Enums of structs", .overEachStore) struct SuperentityTests {
    typealias Media = Shop.Media
    typealias Book = Shop.Book
    typealias Film = Shop.Film
    typealias Print = Shop.Print
    typealias Magazine = Shop.Magazine
    typealias Shelf = Shop.Shelf

    private func store() throws -> TestStore {
        try TestStore.tested(for: Media.self) { try $0.insert(contentsOf: Shop.all) }
    }

    /// Returns the titles of the objects that match a condition, which must be those of the values that match it.
    private func titles(_ store: PersistentContainer, _ condition: Condition<Media>) throws -> String {
        let found = try store.perform { try $0.decode(Media.all.where(condition).sort(\.title)).map(\.title) }
        #expect(try Shop.all.filtered(by: condition).map(\.title) == found)
        let (count, handles) = try store.perform { context in
            (
                try context.count(of: Media.all.where(condition)),
                try context.fetch(Media.all).filter { try condition.matches($0) }.map { try $0.decode(\.title) }
                    .sorted()
            )
        }
        #expect(count == found.count && handles == found)
        return found.joined()
    }

    @Test func `are read as they were written, in their order`() throws {
        let test = try store()
        try test.container.perform { context in
            let values = try context.decode(Media.all)
            #expect(values == Shop.all)
            let handles = try context.fetch(Media.all)
            #expect(try handles.map { try $0.decode() } == Shop.all)
            let first = try context.decodeOne(Media.all.sort(\.title, ascending: false))
            #expect(first == Shop.all.last)
            let batches = try context.fetch(Media.all.batchSize(2))
            #expect(try batches.map { try $0.decode() } == Shop.all)
            var each: [Media] = []
            try context.forEach(Media.all) { each.append($0) }
            #expect(each == Shop.all)
            #expect(try context.count(of: Media.all) == 7)
        }
    }

    @Test func `are inserted one by one, and read beside unsaved changes`() throws {
        let test = try TestStore.tested(for: Media.self) { _ in }
        try test.container.perform { context in
            for value in Shop.all {
                let handle = try context.insert(value)
                #expect(try handle.decode() == value)
            }
            let values = try context.decode(Media.all)
            #expect(values == Shop.all)
        }
        let values = try test.container.perform { try $0.decode(Media.all) }
        #expect(values == Shop.all)
    }

    @Test func `are in one table, and each struct is an entity of its own`() throws {
        let test = try store()
        try test.container.perform { context in
            let books = try context.decode(Book.all.where { $0.pages > 300 })
            #expect(books.map(\.title) == ["a"] && books.first?.cover == Data([1, 2]))
            let prints = try context.decode(Print.all.sort(\.title))
            #expect(prints.map(\.title) == ["c", "e", "f"])
            #expect(try context.count(of: Film.all) == 2)
            let film = try context.insert(Film(title: "h"))
            film.source = try context.fetchOne(Book.all.where { $0.title == "a" })
            #expect(try context.count(of: Media.all) == 8)
        }
    }

    @Test func `make the model that a model file describes`() throws {
        let model = try NSManagedObjectModel(tables: Shelf.self)
        let names = model.entities.map { $0.name ?? "" }.sorted()
        #expect(names == ["Book", "Film", "Magazine", "Media", "Paper", "Print", "Shelf"])
        let media = try #require(model.entitiesByName["Media"])
        let print = try #require(model.entitiesByName["Print"])
        #expect(media.isAbstract && !print.isAbstract)
        #expect(print.superentity === media && model.entitiesByName["Paper"]?.superentity === print)
        let book = try #require(model.entitiesByName["Book"])
        func own(_ entity: NSEntityDescription) -> [String] {
            let inherited = Set(entity.superentity?.propertiesByName.keys.map { $0 } ?? [])
            return entity.properties.map(\.name).filter { !inherited.contains($0) }.sorted()
        }
        #expect(own(book) == ["cover", "pages", "sequels"] && own(print) == ["publisher"])
        // The same tables, from another start.
        #expect(
            try NSManagedObjectModel(tables: Magazine.self).entityVersionHashesByName == model.entityVersionHashesByName
        )
    }

    @Test func `are found by shared attributes`() throws {
        let store = try store().container
        #expect(try titles(store, \Media.title == "c") == "c")
        #expect(try titles(store, Condition { $0.code > 2 || $0.title == "a" }) == "acef")
        #expect(try titles(store, Condition { $0.origin.city == "Kyiv" }) == "a")
        #expect(try titles(store, Condition { $0.origin.year == nil }) == "bcdefg")
    }

    @Test func `are found by the attributes of one case`() throws {
        let store = try store().container
        #expect(try titles(store, Condition { $0.as(Book.self).pages > 299 }) == "ad")
        #expect(try titles(store, Condition { $0.as(Book.self).pages > 300 }) == "a")
        #expect(try titles(store, Condition { !($0.as(Book.self).pages > 300) }) == "d")
        #expect(try titles(store, Condition { $0.as(Film.self).pages == "none" }) == "b")
        #expect(try titles(store, Condition { $0.as(Film.self) != nil }) == "bg")
        #expect(try titles(store, Condition { $0.as(Film.self) == nil }) == "acdef")
        #expect(try titles(store, Condition { $0.as(Film.self).title != "b" }) == "g")
        #expect(try titles(store, Condition { $0.as(Film.self).code == nil }) == "acdefg")
        #expect(try titles(store, Condition { $0.as(Print.self).publisher == "Sun" }) == "cf")
        #expect(try titles(store, Condition { $0.as(Print.self).as(Magazine.self).issue == 7 }) == "c")
        #expect(try titles(store, Condition { $0.as(Print.self).as(Magazine.self).publisher != "Sun" }) == "")
        #expect(try titles(store, Condition { $0.as(Print.self).origin.city == "Oslo" }) == "e")
    }

    @Test func `are found through relations, and linked`() throws {
        let store = try store().container
        try store.perform { context in
            let shelf = try context.insert(Shelf(name: "s"))
            let all = try context.fetch(Media.all.sort(\.title))
            for media in all.prefix(3) { media.shelf = shelf }
            all[1].previous = all[0]
            all[2].previous = all[0]
            let book = try #require(all[0].as(Book.self))
            #expect(try book.shelf?.decode(\.name) == "s")
            try book.sequels.add(try #require(all[1].as(Film.self)))
            #expect(all[1].as(Book.self) == nil)
            let media = try book.asSuperentity
            #expect(media == all[0] && book.id.asSuperentity == all[0].id)
            all[6].previous = try book.asSuperentity
        }
        try store.perform { context in
            let shelf = try #require(try context.fetchOne(Shelf.all))
            #expect(try shelf.media.map { try $0.decode().title }.sorted() == ["a", "b", "c"])
            let thick = try context.count(of: Shelf.all.where { $0.media.any.as(Book.self).pages > 1000 })
            let thin = try context.count(of: Shelf.all.where { $0.media.any.as(Book.self).pages < 1000 })
            #expect(thick == 1 && thin == 0)
            let followers = try context.decode(Media.all.where { $0.previous.as(Book.self).pages > 1 }.sort(\.title))
            #expect(followers.map(\.title) == ["b", "c", "g"])
            let sources = try context.decode(Media.all.where { $0.as(Film.self).source.pages > 1 })
            #expect(sources.map(\.title) == ["b"])
            let sequels = try context.decode(Media.all.where { $0.as(Book.self).sequels.count == 1 })
            #expect(sequels.map(\.title) == ["a"])
            let none = try context.decode(Media.all.where { $0.as(Book.self).sequels.count == 0 })
            #expect(none.map(\.title).contains("d"))
        }
    }

    @Test func `are found by predicates of Foundation`() throws {
        let store = try store().container
        let thick = #Predicate<Row<Media>> { ($0.book?.pages ?? 0) > 300 || $0.title == "b" }
        #expect(try titles(store, Condition(thick)) == "ab")
        let films = #Predicate<Row<Media>> { $0.film != nil }
        #expect(try titles(store, Condition(films)) == "bg")
        let seventh = #Predicate<Row<Media>> { $0.print?.magazine?.issue == 7 }
        #expect(try titles(store, Condition(seventh)) == "c")
        let plain = #Predicate<Media> { $0.title == "b" }
        #expect(try titles(store, Condition(plain)) == "b")
    }

    @Test func `are changed in place, but keep their case`() throws {
        let store = try store().container
        try store.perform { context in
            let handle = try #require(try context.fetchOne(Media.all.where { $0.title == "a" }))
            try handle.encode(.book(Book(title: "z", pages: 4)))
            #expect(try handle.decode() == .book(Book(title: "z", pages: 4)))
            try handle.encode(\.title, "y")
            #expect(try handle.decode(\.title) == "y")
            #expect(throws: StoreError.Code.invalidRequest) { try handle.encode(.film(Film())) }
            #expect(try handle.decode(\.origin) == Shop.Origin())
            #expect(try context.update(Media.all.where { $0.code > 4 }, set: (\.title, "x")) == 2)
        }
        let titles = try store.perform { try $0.decode(Media.all.sort(\.title)).map(\.title) }
        #expect(titles == ["b", "c", "d", "g", "x", "x", "y"])
        let count = try store.perform { try $0.batchDelete(Media.all.where { $0.as(Film.self) != nil }) }
        #expect(count == 2)
        let left = try store.perform { try $0.count(of: Media.all) }
        #expect(left == 5)
    }

    @Test(arguments: [false, true])
    func `are upserted by shared attributes`(isPending: Bool) throws {
        let store = try store().container
        let values: [Media] = [
            .book(Book(title: "A", code: 1, pages: 5)), .print(.magazine(Magazine(title: "C", code: 3))),
            .film(Film(title: "N", code: 9)), .book(Book(title: "A2", code: 1, pages: 6)),
        ]
        try store.perform { context in
            if isPending { try context.insert(Media.film(Film(title: "p"))) }
            let result = try context.upsert(values, on: \.code)
            #expect(result == Upsert.Result(inserted: 1, updated: 3))
            let ignored = try context.upsert(values, on: \.code, onConflict: .ignore)
            #expect(ignored == Upsert.Result(ignored: 4))
            #expect(throws: StoreError.Code.uniquenessViolation) {
                try context.upsert([Media.film(Film(title: "!", code: 1))], on: \.code)
            }
            let partial = try context.upsert(
                [Media.book(Book(title: "B", code: 1, pages: 7))], on: \.code, onConflict: .update(\.title))
            #expect(partial == Upsert.Result(updated: 1))
        }
        let found = try store.perform {
            try $0.decode(Media.all.where { $0.code == 1 || $0.code == 3 || $0.code == 9 }.sort(\.code))
        }
        #expect(found.map(\.title) == ["B", "C", "N"])
        #expect((found[0].subentity as? Book)?.pages == 6)
    }

    @Test func `are rejected with the errors of their values`() throws {
        let store = try store().container
        #expect(throws: StoreError.Code.uniquenessViolation) {
            try store.perform { _ = try $0.insert(contentsOf: [Media.film(Film(title: "q")), .book(Book(code: 2))]) }
        }
        let left = try store.perform { try $0.count(of: Media.all) }
        #expect(left == 7)
    }
}
