import Foundation
import Sworm

struct Writer: Hashable, Sendable {
    var name = ""
    var born = 0
    var country = ""
    var rating = 0.0
    var created = Date(timeIntervalSinceReferenceDate: 0)
    var note: String?
}

struct Novel: Hashable, Sendable {
    var code = ""
    var title = ""
    var year = 0
    var price = 0.0
    var added = Date(timeIntervalSinceReferenceDate: 0)
    var note: String?
}

extension Writer: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Writer>> = [
        .init(\.name, "name", .unique), .init(\.born, "born"), .init(\.country, "country"), .init(\.rating, "rating"),
        .init(\.created, "created"), .init(\.note, "note"),
    ]
    struct Relations: Sendable {
        let novels = ToManyRelation<Novel>("novels", inverse: \.writer, deleteRule: .cascade)
    }
    static let relations = Relations()
}

extension Novel: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Novel>> = [
        .init(\.code, "code"), .init(\.title, "title"), .init(\.year, "year"), .init(\.price, "price"),
        .init(\.added, "added"), .init(\.note, "note"),
    ]
    struct Relations: Sendable { let writer = ToOneRelation<Writer>("writer") }
    static let relations = Relations()
}

/// A writer with all novels.
struct WriterPage: Hashable, Sendable, ManagedTreeConvertible {
    typealias Entity = Writer
    var writer = Writer()
    var novels: [Novel] = []

    static let attributes = Writer.attributes(in: \WriterPage.writer)
    static let branches: [Branch<WriterPage>] = [.init(\.novels, \.novels, .owned, .matched(by: \.code))]

    /// Made-up writers with so many novels each.
    static func samples(writers: Int, novels: Int) -> [WriterPage] {
        (0..<writers).map { page($0, novels: novels) }
    }

    /// A made-up writer with so many novels.
    static func page(_ writer: Int, novels: Int) -> WriterPage {
        var page = WriterPage()
        page.writer = sample(writer)
        page.novels = (0..<novels).map { sample($0, of: writer) }
        return page
    }

    private static func sample(_ writer: Int) -> Writer {
        let countries = ["UA", "PL", "GE"]
        let note: String? = writer % 4 == 0 ? "A note about writer \(writer)" : nil
        return Writer(
            name: "Writer number \(writer)", born: 1800 + writer % 200, country: countries[writer % 3],
            rating: Double(writer % 50) / 10, created: Date(timeIntervalSinceReferenceDate: Double(writer)), note: note)
    }

    private static func sample(_ novel: Int, of writer: Int) -> Novel {
        let number = (writer * 31 + novel) &* 7919
        let year = 1850 + (writer + novel * 37) % 150
        let note: String? = novel % 3 == 0 ? "A note about novel \(novel)" : nil
        return Novel(
            code: "\(writer)-\(novel)", title: "The title of novel \(number)", year: year, price: Double(novel) + 0.99,
            added: Date(timeIntervalSinceReferenceDate: Double(novel) * 1000), note: note)
    }
}

/// A novel with its writer.
struct NovelPage: Hashable, Sendable, ManagedTreeConvertible {
    typealias Entity = Novel
    var novel = Novel()
    var writer: Writer?

    static let attributes = Novel.attributes(in: \NovelPage.novel)
    static let branches: [Branch<NovelPage>] = [.init(\.writer, \.writer, .shared)]
}

/// What trees add up to, in whatever order.
struct TreeSum {
    private var roots = 0
    private var children = 0
    private var pairs = 0

    mutating func add(_ writer: String, years: some Sequence<Int>) {
        roots += 1
        let name = writer.utf8.reduce(0) { $0 &* 31 &+ Int($1) }
        for year in years {
            children += 1
            pairs &+= name &* year
        }
    }

    var fingerprint: Int { [roots, children, pairs].hashValue }
}

extension [WriterPage] {
    var fingerprint: Int {
        var sum = TreeSum()
        for page in self { sum.add(page.writer.name, years: page.novels.lazy.map(\.year)) }
        return sum.fingerprint
    }
}
