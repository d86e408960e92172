import Foundation
@testable import Sworm
import TestSupport
import Testing

/// Live requests over sub-entities and derived attributes, which need a model file.
///
/// A long run: SWORM_LIVE_TRANSACTIONS=100000 swift test --filter LiveInheritanceTests
@Suite("Live requests over a model file, at random")
struct LiveInheritanceTests {
    @Test(.enabled(if: ModelFixture.readsSources, "Core Data does not read the sources of models"))
    func `always equal a new fetch`() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["SWORM_LIVE_TRANSACTIONS"].flatMap { Int($0) } ?? 300
        let first = environment["SWORM_RANDOM_SEED"].flatMap { UInt64($0) } ?? 1
        print("Live transactions over a model file: \(count), SWORM_RANDOM_SEED=\(first)")
        var (done, seed) = (0, first)
        while done < count {
            let run = try InheritanceRun(seed: seed)
            for _ in 0..<min(250, count - done) {
                try run.step()
                done += 1
                guard run.isRight else { return }
            }
            run.end()
            seed += 1
        }
    }
}

/// A film is a medium. Owners derive figures from their media.
private enum Media {
    static let model = """
        <entity name="Medium">
            <attribute name="number" attributeType="Integer 64" defaultValueString="0"/>
            <attribute name="title" optional="YES" attributeType="String"/>
            <attribute name="plainTitle" optional="YES" attributeType="String" derived="YES"
                derivationExpression="canonical:(title)"/>
            <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Owner"
                inverseName="media" inverseEntity="Owner"/>
        </entity>
        <entity name="Film" parentEntity="Medium">
            <attribute name="minutes" attributeType="Integer 64" defaultValueString="0"/>
        </entity>
        <entity name="Owner">
            <attribute name="name" attributeType="String" defaultValueString=""/>
            <attribute name="mediaCount" optional="YES" attributeType="Integer 64" derived="YES"
                derivationExpression="media.@count"/>
            <attribute name="numbers" optional="YES" attributeType="Integer 64" derived="YES"
                derivationExpression="media.number.@sum"/>
            <relationship name="media" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Medium"
                inverseName="owner" inverseEntity="Medium"/>
        </entity>
        """

    struct Medium: Equatable, Sendable, ManagedObjectConvertible {
        var number = 0
        var title: String?
        static let attributes: Set<Attribute<Self>> = [.init(\.number, "number"), .init(\.title, "title")]
        struct Relations: Sendable { let owner = ToOneRelation<Owner>("owner") }
        static let relations = Relations()
    }
    struct Film: Equatable, Sendable, ManagedObjectConvertible {
        var number = 0
        var minutes = 0
        static let attributes: Set<Attribute<Self>> = [.init(\.number, "number"), .init(\.minutes, "minutes")]
        struct Relations: Sendable { let owner = ToOneRelation<Owner>("owner") }
        static let relations = Relations()
    }
    struct Owner: Equatable, Sendable, ManagedObjectConvertible {
        var name = ""
        static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
        struct Relations: Sendable { let media = ToManyRelation<Medium>("media") }
        static let relations = Relations()
    }
    /// An owner as it is read, with its derived attributes.
    struct Figures: Equatable, Sendable, ManagedObjectConvertible {
        var name = ""
        var mediaCount: Int?
        var numbers: Int?
        static let entityName = "Owner"
        static let attributes: Set<Attribute<Self>> = [
            .init(\.name, "name"), .init(\.mediaCount, "mediaCount"), .init(\.numbers, "numbers"),
        ]
        struct Relations: Sendable { let media = ToManyRelation<Medium>("media") }
        static let relations = Relations()
    }
    /// A medium as it is read.
    struct Title: Equatable, Sendable, ManagedObjectConvertible {
        var number = 0
        var plainTitle: String?
        static let entityName = "Medium"
        static let attributes: Set<Attribute<Self>> = [
            .init(\.number, "number"), .init(\.plainTitle, "plainTitle"),
        ]
        struct Relations: Sendable { let owner = ToOneRelation<Figures>("owner") }
        static let relations = Relations()
    }
}

private final class InheritanceRun {
    private typealias Medium = Media.Medium
    private typealias Film = Media.Film
    private typealias Owner = Media.Owner

    private struct Failure: Swift.Error {}

    private let seed: UInt64
    private let folder: StoreFolder
    private let store: PersistentContainer
    private var random: SeededRandom
    private var checks: [any LiveCheck] = []
    private(set) var isRight = true

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededRandom(seed: seed)
        folder = try StoreFolder()
        store = try PersistentContainer(
            model: try ModelFixture.model(Media.model), at: .file(folder.file("Media.sqlite")))
        try store.perform { context in
            for name in ["Anna", "Ben", "Cleo"] { _ = try context.insert(Owner(name: name)) }
        }
        let titles: [Request<Media.Title>] = [
            Media.Title.all.sort(\.plainTitle).sort(\.number), Media.Title.all.where { $0.plainTitle > "c" },
            Media.Title.all.sort(\.plainTitle).sort(\.number).limit(4),
            Media.Title.all.where { $0.owner.mediaCount > 3 },
        ]
        for request in titles { checks.append(LiveListCheck(request, in: store)) }
        let figures: [Request<Media.Figures>] = [
            Media.Figures.all.sort(\.name), Media.Figures.all.where { $0.mediaCount > 3 },
            Media.Figures.all.where { $0.numbers > 40 }.sort(\.numbers).limit(2),
        ]
        for request in figures { checks.append(LiveListCheck(request, in: store)) }
        checks.append(LiveListCheck(Medium.all.where { $0.number > 5 }.sort(\.number).offset(2), in: store))
        checks.append(LiveListCheck(Film.all.where { $0.minutes > 4 }.sort(\.minutes).limit(5), in: store))
        checks.append(LiveListCheck(Film.all.where { $0.owner.name == "Anna" }, in: store))
        checks.append(LiveListCheck(Owner.all.where { $0.media.any.number == 7 }, in: store))
        try check([])
    }

    func end() {
        for check in checks { check.end() }
        store.live.queue.sync {}
        #expect(store.live.isIdle)
    }

    func step() throws {
        var log: [String] = []
        do {
            try store.perform { context in
                for _ in 0..<(1 + random.pick(3)) { try perform(in: context, &log) }
                if random.chance(15) { throw Failure() }
            }
        } catch is Failure {
            log.append("failed")
        }
        try check(log)
    }

    private func check(_ log: [String]) throws {
        store.live.settle()
        for check in checks {
            guard let problem = try check.problem() else { continue }
            isRight = false
            Issue.record("SWORM_RANDOM_SEED=\(seed): \(problem), after \(log)")
            return
        }
    }

    private func perform(in context: ManagedObjectContext, _ log: inout [String]) throws {
        let (operation, number) = (random.pick(11), random.pick(20))
        log.append("operation \(operation), number \(number)")
        func owner() throws -> ManagedObject<Owner>? {
            try context.fetch(Owner.all.sort(\.name)).randomElement(using: &random)
        }
        func medium() throws -> ManagedObject<Medium>? {
            try context.fetchOne(Medium.all.where { $0.number >= number }.sort(\.number))
        }
        func title() -> String? {
            random.chance(20) ? nil : ["Émile", "anna", "Émilie", "Zorro", "cat"][random.pick(5)]
        }
        switch operation {
        case 0, 1: try context.insert(Medium(number: number, title: title())).owner = try owner()
        case 2, 3: try context.insert(Film(number: number, minutes: random.pick(9))).owner = try owner()
        case 4: try medium()?.encode(\.title, title())
        case 5: try medium()?.encode(\.number, random.pick(20))
        case 6: try medium()?.owner = random.chance(20) ? nil : try owner()
        case 7: if let medium = try medium() { try context.delete(medium) }
        case 8: _ = try context.update(Film.all.where { $0.minutes > 3 }, set: (\.minutes, random.pick(9)))
        case 9: _ = try context.update(Medium.all.where { $0.number == number }, set: (\.number, random.pick(20)))
        default: if random.chance(30) { _ = try context.batchDelete(Film.all.where { $0.number == number }) }
        }
    }
}
