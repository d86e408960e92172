import Foundation
import Sworm

/// Writing many rows through the object graph.
func writingBenches(_ place: Workplace) -> [Bench] {
    [
        Bench(
            Bar("insert through the graph", .ratio, must: 2.5, aim: 1.8), weight: 2, sides: insertingSides(place)),
        Bench(
            Bar("update through the graph", .ratio, must: 2.5, aim: 1.6), sides: updatingSides(place)),
    ]
}

extension Workplace {
    /// A side that writes into a copy of a file of its own, opened outside the time by whom it is for.
    func writing(
        _ role: Side.Role, into file: String, run: @escaping (_ name: String) throws -> Void
    ) -> Side {
        let name = "\(role).\(file)"
        func prepare() throws {
            try copy(file, to: name)
            _ = tracks
            switch role {
            case .byHand: _ = try raw(name)
            case .own: _ = try store(name)
            default: _ = try grdb(name)
            }
        }
        func written() throws -> Int {
            switch role {
            case .byHand, .own:
                let raw = try raw(name)
                return Track.fingerprint(try raw.tracks(try raw.statement(RawStore.selectAll + " ORDER BY ZNUMBER")))
            default:
                let tracks = try grdb(name).indexedTracks().map(\.track)
                return Track.fingerprint(tracks.sorted { $0.number < $1.number })
            }
        }
        return Side(role, prepare: prepare, fingerprint: { try written() }, run: { try run(name) })
    }
}

private func insertingSides(_ place: Workplace) -> [Side] {
    [
        place.writing(.byHand, into: Workplace.empty) { try place.raw($0).insert(place.tracks) },
        place.writing(.own, into: Workplace.empty) { name in
            try place.store(name).perform { context in
                for track in place.tracks { try context.insert(track) }
            }
        },
        place.writing(.grdbBest, into: Workplace.grdbEmpty) { try place.grdb($0).insert(place.tracks) },
        place.writing(.grdbCodable, into: Workplace.grdbEmpty) { try place.grdb($0).insertRecords(place.tracks) },
    ]
}

/// One attribute of every tenth object. By hand the new values are known beforehand; through the graph they are read first.
private func updatingSides(_ place: Workplace) -> [Side] {
    let limit = max(1, place.genres / 10)
    func changes() -> [Change] {
        place.tracks.enumerated().compactMap { index, track in
            track.genre < limit ? Change(id: Int64(index + 1), plays: track.plays + 1) : nil
        }
    }
    return [
        place.writing(.byHand, into: Workplace.full) { try place.raw($0).update(changes()) },
        place.writing(.own, into: Workplace.full) { name in
            try place.store(name).perform { context in
                for track in try context.fetch(Track.all.where { $0.genre < limit }) {
                    try track.encode(\.plays, try track.decode(\.plays) + 1)
                }
            }
        },
        place.writing(.grdbBest, into: Workplace.grdbFull) { try place.grdb($0).update(changes()) },
        place.writing(.grdbCodable, into: Workplace.grdbFull) {
            try place.grdb($0).updateRecords(ofGenresBelow: limit)
        },
    ]
}
