/// What the command line asks for.
struct Options {
    /// Run one side once and print how much memory it took: what a child process does.
    struct Probe {
        var bench: String
        var side: Int
        var folder: String
    }

    var isQuick = false
    var only: [String] = []
    var rows = 100_000
    var repetitions = 15
    var seed = 1
    /// How much longer than it has to be each row of a store is that is migrated: bytes of text.
    var padding = 0
    /// A small file system that is filled while stores on it are migrated.
    var disk: String?
    var printsJSON = false
    var printsCurve = false
    /// What conditions cost that clients send.
    var measuresConditions = false
    var measuresMigrations = false
    /// What live results cost.
    var measuresLive = false
    /// What the store over PostgreSQL costs.
    var measuresPostgres = false
    /// The rows of the table that is read as a stream from a server.
    var streamRows = 1_000_000
    /// The Python that has asyncpg and psycopg.
    var python: String?
    /// Read a table of a server as a stream, and print how much memory that took: what a child process does.
    var postgresProbe: (way: String, host: String, limit: Int)?
    /// Of how many trees the memory of streams is measured.
    var treeStreams: [Int] = []
    /// Save or read so many trees, and print how much memory that took: what a child process does.
    var treeProbe: (way: String, count: Int, folder: String)?
    /// In stores of how many objects migrations over shared hubs are measured.
    var migrationHubs: [Int] = []
    /// How many migrations are to be killed.
    var migrationKills: Int?
    var lists = false
    var trims = true
    var probe: Probe?
    /// Migrate a store and print what that took: what a child process does.
    var migrationProbe: (way: String, folder: String)?
    /// Migrate a store, and nothing besides: what a child process does that is cut off.
    var migrationRun: (way: String, folder: String)?

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        var rows: Int?
        var repetitions: Int?
        func text(after name: String) throws -> String {
            guard let value = rest.popFirst() else { throw Failure("\(name) needs a value.") }
            return value
        }
        func number(after name: String) throws -> Int {
            let value = try text(after: name)
            guard let number = Int(value), number > 0 else { throw Failure("\(name) needs a number, not \(value).") }
            return number
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--only": only.append(try text(after: argument))
            case "--rows": rows = try number(after: argument)
            case "--repetitions": repetitions = try number(after: argument)
            case "--json": printsJSON = true
            case "--curve": printsCurve = true
            case "--received": measuresConditions = true
            case "--live": measuresLive = true
            case "--postgres": measuresPostgres = true
            case "--stream-rows": streamRows = try number(after: argument)
            case "--python": python = try text(after: argument)
            case "--postgres-probe":
                postgresProbe = (try text(after: argument), try text(after: argument), try number(after: argument))
            case "--migration": measuresMigrations = true
            case "--tree-streams": treeStreams = [10_000, 1_000_000]
            case "--tree-probe":
                treeProbe = (try text(after: argument), try number(after: argument), try text(after: argument))
            case "--migration-hubs":
                // All numbers that follow.
                while let count = rest.first.flatMap({ Int($0) }), count > 0 {
                    migrationHubs.append(count)
                    rest.removeFirst()
                }
                if migrationHubs.isEmpty { migrationHubs = [10_000, 1_000_000] }
            case "--migration-kills": migrationKills = try number(after: argument)
            case "--padding": padding = try number(after: argument)
            case "--disk": disk = try text(after: argument)
            case "--seed": seed = try number(after: argument)
            case "--migration-run":
                migrationRun = (try text(after: argument), try text(after: argument))
            case "--migration-probe":
                migrationProbe = (try text(after: argument), try text(after: argument))
            case "--list": lists = true
            case "--keep-heap": trims = false
            case "--probe":
                probe = Probe(
                    bench: try text(after: argument), side: Int(try text(after: argument)) ?? 0,
                    folder: try text(after: argument))
            default:
                throw Failure(
                    """
                    \(argument) is no option. There are: --quick, --only NAME, --rows N, --repetitions N, --json, --curve, \
                    --received, --live, --postgres, --stream-rows N, --python PATH, --migration, --migration-hubs [N ...], --migration-kills N, --padding N, --disk PATH, --seed N, --list, \
                    --keep-heap.
                    """)
            }
        }
        let most = measuresMigrations ? 1_000_000 : migrationKills == nil ? 100_000 : 800_000
        self.rows = rows ?? (isQuick ? 40_000 : most)
        self.repetitions = repetitions ?? (isQuick ? 5 : 15)
    }

    /// Whether something of that name is asked for.
    func includes(_ name: String) -> Bool { only.isEmpty || only.contains { name.contains($0) } }
}
