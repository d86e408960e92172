import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormStore

/// The command line tool as a function from arguments to an exit code.
package enum SwormTool {
    /// The commands, in the order of the help.
    static let commands: [Command] = [
        InspectCommand.command, ShowCommand.command, QueryCommand.command, CountCommand.command, VerifyCommand.command,
        DiffCommand.command,
        DumpCommand.command, ImportCommand.command, CopyCommand.command, MigrateCommand.command, ModelCommand.command,
        FreezeCommand.command, RebuildCommand.command, WatchCommand.command, TimelineCommand.command,
    ]

    /// Runs the tool with the arguments after its name.
    static func run(_ words: [String], console: Console) -> ExitCode {
        do {
            let code = try dispatch(words, console: console)
            // With `sworm-tool verify … | head`, the reader closes the output early, and the exit code is that of the
            // command.
            do { try console.out.flush() } catch is ClosedOutput {}
            return code
        } catch is ClosedOutput {
            // The command has stopped because the reader has closed its output.
            return .ok
        } catch let error as ToolError {
            console.report(error.message, hint: error.hint)
            return error.code == .usage ? .usage : .failure
        } catch {
            console.report(ErrorText.message(of: error), hint: ErrorText.hint(for: error))
            return .failure
        }
    }

    private static func dispatch(_ words: [String], console: Console) throws -> ExitCode {
        let specs = commands.map(\.spec)
        guard let name = words.first, !["--help", "-h", "help"].contains(name) else {
            if words.first == "help", words.count > 1 { return try dispatch([words[1], "--help"], console: console) }
            console.out.write(HelpText.tool(specs))
            if words.isEmpty { throw ToolError(.usage, "the command is missing", hint: "see 'sworm-tool --help'") }
            return .ok
        }
        guard let command = commands.first(where: { $0.spec.name == name }) else {
            throw ToolError(
                .usage, "unknown command '\(name)'",
                hint: nearestName(to: name, in: specs.map(\.name)).map { "did you mean '\($0)'?" }
                    ?? "see 'sworm-tool --help'")
        }
        let arguments = try Arguments(Array(words.dropFirst()), for: command.spec)
        if arguments.has("help") {
            console.out.write(HelpText.command(command.spec))
            return .ok
        }
        return try command.run(arguments, console)
    }
}
