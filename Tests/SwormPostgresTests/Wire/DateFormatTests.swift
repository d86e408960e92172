#if PostgreSQL
import Foundation
import TestSupport
import Testing

@testable import SwormPostgres

@Suite("Dates in messages")
struct DateFormatTests {
    @Test func `a date is rounded by its first trip, and by no later one`() throws {
        var random = seededRandom()
        for _ in 0..<200_000 {
            let seconds = Double.random(in: -3e9...3e9, using: &random)
            let first = Wire.seconds(try #require(Wire.microseconds(seconds)))
            #expect(abs(first - seconds) <= 1e-6)
            #expect(Wire.seconds(try #require(Wire.microseconds(first))) == first)
        }
    }

    @Test func `the ends of the calendar are exact`() throws {
        for date in [
            Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 0), Date(timeIntervalSinceReferenceDate: 0),
        ] {
            let seconds = date.timeIntervalSinceReferenceDate
            #expect(Wire.seconds(try #require(Wire.microseconds(seconds))) == seconds)
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 9.3e12, -2.2e11, .greatestFiniteMagnitude])
    func `dates that the server cannot hold are rejected`(seconds: Double) {
        #expect(Wire.microseconds(seconds) == nil)
        #expect(!Parameters().append(Date(timeIntervalSinceReferenceDate: seconds)))
    }

    @Test(.needsServer) func `the server has the same dates`() throws {
        let database = try TestDatabase()
        var random = seededRandom()
        for _ in 0..<200 {
            let date = Date(timeIntervalSinceReferenceDate: Double.random(in: -6e10...6e10, using: &random).rounded())
            let parameters = parameters { #expect($0.append(date)) }
            let result = try database.connection.run("SELECT $1, extract(epoch FROM $1)::float8", with: parameters)
            #expect(try result.date(0, column: 0) == date)
            #expect(try result.double(0, column: 1) == date.timeIntervalSince1970)
        }
    }

    @Test(.needsServer, arguments: ["infinity", "-infinity"])
    func `an infinite date is an error`(text: String) throws {
        let result = try TestDatabase().connection.run("SELECT '\(text)'::timestamptz")
        #expect(throws: (any Error).self) { try result.date(0, column: 0) }
    }

    @Test(.needsServer, arguments: ["4713-12-01 00:00:00 BC", "294276-12-31 23:59:59.999999"])
    func `the oldest and the last date of the server are read`(text: String) throws {
        let result = try TestDatabase().connection.run(
            "SELECT t, extract(epoch FROM t)::float8 FROM (SELECT '\(text)'::timestamptz AT TIME ZONE 'UTC' AT TIME ZONE 'UTC' AS t) AS d"
        )
        let seconds = try #require(try result.double(0, column: 1))
        let date = try #require(try result.date(0, column: 0))
        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.01)
    }
}
#endif
