import Foundation
import GRDB

struct WriterRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "writer"
    static let novels = hasMany(NovelRecord.self)

    var id: Int64?
    var name: String
    var born: Int
    var country: String
    var rating: Double
    var created: Double
    var note: String?

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

struct NovelRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "novel"
    static let writer = belongsTo(WriterRecord.self)

    var id: Int64?
    var code: String
    var title: String
    var year: Int
    var price: Double
    var added: Double
    var note: String?
    var writerId: Int64

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// A writer with all novels, as GRDB's guide to associations reads them.
struct WriterInfo: Decodable, FetchableRecord {
    var writer: WriterRecord
    var novels: [NovelRecord]
}

struct NovelInfo: Decodable, FetchableRecord {
    var novel: NovelRecord
    var writer: WriterRecord
}

extension GRDBStore {
    /// Makes the tables of writers and novels.
    func makeNovels() throws {
        try pool.write { database in
            try database.create(table: "writer") { table in
                table.primaryKey("id", .integer)
                table.column("name", .text).notNull().unique()
                table.column("born", .integer).notNull()
                table.column("country", .text).notNull()
                table.column("rating", .double).notNull()
                table.column("created", .double).notNull()
                table.column("note", .text)
            }
            try database.create(table: "novel") { table in
                table.primaryKey("id", .integer)
                table.column("code", .text).notNull()
                table.column("title", .text).notNull()
                table.column("year", .integer).notNull()
                table.column("price", .double).notNull()
                table.column("added", .double).notNull()
                table.column("note", .text)
                table.column("writerId", .integer).notNull().indexed().references("writer", onDelete: .cascade)
            }
        }
    }

    func writerInfos() throws -> [WriterInfo] {
        try pool.read { database in
            try WriterRecord.including(all: WriterRecord.novels).asRequest(of: WriterInfo.self).fetchAll(database)
        }
    }

    func novelInfos() throws -> [NovelInfo] {
        try pool.read { database in
            try NovelRecord.including(required: NovelRecord.writer).asRequest(of: NovelInfo.self).fetchAll(database)
        }
    }

    /// Saves writers with their novels as one does it carefully by hand: what is known is read by one request, and only what differs is
    /// written.
    ///
    /// - Returns: How many rows were written.
    func save(_ pages: [WriterPage]) throws -> Int {
        try pool.write { database in
            var written = 0
            let known = try WriterRecord.including(all: WriterRecord.novels).asRequest(of: WriterInfo.self)
                .fetchAll(database)
            let infos = Dictionary(known.map { ($0.writer.name, $0) }, uniquingKeysWith: { first, _ in first })
            for page in pages {
                var writer = WriterRecord(
                    name: page.writer.name, born: page.writer.born, country: page.writer.country,
                    rating: page.writer.rating, created: page.writer.created.timeIntervalSinceReferenceDate,
                    note: page.writer.note)
                let info = infos[writer.name]
                if let info {
                    writer.id = info.writer.id
                    if try writer.updateChanges(database, from: info.writer) { written += 1 }
                } else {
                    try writer.insert(database)
                    written += 1
                }
                var gone = Dictionary(info?.novels.map { ($0.code, $0) } ?? [], uniquingKeysWith: { first, _ in first })
                for novel in page.novels {
                    var record = NovelRecord(
                        code: novel.code, title: novel.title, year: novel.year, price: novel.price,
                        added: novel.added.timeIntervalSinceReferenceDate, note: novel.note,
                        writerId: writer.id ?? 0)
                    if let old = gone.removeValue(forKey: novel.code) {
                        record.id = old.id
                        if try record.updateChanges(database, from: old) { written += 1 }
                    } else {
                        try record.insert(database)
                        written += 1
                    }
                }
                for novel in gone.values {
                    try novel.delete(database)
                    written += 1
                }
            }
            return written
        }
    }
}
