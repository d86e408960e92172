import Foundation

/// The same work on both sides, in phases that alternate, each in a process and on a file of its own.
struct Comparison {
    private static let sides = ["sworm", "grdb"]
    private let arguments: Arguments
    private let settings: PhaseSettings
    private let runs: Int

    init(_ arguments: Arguments) throws {
        try arguments.allow("runs", "seconds", "clients", "writes", "rows", "work", "plant")
        self.arguments = arguments
        settings = try PhaseSettings(arguments)
        runs = max(1, try arguments.number("runs", or: 5))
    }

    /// Runs all phases, and returns whether all bars are met.
    func run() throws -> Bool {
        let place = try PerformState()
        try SwormSide.fill(place.url("sworm.sqlite"), rows: settings.rows)
        try GRDBSide.fill(place.url("grdb.sqlite"), rows: settings.rows)
        let mix = "\(settings.clients) clients, \(settings.writes) % writes, \(settings.rows) rows"
        say("\(runs) runs of \(settings.seconds.text) s, \(mix)")
        say("run side    read p50, p99 ms    write p50, p99 ms   calls/s   CPU s/1000 calls")
        var figures: [String: [PhaseFigures]] = [:]
        for run in 0..<runs {
            // Neither always comes first.
            for side in run % 2 == 0 ? Self.sides : Self.sides.reversed() {
                let found = try phase(side, place)
                figures[side, default: []].append(found)
                let texts = [
                    found.readP50, found.readP99, found.writeP50, found.writeP99, found.throughput, found.processor,
                ]
                say("\(run + 1)   \(side)  " + texts.map(\.text).joined(separator: "   "))
            }
        }
        return report(figures["sworm"] ?? [], figures["grdb"] ?? [])
    }

    private func report(_ own: [PhaseFigures], _ other: [PhaseFigures]) -> Bool {
        func ratio(_ value: (PhaseFigures) -> Double) -> Double {
            zip(own, other).map { value($0) / value($1) }.median
        }
        var checks = Checks()
        say("        medians of the ratios Sworm / GRDB of each run")
        if settings.writes < 100 {
            checks.note("read p50", ratio(\.readP50).text)
            checks.atMost(1.05, "read p99 (aim 0.9)", ratio(\.readP99))
        }
        if settings.writes > 0 {
            checks.note("write p50", ratio(\.writeP50).text)
            checks.atMost(1.05, "write p99 (aim 0.9)", ratio(\.writeP99))
        }
        checks.atLeast(0.95, "throughput (aim 1.1)", ratio(\.throughput))
        checks.note("processor time of a call", ratio(\.processor).text)
        return checks.holds
    }

    /// Runs one phase in a process of its own, on a fresh copy.
    private func phase(_ side: String, _ place: PerformState) throws -> PhaseFigures {
        try place.copy("\(side).sqlite", to: "phase.sqlite")
        var words = [
            "phase", "--side", side, "--store", place.url("phase.sqlite").path, "--seconds", "\(settings.seconds)",
            "--clients", "\(settings.clients)", "--rows", "\(settings.rows)", "--writes", "\(settings.writes)",
        ]
        if side == "sworm", settings.isSlow { words += ["--plant", "slow"] }
        let child = try ChildProcess(words)
        guard let line = try child.line(within: settings.seconds + 120), let figures = PhaseFigures(line: line) else {
            throw Failure("the phase of \(side) said nothing of use")
        }
        try child.end()
        return figures
    }

    /// One phase, in the child.
    static func runPhase(_ arguments: Arguments) async throws {
        try arguments.allow("side", "store", "seconds", "clients", "rows", "writes", "plant")
        let url = URL(fileURLWithPath: try arguments.requiredText("store"))
        let side: any PhaseSide = try arguments.text("side") == "grdb" ? GRDBSide(url) : SwormSide(url)
        let figures = try await Phase(side: side, settings: PhaseSettings(arguments)).run()
        try side.close()
        say(figures.line)
    }
}
