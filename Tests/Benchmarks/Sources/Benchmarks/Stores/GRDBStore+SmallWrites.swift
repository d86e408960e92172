import Foundation
import GRDB

/// Transactions of one row.
extension GRDBStore {
    /// Reads tracks by their numbers and adds one to their plays, each in a transaction of its own.
    func playOneByOne(_ numbers: [Int64]) throws {
        for number in numbers {
            try pool.write { database in
                let reading = try database.cachedStatement(sql: "SELECT id, plays FROM track WHERE number = ?")
                guard let row = try Row.fetchOne(reading, arguments: [number]) else { return }
                let (id, plays): (Int64, Int) = (row[0], row[1])
                try database.cachedStatement(sql: "UPDATE track SET plays = ? WHERE id = ?")
                    .execute(arguments: [plays + 1, id])
            }
        }
    }

    /// The same through records.
    func playRecordsOneByOne(_ numbers: [Int64]) throws {
        for number in numbers {
            try pool.write { database in
                guard var track = try CodableTrack.filter(Column("number") == number).fetchOne(database) else { return }
                track.plays += 1
                try track.update(database)
            }
        }
    }

    /// Sets the plays of the track with a number, in a transaction of its own, and returns the number of changed rows.
    func setPlays(_ plays: Int, ofNumber number: Int64) throws -> Int {
        try pool.write {
            try CodableTrack.filter(Column("number") == number).updateAll($0, Column("plays").set(to: plays))
        }
    }

    func setPlaysByStatement(_ plays: Int, ofNumber number: Int64) throws -> Int {
        try pool.write { database in
            try database.cachedStatement(sql: "UPDATE track SET plays = ? WHERE number = ?")
                .execute(arguments: [plays, number])
            return database.changesCount
        }
    }
}
