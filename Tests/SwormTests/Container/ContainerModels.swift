import Foundation
import Sworm

/// A small library with every kind of relation and every option of attributes.
enum Library {
    enum Status: String, SupportedAttributeType { case draft, printed }
    struct Address: CodableAttribute, Equatable { var city = "" }

    struct Book: Equatable {
        var id = UUID()
        var title = ""
        var year = 0
        var rating: Int?
        var status = Status.draft
        var price = Decimal(0)
        var cover = Data()
        var bought = Date(timeIntervalSinceReferenceDate: 0)
        var address: Address?
    }

    struct Author: Equatable {
        var name = ""
        init() {}
        init(name: String) { self.name = name }
    }

    struct Review: Equatable {
        var mark = 0
        init() {}
        init(mark: Int) { self.mark = mark }
    }

    struct Tag: Equatable {
        var word = ""
        init() {}
        init(word: String) { self.word = word }
    }
}

extension Library.Book: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.id, "id", .unique), .init(\.title, "title", .indexed), .init(\.year, "year"),
        .init(\.rating, "rating"), .init(\.status, "status"), .init(\.price, "price"),
        .init(\.cover, "cover", .external), .init(\.bought, "bought"), .init(\.address, "address"),
    ]
    struct Relations: Sendable {
        let author = ToOneRelation<Library.Author>("author", inverse: \.books)
        let reviews = ToManyOrderedRelation<Library.Review>("reviews", inverse: \.book, deleteRule: .cascade)
        let tags = ToManyRelation<Library.Tag>("tags", inverse: \.books)
    }
    static let relations = Relations()
}

extension Library.Author: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.name, "name")]
    struct Relations: Sendable { let books = ToManyRelation<Library.Book>("books") }
    static let relations = Relations()
}

extension Library.Review: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.mark, "mark", .range(0...10))]
    struct Relations: Sendable { let book = ToOneRelation<Library.Book>("book") }
    static let relations = Relations()
}

extension Library.Tag: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [.init(\.word, "word", .unique)]
    struct Relations: Sendable { let books = ToManyRelation<Library.Book>("books") }
    static let relations = Relations()
}

/// A folder of one test, removed at its end.
final class StoreFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("sworm-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var path: String { url.path }

    func file(_ name: String = "store.sqlite") -> URL { url.appendingPathComponent(name) }
}

/// The error that the body throws, as a `StoreError`.
func storeError<R>(_ body: () throws -> R) -> StoreError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? StoreError
    }
}
