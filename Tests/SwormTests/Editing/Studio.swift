import Sworm
import SwormTools

/// A model for edits: projects with ordered jobs, one cover each, and tags that they share.
enum Studio {
    struct Project: Equatable, Sendable {
        var number = 0
        var name = ""
        var budget = 0
        var note: String?
    }
    struct Job: Equatable, Sendable {
        var number = 0
        var title = ""
    }
    struct Cover: Equatable, Sendable {
        var number = 0
        var color = ""
    }
    struct Tag: Equatable, Sendable {
        var number = 0
        var word = ""
    }

    static func store(
        in place: TestStore.Place = .memory, seed: (ManagedObjectContext) throws -> Void = { _ in }
    ) throws -> TestStore {
        try TestStore.tested(for: Project.self, in: place, seed: seed)
    }
}

extension Studio.Project: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.number, "number", .unique), .init(\.name, "name"), .init(\.budget, "budget", .range(0...100)),
        .init(\.note, "note"),
    ]
    struct Relations: Sendable {
        let jobs = ToManyOrderedRelation<Studio.Job>("jobs", inverse: \.project, deleteRule: .cascade)
        let cover = ToOneRelation<Studio.Cover>("cover", inverse: \.project, deleteRule: .cascade)
        let tags = ToManyRelation<Studio.Tag>("tags", inverse: \.projects)
    }
    static let relations = Relations()
}

extension Studio.Job: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.number, "number", .unique), .init(\.title, "title")]
    struct Relations: Sendable { let project = ToOneRelation<Studio.Project>("project") }
    static let relations = Relations()
}

extension Studio.Cover: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.number, "number", .unique), .init(\.color, "color")]
    struct Relations: Sendable { let project = ToOneRelation<Studio.Project>("project") }
    static let relations = Relations()
}

extension Studio.Tag: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.number, "number", .unique), .init(\.word, "word")]
    struct Relations: Sendable { let projects = ToManyRelation<Studio.Project>("projects") }
    static let relations = Relations()
}

/// The code of the error that a closure throws.
func storeErrorCode<R>(_ body: () throws -> R) -> StoreError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}
