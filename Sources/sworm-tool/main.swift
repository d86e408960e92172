import Foundation
import SwormCommand

// A closed pipe shows as an error of writing, which ends the tool quietly.
signal(SIGPIPE, SIG_IGN)
// `CommandLine.arguments` repairs what is no UTF-8, and a repaired path is that of another file.
let words = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).dropFirst().map { word in
    word.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? []
}
let code = SwormTool.run(bytes: words, console: .standard())
exit(code.rawValue)
