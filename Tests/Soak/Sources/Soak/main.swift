// Stores under load: see Package.swift.
import Foundation

signal(SIGPIPE, SIG_IGN)
do {
    let arguments = try Arguments(CommandLine.arguments.dropFirst())
    var holds = true
    switch arguments.command {
    case "run": holds = try await SoakRun(arguments).run()
    case "compare": holds = try Comparison(arguments).run()
    case "suspend": holds = try SuspendRun(arguments).run()
    case "external": holds = try ExternalRun(arguments).run()
    // The processes that these start.
    case "foreign": try writeFromElsewhere(arguments)
    case "phase": try await Comparison.runPhase(arguments)
    case "sleeper": try await Sleeper(arguments).run()
    case "external-reader": try DocumentReader(arguments).run()
    case "external-writer": try DocumentWriter(arguments).run()
    default: say(Arguments.help)
    }
    exit(holds ? 0 : 1)
} catch {
    say("error: \(error)")
    exit(1)
}
