import Foundation
import Sworm

/// A piece of an archive as one struct, which has the properties of all kinds.
private struct Piece: Hashable, Sendable {
    var number = 0
    var kind = 0
    var title = ""
    var artist = ""
    var rating = 0.0
    var created = Date(timeIntervalSinceReferenceDate: 0)
    var note: String?
    var pages: Int?
    var minutes: Double?
}

extension Piece: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Piece>> = [
        .init(\.number, "number"), .init(\.kind, "kind"), .init(\.title, "title"), .init(\.artist, "artist"),
        .init(\.rating, "rating"), .init(\.created, "created"), .init(\.note, "note"), .init(\.pages, "pages"),
        .init(\.minutes, "minutes"),
    ]
}

private struct Volume: Hashable, Sendable {
    var number = 0
    var title = ""
    var artist = ""
    var rating = 0.0
    var created = Date(timeIntervalSinceReferenceDate: 0)
    var note: String?
    var pages = 0
}

private struct Movie: Hashable, Sendable {
    var number = 0
    var title = ""
    var artist = ""
    var rating = 0.0
    var created = Date(timeIntervalSinceReferenceDate: 0)
    var note: String?
    var minutes = 0.0
}

/// A piece of an archive as an enum of structs.
private enum Item: Hashable, Sendable { case volume(Volume), movie(Movie) }

extension Item: SuperentityConvertible {
    struct Subentities: Sendable {
        let volume = Subentity(Item.volume)
        let movie = Subentity(Item.movie)
    }
    static let subentities = Subentities()

    var subentity: any ManagedObjectConvertible {
        switch self {
        case .volume(let volume): volume
        case .movie(let movie): movie
        }
    }

    var number: Int { piece.number }
    var title: String { piece.title }
    var artist: String { piece.artist }
    var rating: Double { piece.rating }
    var created: Date { piece.created }
    var note: String? { piece.note }

    init() { self = .volume(Volume()) }

    static let attributes: Set<Attribute<Item>> = [
        .init(shared: \.number, named: "number"), .init(shared: \.title, named: "title"),
        .init(shared: \.artist, named: "artist"), .init(shared: \.rating, named: "rating"),
        .init(shared: \.created, named: "created"), .init(shared: \.note, named: "note"),
    ]
}

extension Volume: ManagedObjectConvertible {
    typealias Superentity = Item
    static let attributes: Set<Attribute<Volume>> = [
        .init(\.number, "number"), .init(\.title, "title"), .init(\.artist, "artist"), .init(\.rating, "rating"),
        .init(\.created, "created"), .init(\.note, "note"), .init(\.pages, "pages"),
    ]
}

extension Movie: ManagedObjectConvertible {
    typealias Superentity = Item
    static let attributes: Set<Attribute<Movie>> = [
        .init(\.number, "number"), .init(\.title, "title"), .init(\.artist, "artist"), .init(\.rating, "rating"),
        .init(\.created, "created"), .init(\.note, "note"), .init(\.minutes, "minutes"),
    ]
}

extension Piece {
    init(_ track: Track) {
        number = Int(track.number)
        kind = number % 2
        (title, artist, rating, created, note) = (track.title, track.artist, track.rating, track.created, track.note)
        if kind == 0 { pages = track.plays } else { minutes = track.rating }
    }

    fileprivate var item: Item {
        if let pages {
            return .volume(
                Volume(
                    number: number, title: title, artist: artist, rating: rating, created: created, note: note,
                    pages: pages))
        }
        return .movie(
            Movie(
                number: number, title: title, artist: artist, rating: rating, created: created, note: note,
                minutes: minutes ?? 0))
    }
}

extension Item {
    fileprivate var piece: Piece {
        var piece = Piece()
        switch self {
        case .volume(let volume):
            (piece.number, piece.title, piece.artist) = (volume.number, volume.title, volume.artist)
            (piece.rating, piece.created, piece.note) = (volume.rating, volume.created, volume.note)
            piece.pages = volume.pages
        case .movie(let movie):
            (piece.number, piece.title, piece.artist) = (movie.number, movie.title, movie.artist)
            (piece.rating, piece.created, piece.note) = (movie.rating, movie.created, movie.note)
            piece.minutes = movie.minutes
        }
        piece.kind = piece.number % 2
        return piece
    }
}

/// The stores of one struct and of an enum of structs, which have the same content.
private final class Archive {
    private let place: Workplace
    private var open: (pieces: PersistentContainer, items: PersistentContainer)?

    // Made when they are needed, because processes that measure the memory of other benches must not hold them.
    private(set) lazy var pieces = Array(Track.samples(place.rows).map(Piece.init))
    private(set) lazy var items = pieces.map(\.item)

    init(_ place: Workplace) { self.place = place }

    func stores() throws -> (pieces: PersistentContainer, items: PersistentContainer) {
        if let open { return open }
        func container<T: ManagedObjectConvertible>(_ type: T.Type, _ values: [T]) throws -> PersistentContainer {
            let name = "Archive-\(T.entityName)-\(UUID().uuidString).sqlite"
            let container = try PersistentContainer(for: T.self, at: .file(place.folder.appendingPathComponent(name)))
            try container.perform { try $0.insert(contentsOf: values) }
            return container
        }
        let made = (try container(Piece.self, pieces), try container(Item.self, items))
        open = made
        return made
    }
}

/// Rows of several entities as an enum of structs, and the same rows as one struct.
func superentityBenches(_ place: Workplace) -> [Bench] {
    let archive = Archive(place)
    func prepare() throws { _ = try archive.stores() }
    func fingerprint(_ pieces: [Piece]) -> Int { pieces.hashValue }
    func fingerprint(_ items: [Item]) -> Int { items.map(\.piece).hashValue }
    var number = 0
    func inserted<T: ManagedObjectConvertible>(_ values: [T]) throws -> Int {
        number += 1
        let name = "Inserted-\(T.entityName)-\(number).sqlite"
        let container = try PersistentContainer(for: T.self, at: .file(place.folder.appendingPathComponent(name)))
        return try container.perform { try $0.insert(contentsOf: values) }
    }
    return [
        Bench(
            "decode, enum of structs",
            bars: [Bar("decode, enum of structs", .ratio, than: .less, must: 1.1, aim: 1.05)],
            sides: [
                Side(.less, prepare: prepare, fingerprint: fingerprint) {
                    try archive.stores().pieces.perform { try $0.decode(Piece.all) }
                },
                Side(.own, prepare: prepare, fingerprint: fingerprint) {
                    try archive.stores().items.perform { try $0.decode(Item.all) }
                },
            ]),
        Bench(
            "insert contents, enum of structs",
            // The table of a hierarchy has an index over the entities of its rows.
            bars: [Bar("insert contents, enum of structs", .ratio, than: .less, must: 2.5, aim: 1.5, isReported: true)],
            sides: [
                Side(.less, prepare: prepare, fingerprint: { (count: Int) in count }) { try inserted(archive.pieces) },
                Side(.own, prepare: prepare, fingerprint: { (count: Int) in count }) { try inserted(archive.items) },
            ]),
    ]
}
