import CBenchSQLite

/// Transactions of one row. All statements are prepared once, those that begin and commit too.
extension RawStore {
    /// Inserts rows, each in a transaction of its own, with the key after the highest that the store has recorded.
    func insertOneByOne(_ tracks: some Sequence<Track>) throws {
        let key = try statement("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1 WHERE Z_ENT = 1 RETURNING Z_MAX")
        let row = try statement(Self.insertTrack)
        for track in tracks {
            try inTransaction {
                try forEachRow(key) { sqlite3_bind_int64(row.pointer, 1, Self.number($0, 0)) }
                Self.bind(track, row.pointer)
                try step(row)
            }
        }
    }

    /// Reads tracks by their numbers and adds one to their plays, each in a transaction of its own.
    func playOneByOne(_ numbers: [Int64]) throws {
        let reading = try statement("SELECT Z_PK, ZPLAYS FROM ZTRACK WHERE ZNUMBER = ?")
        let writing = try statement("UPDATE ZTRACK SET ZPLAYS = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?")
        for number in numbers {
            try inTransaction {
                sqlite3_bind_int64(reading.pointer, 1, number)
                try forEachRow(reading) {
                    sqlite3_bind_int64(writing.pointer, 2, Self.number($0, 0))
                    sqlite3_bind_int64(writing.pointer, 1, Self.number($0, 1) + 1)
                }
                try step(writing)
            }
        }
    }

    /// Sets the plays of the track with a number, in a transaction of its own, and returns the number of changed rows.
    func setPlays(_ plays: Int, ofNumber number: Int64) throws -> Int {
        let statement = try statement("UPDATE ZTRACK SET ZPLAYS = ?, Z_OPT = Z_OPT + 1 WHERE ZNUMBER = ?")
        return try inTransaction {
            sqlite3_bind_int64(statement.pointer, 1, Int64(plays))
            sqlite3_bind_int64(statement.pointer, 2, number)
            try step(statement)
            return changes
        }
    }

    @inline(__always)
    private func inTransaction<Result>(_ body: () throws -> Result) throws -> Result {
        try step(try statement("BEGIN IMMEDIATE"))
        let result = try body()
        try step(try statement("COMMIT"))
        return result
    }
}
