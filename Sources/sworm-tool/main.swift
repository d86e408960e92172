import Foundation
import SwormCommand

// A closed pipe shows as an error of writing, which ends the tool quietly.
signal(SIGPIPE, SIG_IGN)
let code = SwormTool.run(Array(CommandLine.arguments.dropFirst()), console: .standard())
exit(code.rawValue)
