import Foundation

/// Terminates backends of a run's server, and kills the server, at random moments.
struct Interruptions {
    private let run: Run
    private let proxy: LossyProxy
    private var random: SeededRandom
    private var connection: PlainConnection?
    private(set) var terminations = 0
    private(set) var crashes = 0

    init(_ run: Run, _ proxy: LossyProxy) {
        (self.run, self.proxy) = (run, proxy)
        random = SeededRandom(seed: run.seed &+ 77)
    }

    var cuts: Int { proxy.counts.values.reduce(0, +) }
    var count: Int { cuts + terminations + crashes }

    /// Interrupts calls until there were so many interruptions.
    mutating func make(_ wanted: Int, whileRunning workers: [Worker]) throws {
        proxy.setCutting(true)
        while count < wanted {
            guard workers.allSatisfy(\.isRunning) else { throw Failure("a worker has ended by itself") }
            usleep(UInt32(3_000 + random.pick(20_000)))
            // About one interruption of a hundred is a crash.
            if crashes < (count + 60) / 100, random.chance(30) {
                connection = nil
                if run.server.crash() { crashes += 1 }
            } else {
                terminate()
            }
        }
        proxy.setCutting(false)
    }

    /// Terminates the backend of a transaction.
    private mutating func terminate() {
        do {
            let connection = try connection ?? run.connect()
            self.connection = connection
            terminations += try connection.number(
                """
                SELECT count(*) FILTER (WHERE t) FROM (SELECT pg_terminate_backend(pid) AS t FROM (SELECT pid FROM pg_stat_activity \
                WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND xact_start IS NOT NULL \
                ORDER BY random() LIMIT 1) AS one) AS terminated
                """)
        } catch {
            // The server is starting again.
            connection = nil
        }
    }
}
