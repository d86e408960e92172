import Foundation
import Sworm

/// Rows as managed objects, against structs by hand.
func graphBenches(_ place: Workplace) -> [Bench] {
    let fetching = fetchingSides(place)
    let walking = walkingSides(place)
    let authors = Shelf(books: place.rows).authors
    let statements = Double(1 + (authors + 999) / 1000)
    return [
        Bench(Bar("objects, two attributes", .ratio, must: 1.6, aim: 1.2), sides: fetching),
        Bench(Bar("objects, memory", .memoryRatio, must: 1.0, aim: 0.75), sides: fetching),
        Bench(Bar("traverse", .ratio, must: 2.5, aim: 1.5), weight: 2, sides: walking),
        Bench(
            Bar("traverse, statements", .count, must: statements, aim: statements), weight: .max,
            sides: countingSides(place)),
    ]
}

private func fetchingSides(_ place: Workplace) -> [Side] {
    func all() throws -> RawStatement { try place.raw(Workplace.full).statement(RawStore.selectAll) }
    func openGRDB() throws { _ = try place.grdb(Workplace.grdbFull) }
    // On all sides everything that was fetched is released within the time: objects cannot leave their `perform`.
    return [
        Side(.byHand, prepare: { _ = try all() }, fingerprint: \Walk.fingerprint) {
            walk(through: try place.raw(Workplace.full).tracks(try all())) { $0 }
        },
        Side(.own, prepare: { _ = try place.store(Workplace.full) }, fingerprint: \Walk.fingerprint) {
            try place.store(Workplace.full).perform { context in
                let tracks = try context.fetch(Track.all)
                var walk = Walk()
                for track in tracks { walk.add(try track.decode(\.title), try track.decode(\.rating)) }
                return walk
            }
        },
        Side(.grdbBest, prepare: openGRDB, fingerprint: \Walk.fingerprint) {
            walk(through: try place.grdb(Workplace.grdbFull).indexedTracks(), \.track)
        },
        Side(.grdbCodable, prepare: openGRDB, fingerprint: \Walk.fingerprint) {
            var walk = Walk()
            for track in try place.grdb(Workplace.grdbFull).codableTracks() { walk.add(track.title, track.rating) }
            return walk
        },
    ]
}

private func walk<T>(through rows: [T], _ track: (T) -> Track) -> Walk {
    var walk = Walk()
    for row in rows { walk.add(track(row).title, track(row).rating) }
    return walk
}

// MARK: Authors and their books

/// The loops that one writes without thinking of the store.
func walk(through store: PersistentContainer) throws -> ShelfWalk {
    try store.perform { context in
        var walk = ShelfWalk()
        for author in try context.fetch(Author.all) {
            walk.add(author: try author.decode(\.name))
            for book in author.books { walk.add(book: try book.decode(\.title), try book.decode(\.pages)) }
        }
        return walk
    }
}

private func walkingSides(_ place: Workplace) -> [Side] {
    [
        Side(.byHand, prepare: { _ = try place.raw(Workplace.shelf) }, fingerprint: \ShelfWalk.fingerprint) {
            try place.raw(Workplace.shelf).walk()
        },
        Side(.own, prepare: { _ = try place.shelf() }, fingerprint: \ShelfWalk.fingerprint) {
            try walk(through: place.shelf())
        },
        Side(.grdbBest, prepare: { _ = try place.grdb(Workplace.grdbShelf) }, fingerprint: \ShelfWalk.fingerprint) {
            try place.grdb(Workplace.grdbShelf).walkByHand()
        },
        Side(.grdbCodable, prepare: { _ = try place.grdb(Workplace.grdbShelf) }, fingerprint: \ShelfWalk.fingerprint) {
            try place.grdb(Workplace.grdbShelf).walkByAssociation()
        },
    ]
}

private func countingSides(_ place: Workplace) -> [Side] {
    func count(_ work: @escaping () throws -> Void) -> () throws -> Double {
        {
            // Only connections that are opened from here on are counted.
            place.close()
            defer { place.close() }
            return Double(try StatementCounter.count(naming: ["zauthor", "zbook", "author", "book"], work))
        }
    }
    return [
        Side(.byHand, value: count { _ = try place.raw(Workplace.shelf).walk() }),
        Side(.own, value: count { _ = try walk(through: place.shelf()) }),
        Side(.grdbBest, value: count { _ = try place.grdb(Workplace.grdbShelf).walkByHand() }),
        Side(.grdbCodable, value: count { _ = try place.grdb(Workplace.grdbShelf).walkByAssociation() }),
    ]
}
