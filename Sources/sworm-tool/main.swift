import Foundation
import SwormCommand

// Writing to a closed pipe then results in an error, which ends the tool quietly.
signal(SIGPIPE, SIG_IGN)
// A file that exceeds a size limit then also results in an error of writing.
signal(SIGXFSZ, SIG_IGN)
func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
    unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
    #else
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    #endif
}

let interruptions = [SIGINT, SIGTERM, SIGHUP].compactMap { number -> (any DispatchSourceSignal)? in
    // A signal that is ignored already stays ignored, as with `nohup`.
    var former = sigaction()
    guard sigaction(number, nil, &former) == 0, !isIgnored(former) else { return nil }
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
        UnfinishedFolders.removeAll()
        // The process ends through the signal itself, so that a shell sees the cause.
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }
    source.resume()
    return source
}
// `CommandLine.arguments` repairs invalid UTF-8, and a repaired path would name a different file.
let words = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).dropFirst().map { word in
    word.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? []
}
let code = SwormTool.run(bytes: words, console: .standard())
exit(code.rawValue)
