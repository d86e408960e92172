import Foundation
import SwormCommand

// A closed pipe shows as an error of writing, which ends the tool quietly.
signal(SIGPIPE, SIG_IGN)
// A file that grows beyond a limit shows as an error of writing, too.
signal(SIGXFSZ, SIG_IGN)
let interruptions = [SIGINT, SIGTERM, SIGHUP].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
        UnfinishedFolders.removeAll()
        // It ends as by the signal itself, so that a shell knows.
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }
    source.resume()
    return source
}
// `CommandLine.arguments` repairs what is no UTF-8, and a repaired path is that of another file.
let words = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).dropFirst().map { word in
    word.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? []
}
let code = SwormTool.run(bytes: words, console: .standard())
exit(code.rawValue)
