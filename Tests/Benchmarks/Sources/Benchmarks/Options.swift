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
    var printsJSON = false
    var printsCurve = false
    var lists = false
    var trims = true
    var probe: Probe?

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
                    --list, --keep-heap.
                    """)
            }
        }
        self.rows = rows ?? (isQuick ? 40_000 : 100_000)
        self.repetitions = repetitions ?? (isQuick ? 5 : 15)
    }

    /// Whether something of that name is asked for.
    func includes(_ name: String) -> Bool { only.isEmpty || only.contains { name.contains($0) } }
}
