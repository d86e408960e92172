import Foundation
import SwormCommand

// A closed pipe shows as an error of writing, which ends the tool quietly.
signal(SIGPIPE, SIG_IGN)
// A file that grows beyond a limit shows as an error of writing, too.
signal(SIGXFSZ, SIG_IGN)
func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
    unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
    #else
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    #endif
}

let interruptions = [SIGINT, SIGTERM, SIGHUP].compactMap { number -> (any DispatchSourceSignal)? in
    // One that is ignored already stays so, as with `nohup`.
    var former = sigaction()
    guard sigaction(number, nil, &former) == 0, !isIgnored(former) else { return nil }
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
