import Foundation
@testable import Sworm
import SwormTools
import TestSupport
import Testing

/// Enums of structs in the parts of the library that are about other things.
@Suite("Enums of structs, used", .overEachStore) struct SuperentityUseTests {
    typealias Media = Shop.Media
    typealias Book = Shop.Book
    typealias Film = Shop.Film
    typealias Print = Shop.Print

    private func store() throws -> TestStore {
        try TestStore.tested(for: Media.self) { try $0.insert(contentsOf: Shop.all) }
    }

    @Test func `live values, lists and counts follow all cases`() async throws {
        let test = try store()
        let store = test.container
        var values = store.values(of: Media.all.sort(\.title)).makeAsyncIterator()
        var thick = store.values(of: Media.all.where { $0.as(Book.self).pages > 300 }).makeAsyncIterator()
        #expect(try await values.next() == Shop.all)
        #expect(try await thick.next()?.map(\.title) == ["a"])
        try await store.schedule { context in
            let book = try #require(try context.fetchOne(Book.all.where { $0.title == "d" }))
            try book.encode(\.pages, 400)
        }
        #expect(try await values.next()?[3].subentity as? Book == Book(title: "d", pages: 400))
        #expect(try await thick.next()?.map(\.title) == ["a", "d"])
        try await store.schedule { try $0.insert(Film(title: "h")) }
        #expect(try await values.next()?.count == 8)
    }

    @Test func `a draft of an enum merges the attributes of its case`() async throws {
        let test = try store()
        let store = test.container
        let id = try store.perform { try #require(try $0.fetchOne(Media.all.where { $0.title == "a" })).id }
        try await MainActor.run {
            let draft = try Draft(of: id, in: store)
            guard case .book(var mine) = draft.mine else { throw Failure() }
            mine.pages = 7
            draft.mine = .book(mine)
            #expect(draft.hasChanges)
            try store.perform { try $0.object(with: id).encode(\.title, "theirs") }
            try draft.save()
            let saved = try store.perform { try $0.object(with: id).decode() }
            #expect(saved == .book(Book(title: "theirs", code: 1, origin: mine.origin, pages: 7, cover: mine.cover)))
            draft.mine = .film(Film())
            #expect(throws: StoreError.Code.invalidRequest) { try draft.save() }
        }
    }

    private struct Failure: Error {}

    @Test func `columns, groups and aggregates use the shared attributes`() throws {
        let store = try store().container
        try store.perform { context in
            let columns = try context.fetch(Media.all.sort(\.title).select(\.title, \.code))
            #expect(columns.map(\.0).joined() == "abcdefg" && columns.map(\.1) == [1, 2, 3, nil, 5, 6, nil])
            let titles = try context.fetch(Media.all.sort(\.title), \.title)
            #expect(titles.joined() == "abcdefg")
            let most = try context.max(of: Media.all, \.code)
            #expect(most == 6)
            let groups = try context.fetch(Media.all.grouped(by: \.origin.city).select { ($0.key, $0.count) })
            #expect(groups.map(\.1).reduce(0, +) == 7)
        }
    }

    @Test func `conditions are written as strings, coded, and limited by lists`() throws {
        let store = try store().container
        let condition: Condition<Media> = Condition {
            $0.as(Book.self).pages > 300 || $0.as(Print.self).publisher == "Sun"
        }
        #expect(condition.format == "(as_Book.pages > %@) OR (as_Print.publisher == %@)")
        let text = try store.perform { try $0.fetch(Media.all.where("as_Film.minutes > 100"), \.title) }
        #expect(text == ["b"])
        let coded = try JSONDecoder().decode(Condition<Media>.self, from: JSONEncoder().encode(condition))
        let found = try store.perform { try $0.fetch(Media.all.where(coded).sort(\.title), \.title) }
        #expect(found == ["a", "c", "f"])
        let list = ConditionAllowList().allowing(Book.self, \.pages).allowing(Print.self, \.publisher)
        try condition.check(against: list)
        #expect(throws: StoreError.Code.conditionNotAllowed) {
            try Condition<Media> { $0.as(Film.self).minutes > 3 }.check(against: list)
        }
        #expect(throws: StoreError.Code.invalidCondition) {
            try store.perform { _ = try $0.count(of: Media.all.where("as_Shelf.name == 'x'")) }
        }
        #expect(throws: StoreError.Code.invalidCondition) {
            _ = try Shop.all.filtered(by: Condition<Media>(format: "as_Shelf.name == 'x'"))
        }
    }

    @Test func `a struct of the entity itself represents no object of a sub-entity`() async throws {
        let test = try store()
        let store = test.container
        let own = Print.all.where { $0.as(Shop.OtherPrint.self) != nil }
        let publishers = Media.all.where { $0.as(Print.self).as(Shop.OtherPrint.self).publisher != "x" }
        let predicate = #Predicate<Row<Print>> { $0.other?.publisher == "Moon" }
        var live = store.values(of: Shop.OtherPrint.all).makeAsyncIterator()
        #expect(try await live.next()?.map(\.title) == ["e"])
        try await store.schedule { context in
            let found = try [context.decode(own), context.decode(Print.all.where(predicate))].map { $0.map(\.title) }
            let titles = try context.decode(publishers).map(\.title)
            let plain = try context.decode(Shop.OtherPrint.all).map(\.title)
            #expect(found == [["e"], ["e"]] && titles == ["e"] && plain == ["e"])
            let count = try context.update(Shop.OtherPrint.all, set: (\.publisher, "z"))
            #expect(count == 1)
            for print in try context.fetch(Print.all) { try print.encode(\.title, "changed") }
            let unsaved = try context.count(of: Shop.OtherPrint.all)
            #expect(unsaved == 1)
        }
        #expect(try await live.next()?.map(\.title) == ["changed"])
        let left = try await store.schedule { context in
            try context.delete(Shop.OtherPrint.all)
            return try context.count(of: Print.all)
        }
        #expect(left == 2)
    }

    @Test func `a column can be that of a case`() throws {
        let store = try store().container
        let rows = try store.perform { context in
            try context.fetch(Media.all.sort(\.title).select { ($0.title, $0.as(Book.self).pages) })
        }
        #expect(rows.map(\.0).joined() == "abcdefg" && rows.map(\.1) == [1225, nil, nil, 300, nil, nil, nil])
    }

    @Test func `steps up and down a hierarchy mean the same in the store and in memory`() throws {
        let store = try store().container
        for (format, expected) in [
            ("as_Book.as_Media.title == 'b'", ""), ("as_Book.as_Media.title == 'a'", "a"),
            ("nil == as_Book", "bcefg"), ("only_Print.title != nil", "e"), ("as_Print.only_Print != nil", "e"),
        ] {
            let condition = Condition<Media>(format: format)
            let found = try store.perform { try $0.fetch(Media.all.where(condition).sort(\.title), \.title) }
            #expect(found.joined() == expected, "\(format)")
            #expect(try Shop.all.filtered(by: condition).map(\.title).joined() == expected, "\(format)")
        }
    }

    @Test func `unsaved changes are considered`() throws {
        let store = try store().container
        try store.perform { context in
            let book = try #require(try context.fetchOne(Book.all.where { $0.title == "d" }))
            try book.encode(\.pages, 999)
            try context.insert(Media.book(Book(title: "z", pages: 998)))
            let found = try context.decode(Media.all.where { $0.as(Book.self).pages > 900 }.sort(\.title)).map(\.title)
            #expect(found == ["a", "d", "z"])
            let films = try context.count(of: Media.all.where { $0.as(Film.self) != nil })
            #expect(films == 2)
        }
    }
}
