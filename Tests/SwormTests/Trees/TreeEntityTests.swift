import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

private enum MediaBox {
    enum Medium: Equatable, SuperentityConvertible {
        case novel(Novel), film(Film)

        struct Subentities: Sendable {
            let novel = Subentity(Medium.novel)
            let film = Subentity(Medium.film)
        }
        static let subentities = Subentities()
        init() { self = .novel(Novel()) }
        var subentity: any ManagedObjectConvertible {
            switch self {
            case .novel(let value): value
            case .film(let value): value
            }
        }
        var code: String {
            get {
                switch self {
                case .novel(let value): value.code
                case .film(let value): value.code
                }
            }
            set {
                switch self {
                case .novel(var value):
                    value.code = newValue
                    self = .novel(value)
                case .film(var value):
                    value.code = newValue
                    self = .film(value)
                }
            }
        }
        static let attributes: Set<Attribute<Medium>> = [.init(\.code, "code", .unique)]
        struct Relations: Sendable { let box = ToOneRelation<Box>("box", inverse: \.media) }
        static let relations = Relations()
    }

    struct Novel: Equatable, ManagedObjectConvertible {
        var code = ""
        var pages = 0
        var title = ""
        typealias Superentity = Medium
        static let attributes: Set<Attribute<Novel>> = [
            .init(\.code, "code"), .init(\.pages, "pages"), .init(\.title, "title"),
        ]
    }

    struct Film: Equatable, ManagedObjectConvertible {
        var code = ""
        var length = 0
        var name = ""
        var studio = ""
        typealias Superentity = Medium
        static let attributes: Set<Attribute<Film>> = [
            .init(\.code, "code"), .init(\.length, "length"), .init(\.name, "name"), .init(\.studio, "studio"),
        ]
    }

    struct Box: ManagedObjectConvertible, Equatable {
        var name = ""
        static let attributes: Set<Attribute<Box>> = [.init(\.name, "name", .unique)]
        struct Relations: Sendable { let media = ToManyRelation<Medium>("media", deleteRule: .cascade) }
        static let relations = Relations()
    }

    struct FullBox: ManagedTreeConvertible, Equatable {
        typealias Entity = Box
        var name = ""
        var media: [Medium] = []
        static let attributes: Set<Attribute<FullBox>> = [.init(\.name, \.name)]
        static let branches: [Branch<FullBox>] = [.init(\.media, \.media, .owned)]
    }
}

@Suite("Entities of saved trees", .overEachStore) struct TreeEntityTests {
    private typealias Medium = MediaBox.Medium
    private typealias Novel = MediaBox.Novel
    private typealias Film = MediaBox.Film
    private typealias Box = MediaBox.Box
    private typealias FullBox = MediaBox.FullBox

    @Test func `a known object of another entity is not overwritten`() throws {
        let test = try TestStore.tested(for: Medium.self, Box.self)
        let full = FullBox(name: "b", media: [.novel(Novel(code: "1", pages: 3, title: "one"))])
        try test.container.perform { try $0.save(contentsOf: [full]) }
        let film = Film(code: "1", length: 9, name: "film", studio: "s")
        for attempt in 0..<2 {
            #expect {
                try test.container.perform { context in
                    if attempt == 0 {
                        try context.save(contentsOf: [film])
                    } else {
                        try context.save(contentsOf: [FullBox(name: "b", media: [.film(film)])])
                    }
                }
            } throws: { error in
                let error = error as? StoreError
                return error?.code == .validation
                    && error?.message.contains("is of the entity Novel, not Film") == true
            }
        }
        #expect(try test.container.perform { try $0.decode(FullBox.all) } == [full])
    }

    @Test func `new objects of two entities cannot have one key`() throws {
        let novel = Medium.novel(Novel(code: "1", pages: 3, title: "one"))
        let film = Medium.film(Film(code: "1", length: 9, name: "film", studio: "s"))
        for media in [[novel, film], [film, novel]] {
            let test = try TestStore.tested(for: Medium.self, Box.self)
            let names = media == [novel, film] ? ("Novel", "Film") : ("Film", "Novel")
            for policy in [RepeatPolicy.equal, .last] {
                for isRoot in [false, true] {
                    #expect {
                        try test.container.perform { context in
                            if isRoot {
                                try context.save(contentsOf: media, repeats: policy)
                            } else {
                                try context.save(contentsOf: [FullBox(name: "b", media: media)], repeats: policy)
                            }
                        }
                    } throws: { error in
                        let error = error as? StoreError
                        return error?.code == .validation && error?.path?.hasSuffix("[1]") == true
                            && error?.message.contains("is of the entity \(names.0), not \(names.1)") == true
                    }
                }
            }
            #expect(try test.container.perform { try $0.count(of: Medium.all) + $0.count(of: Box.all) } == 0)
        }
    }
}
