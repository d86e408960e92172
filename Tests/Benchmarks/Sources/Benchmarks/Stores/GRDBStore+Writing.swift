import Foundation
import GRDB

extension GRDBStore {
    /// Inserts with one statement that is prepared once.
    func insert(_ tracks: some Sequence<Track>) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(
                sql: "INSERT INTO track VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            for track in tracks { try statement.execute(arguments: Self.arguments(track)) }
        }
    }

    /// Inserts or updates with one statement that is prepared once.
    func upsert(_ tracks: some Sequence<Track>) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(
                sql: """
                    INSERT INTO track VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET
                    genre = excluded.genre, plays = excluded.plays, isLoved = excluded.isLoved,
                    rating = excluded.rating, created = excluded.created, title = excluded.title,
                    artist = excluded.artist, album = excluded.album, identifier = excluded.identifier,
                    note = excluded.note
                    """)
            for track in tracks { try statement.execute(arguments: Self.arguments(track)) }
        }
    }

    /// Inserts or updates records.
    func upsertRecords(_ tracks: some Sequence<Track>) throws {
        try pool.write { database in
            for track in tracks { try CodableTrack(track, id: track.number / 3).upsert(database) }
        }
    }

    /// Sets the plays of all tracks of genres from one on.
    func setPlays(_ plays: Int, ofGenresFrom first: Int) throws -> Int {
        try pool.write {
            try CodableTrack.filter(Column("genre") >= first).updateAll($0, Column("plays").set(to: plays))
        }
    }

    func setPlaysByStatement(_ plays: Int, ofGenresFrom first: Int) throws -> Int {
        try pool.write { database in
            try database.cachedStatement(sql: "UPDATE track SET plays = ? WHERE genre >= ?")
                .execute(arguments: [plays, first])
            return database.changesCount
        }
    }

    private static func arguments(_ track: Track) -> StatementArguments {
        [
            track.number, track.genre, track.plays, track.isLoved, track.rating,
            track.created.timeIntervalSinceReferenceDate, track.title, track.artist, track.album, track.identifier,
            track.note,
        ]
    }

    /// Inserts records.
    func insertRecords(_ tracks: some Sequence<Track>) throws {
        try pool.write { database in
            for track in tracks { try CodableTrack(track, id: track.number / 3).insert(database) }
        }
    }

    /// Sets the plays of single tracks, by primary key.
    func update(_ changes: [Change]) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(sql: "UPDATE track SET plays = ? WHERE id = ?")
            for change in changes { try statement.execute(arguments: [change.plays, change.id]) }
        }
    }

    /// Adds one to the plays of the first genres by fetching records and updating them.
    func updateRecords(ofGenresBelow limit: Int) throws {
        try pool.write { database in
            for var track in try CodableTrack.filter(Column("genre") < limit).fetchAll(database) {
                track.plays += 1
                try track.update(database)
            }
        }
    }

    /// Deletes the tracks of all genres from one on.
    func deleteTracks(ofGenresFrom first: Int) throws -> Int {
        try pool.write { try CodableTrack.filter(Column("genre") >= first).deleteAll($0) }
    }

    func deleteTracksByStatement(ofGenresFrom first: Int) throws -> Int {
        try pool.write { database in
            try database.cachedStatement(sql: "DELETE FROM track WHERE genre >= ?").execute(arguments: [first])
            return database.changesCount
        }
    }
}
