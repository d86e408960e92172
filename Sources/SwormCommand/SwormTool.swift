import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite

/// The tool as a function: arguments in, an exit code out.
package enum SwormTool {
    /// The commands, in the order of the help.
    package static let commands: [Command] = [
        InspectCommand.command, QueryCommand.command, CountCommand.command, VerifyCommand.command, DiffCommand.command,
        DumpCommand.command, ImportCommand.command, CopyCommand.command, MigrateCommand.command, ModelCommand.command,
        RebuildCommand.command,
    ]

    /// Runs the tool with the words behind its name.
    package static func run(_ words: [String], console: Console) -> ExitCode {
        do {
            let code = try dispatch(words, console)
            // With `sworm-tool verify … | head`, whoever reads has enough, and the code is that of the command.
            do { try console.out.flush() } catch is ClosedOutput {}
            return code
        } catch is ClosedOutput {
            // The command has stopped, because nobody reads what it has to say.
            return .ok
        } catch let error as ToolError {
            console.report(error.message, hint: error.hint)
            return error.code == .usage ? .usage : .failure
        } catch {
            console.report(ErrorText.message(of: error), hint: ErrorText.hint(for: error))
            return .failure
        }
    }

    private static func dispatch(_ words: [String], _ console: Console) throws -> ExitCode {
        let specs = commands.map(\.spec)
        guard let name = words.first, !["--help", "-h", "help"].contains(name) else {
            if words.first == "help", words.count > 1 { return try dispatch([words[1], "--help"], console) }
            console.out.write(HelpText.tool(specs))
            if words.isEmpty { throw ToolError(.usage, "no command is given", hint: "see 'sworm-tool --help'") }
            return .ok
        }
        guard let command = commands.first(where: { $0.spec.name == name }) else {
            throw ToolError(
                .usage, "there is no command '\(name)'",
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

/// What to say of errors that come from below.
enum ErrorText {
    static func message(of error: any Error) -> String {
        switch error {
        case let error as CoreDataError: error.message
        case let error as SwormPredicates.PredicateError: error.description
        case let error as SQLiteError: error.message
        case let error as ToolError: error.message
        default: (error as NSError).localizedDescription
        }
    }

    static func hint(for error: any Error) -> String? {
        guard let error = error as? CoreDataError else { return nil }
        let look =
            "'sworm-tool verify' looks for damage, and 'sworm-tool rebuild' makes a new store of what can be read"
        switch error.errorCode {
        case NSPersistentStoreIncompatibleVersionHashError:
            return "give the model that the store was written with as --model PATH"
        case NSPersistentStoreTypeMismatchError:
            return "name the file that Core Data, or Sworm, has written"
        case NSPersistentStoreIncompatibleSchemaError: return look
        case NSInferredMappingModelError:
            return "change the new model as the reasons say; '--dry-run' counts the objects that they are about"
        case CocoaError.Code.fileReadCorruptFile.rawValue:
            // Files of models are read without SQLite.
            switch (error.cause as? SQLiteError)?.code {
            case SQLiteError.notADatabase?:
                return "a store is a SQLite file; if this was one, it is encrypted or written over: restore a copy"
            case SQLiteError.corrupt?: return look
            default: return nil
            }
        default: return nil
        }
    }
}
