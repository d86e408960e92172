#if PostgreSQL
import Foundation
import SwormRows
import Testing

@testable import SwormPostgres

@Suite("Stopping COPY", .needsServer)
struct CopyStoppingTests {
    private let database: TestDatabase
    private var connection: PostgresConnection { database.connection }
    init() throws {
        database = try TestDatabase()
        try database.connection.run("CREATE TABLE t (n bigint CHECK (n >= 0), s text)")
    }

    /// The number of rows, each of about a kilobyte.
    private static let count = 300_000
    private static let text = String(repeating: "x", count: 1000)

    /// Writes rows, and returns the number of those that were begun before the end or an error.
    private func write(_ body: (Int) throws -> Int64) -> (count: Int, error: ServerError?) {
        var count = 0
        let error = serverError {
            try connection.copyIn(into: "t (n, s)", types: [.int8, .text]) { writer in
                while count < Self.count {
                    try writer.beginRow()
                    count += 1
                    _ = writer.write(try body(count))
                    _ = writer.write(Self.text)
                }
            }
        }
        return (count, error)
    }

    @Test(arguments: [false, true])
    func `a token stops the writing of rows`(isDeadline: Bool) throws {
        let token = InterruptToken()
        connection.interruption = token
        let (count, error) = write { number in
            if number == 1000 { if isDeadline { token.deadline = .now } else { token.interrupt(.cancelled) } }
            return 1
        }
        #expect(error?.kind == (isDeadline ? .timeout : .cancelled))
        #expect(count < 2000)
        connection.reset()
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a request of another thread stops the writing of rows`() throws {
        let canceller = connection.canceller
        let (count, error) = write { number in
            if number == 1000 { canceller.stop() }
            return 1
        }
        #expect(error?.kind == .cancelled)
        #expect(count < 2000)
        connection.reset()
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `an error of the server ends the writing of rows early`() throws {
        // libpq may read the error while it sends, and then delivers it only at the end.
        let isEarly = (0..<3).contains { _ in
            let (count, error) = write { number in
                if number % 1000 == 0 { usleep(1000) }
                return number == 1 ? -1 : 1
            }
            #expect(error?.kind == .constraintViolation && error?.table == "t")
            print("an error of the first row was noticed after \(count) of \(Self.count) rows")
            return count < Self.count
        }
        #expect(isEarly)
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `an error that the body drops is thrown at the end`() throws {
        let token = InterruptToken()
        connection.interruption = token
        let error = serverError {
            try connection.copyIn(into: "t (n, s)", types: [.int8, .text]) { writer in
                for number in 0..<10_000 {
                    if number == 5000 { token.interrupt(.cancelled) }
                    do { try writer.beginRow() } catch { break }
                    _ = writer.write(1 as Int64)
                    _ = writer.write(Self.text)
                }
            }
        }
        #expect(error?.kind == .cancelled)
        connection.reset()
        #expect(try connection.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `notices of triggers do not end the writing of rows`() throws {
        try connection.run("SET client_min_messages = notice")
        try connection.run(
            "CREATE FUNCTION loud() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.n % 100 = 0 THEN RAISE NOTICE 'row %', NEW.n; END IF; RETURN NEW; END $$"
        )
        try connection.run("CREATE TRIGGER loud BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION loud()")
        let count = try connection.copyIn(into: "t (n, s)", types: [.int8, .text]) { writer in
            for number in 0..<40_000 {
                if number % 10_000 == 0 { usleep(150_000) }
                try writer.beginRow()
                _ = writer.write(Int64(number))
                _ = writer.write(Self.text)
            }
        }
        #expect(count == 40_000)
        #expect(try connection.integer("SELECT count(*) FROM t") == 40_000)
    }

    @Test func `a deadline stops the reading of rows whose body is slow`() throws {
        let token = InterruptToken()
        connection.interruption = token
        var count = 0
        let error = serverError {
            try connection.copyOut(of: "(SELECT generate_series(1, 3000000))") { _ in
                count += 1
                if count == 1000 { token.deadline = .now }
            }
        }
        #expect(error?.kind == .timeout)
        #expect(count < 2_900_000)
        connection.reset()
    }

    @Test func `values outside of a row are not written`() throws {
        let count = try connection.copyIn(into: "t (n, s)", types: [.int8, .text]) { writer in
            expect(!writer.write(1 as Int64))
            expect(!writer.writeNull())
            try writer.beginRow()
            expect(writer.write(2 as Int64))
            writer.abandonRow()
            expect(!writer.write("abandoned"))
            expect(!writer.write(form: UnsafeRawBufferPointer(start: nil, count: 0)))
            expect(!writer.write(fields: [0, 0, 0, 0], count: 1))
            try writer.beginRow()
            expect(writer.write(3 as Int64))
            expect(writer.write("kept"))
            try writer.endRow()
            expect(!writer.writeNull())
            expect(!writer.write(4 as Int64))
        }
        #expect(count == 1)
        #expect(try connection.integers("SELECT n FROM t") == [3])
        // A row without columns has no values.
        try connection.run("CREATE TABLE empty ()")
        #expect(
            try connection.copyIn(into: "empty", types: []) { writer in
                for _ in 0..<3 { try writer.beginRow() }
            } == 3)
    }
}
#endif
