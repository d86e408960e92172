import Foundation
import Sworm

/// The struct of all benches: eleven attributes.
struct Track: Hashable, Sendable {
    var number: Int64 = 0
    var genre = 0
    var plays = 0
    var isLoved = false
    var rating = 0.0
    var created = Date(timeIntervalSinceReferenceDate: 0)
    var title = ""
    var artist = ""
    var album = ""
    var identifier = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var note: String?
}

extension Track: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Track>> = [
        .init(\.number, "number", .unique), .init(\.genre, "genre", .indexed), .init(\.plays, "plays"),
        .init(\.isLoved, "isLoved"), .init(\.rating, "rating"), .init(\.created, "created"), .init(\.title, "title"),
        .init(\.artist, "artist"), .init(\.album, "album"), .init(\.identifier, "identifier"), .init(\.note, "note"),
    ]
}

extension Track {
    /// Made-up tracks, always the same, made as they are asked for.
    static func samples(_ count: Int, from first: Int = 0) -> some Sequence<Track> {
        sequence(state: (maker: TrackMaker(genres: max(1, count / 1000)), index: first)) { state in
            guard state.index < first + count else { return nil }
            defer { state.index += 1 }
            return state.maker.track(state.index)
        }
    }

    static func fingerprint(_ tracks: [Track]) -> Int {
        var hasher = Hasher()
        hasher.combine(tracks)
        return hasher.finalize()
    }
}

/// Makes up tracks: texts of 8 to 40 bytes, one in eight with a letter beyond ASCII; every other note is nil; a thousand tracks
/// of each genre.
struct TrackMaker {
    let genres: Int
    private var random = SteadyRandom(state: 42)
    private let letters = Array("abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)

    init(genres: Int) { self.genres = genres }

    mutating func track(_ index: Int) -> Track {
        var track = Track()
        track.number = Int64(index + 1) * 3
        track.genre = index % genres
        track.plays = Int(random.next() % 1_000_000)
        track.isLoved = random.next() & 1 == 0
        track.rating = Double(random.next() % 10_000) / 7
        track.created = Date(timeIntervalSinceReferenceDate: Double(random.next() % 800_000_000) + 0.25)
        track.title = text()
        track.artist = text()
        track.album = text()
        let (high, low) = (random.next(), random.next())
        withUnsafeMutableBytes(of: &track.identifier) { bytes in
            bytes.storeBytes(of: high, as: UInt64.self)
            bytes.storeBytes(of: low, toByteOffset: 8, as: UInt64.self)
        }
        track.note = random.next() % 2 == 0 ? nil : text()
        return track
    }

    private mutating func text() -> String {
        let length = Int(random.next() % 33) + 8
        var bytes = (0..<length).map { _ in letters[Int(random.next() % UInt64(letters.count))] }
        if random.next() % 8 == 0 { bytes.replaceSubrange((length - 2)..., with: "é".utf8) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

struct SteadyRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
