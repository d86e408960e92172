import Foundation
import Sworm

/// What is asked of many rows at once.
enum Aggregate: String, CaseIterable {
    case count, min, max, sum

    /// The same in SQL.
    func expression(_ column: String) -> String {
        self == .count ? "COUNT(*)" : "\(rawValue.uppercased())(\(column))"
    }
}

/// One number over a thousand rows that an index finds, with a condition that is built each time.
func aggregateBenches(_ place: Workplace, _ options: Options) -> [Bench] {
    let genres = (0..<(options.isQuick ? 50 : 150)).map { $0 * 7 % place.genres }
    return Aggregate.allCases.map { aggregate in
        func statement() throws -> RawStatement {
            let sql = "SELECT \(aggregate.expression("ZPLAYS")) FROM ZTRACK WHERE ZGENRE = ?"
            return try place.raw(Workplace.full).statement(sql)
        }
        func openGRDB() throws { _ = try place.grdb(Workplace.grdbFull) }
        let sides = [
            Side(.byHand, prepare: { _ = try statement() }, fingerprint: \[Int].hashValue) {
                let raw = try place.raw(Workplace.full)
                try raw.beginReading()
                let numbers = try raw.numbers(statement(), for: genres.map { Int64($0) })
                try raw.run("COMMIT")
                return numbers
            },
            Side(.own, prepare: { _ = try place.store(Workplace.full) }, fingerprint: \[Int].hashValue) {
                try place.store(Workplace.full).perform { context in
                    try genres.map { genre -> Int in
                        let tracks = Track.all.where { $0.genre == genre }
                        return switch aggregate {
                        case .count: try context.count(of: tracks)
                        case .min: try context.min(of: tracks, \.plays) ?? 0
                        case .max: try context.max(of: tracks, \.plays) ?? 0
                        case .sum: try context.sum(of: tracks, \.plays)
                        }
                    }
                }
            },
            Side(.grdbBest, prepare: openGRDB, fingerprint: \[Int].hashValue) {
                try place.grdb(Workplace.grdbFull).numbers(aggregate.expression("plays"), ofGenres: genres)
            },
            Side(.grdbCodable, prepare: openGRDB, fingerprint: \[Int].hashValue) {
                try place.grdb(Workplace.grdbFull).numbers(aggregate, ofGenres: genres)
            },
        ]
        return Bench(Bar("\(aggregate.rawValue), indexed condition", .ratio, must: 1.5, aim: 1.2), sides: sides)
    }
}
