import Sworm

/// Writes of one row, each in a transaction of its own, in a table with many rows.
func smallWriteBenches(_ place: Workplace, _ options: Options) -> [Bench] {
    let count = options.isQuick ? 500 : 2_000
    var random = SteadyRandom(state: 17)
    let numbers = (0..<count).map { _ in Int64(random.next() % UInt64(place.rows) + 1) * 3 }
    return [
        Bench(Bar("insert of one row", .ratio, must: 3, aim: 1.6), sides: insertingSides(place, count)),
        Bench(Bar("encode of one row", .ratio, must: 6, aim: 2.5), sides: encodingSides(place, numbers)),
        Bench(Bar("update(set:) of one row", .ratio, must: 4, aim: 2), sides: settingSides(place, numbers)),
    ]
}

private func insertingSides(_ place: Workplace, _ count: Int) -> [Side] {
    /// Tracks that are not in the full store.
    func fresh() -> some Sequence<Track> {
        place.tracks.prefix(count).lazy.map { track in
            var track = track
            track.number = -track.number
            return track
        }
    }
    return [
        place.writing(.byHand, into: Workplace.full) { try place.raw($0).insertOneByOne(fresh()) },
        place.writing(.own, into: Workplace.full) { name in
            let store = try place.store(name)
            for track in fresh() { try store.perform { _ = try $0.insert(track) } }
        },
        place.writing(.grdbBest, into: Workplace.grdbFull) { name in
            let store = try place.grdb(name)
            for track in fresh() { try store.insert(CollectionOfOne(track)) }
        },
        place.writing(.grdbCodable, into: Workplace.grdbFull) { name in
            let store = try place.grdb(name)
            for track in fresh() { try store.insertRecords(CollectionOfOne(track)) }
        },
    ]
}

/// One more play of tracks that are found by their numbers.
private func encodingSides(_ place: Workplace, _ numbers: [Int64]) -> [Side] {
    [
        place.writing(.byHand, into: Workplace.full) { try place.raw($0).playOneByOne(numbers) },
        place.writing(.own, into: Workplace.full) { name in
            let store = try place.store(name)
            for number in numbers {
                try store.perform { context in
                    guard let track = try context.fetchOne(Track.all.where { $0.number == number }) else {
                        throw Failure("There is no track \(number).")
                    }
                    try track.encode(\.plays, try track.decode(\.plays) + 1)
                }
            }
        },
        place.writing(.grdbBest, into: Workplace.grdbFull) { try place.grdb($0).playOneByOne(numbers) },
        place.writing(.grdbCodable, into: Workplace.grdbFull) { try place.grdb($0).playRecordsOneByOne(numbers) },
    ]
}

/// The same number of plays for tracks that a condition finds, without reading them.
private func settingSides(_ place: Workplace, _ numbers: [Int64]) -> [Side] {
    [
        place.writing(.byHand, into: Workplace.full) { name in
            let raw = try place.raw(name)
            for number in numbers { try expect(1, try raw.setPlays(3, ofNumber: number)) }
        },
        place.writing(.own, into: Workplace.full) { name in
            let store = try place.store(name)
            for number in numbers {
                try store.perform { context in
                    let track = Track.all.where { $0.number == number }
                    try expect(1, try context.update(track, set: (\.plays, 3)))
                }
            }
        },
        place.writing(.grdbBest, into: Workplace.grdbFull) { name in
            let store = try place.grdb(name)
            for number in numbers { try expect(1, try store.setPlaysByStatement(3, ofNumber: number)) }
        },
        place.writing(.grdbCodable, into: Workplace.grdbFull) { name in
            let store = try place.grdb(name)
            for number in numbers { try expect(1, try store.setPlays(3, ofNumber: number)) }
        },
    ]
}
