import Foundation
import SwormCommand

// Ignored, so that writing to a closed pipe results in an error, which ends the tool without a message.
signal(SIGPIPE, SIG_IGN)
// Ignored, so that writing beyond the limit for the size of a file results in an error, too.
signal(SIGXFSZ, SIG_IGN)

/// Returns whether an action ignores its signal.
func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
    unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self) == 1
    #else
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
    #endif
}

let interruptions = [SIGINT, SIGTERM, SIGHUP].compactMap { number -> (any DispatchSourceSignal)? in
    // A signal that is already ignored, as with `nohup`, stays ignored.
    var former = sigaction()
    guard sigaction(number, nil, &former) == 0, !isIgnored(former) else { return nil }
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
        if Interruption.deliver() { return }
        UnfinishedFolders.removeAll()
        // The signal itself ends the process, so that a shell can report the cause.
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }
    source.resume()
    return source
}
// The raw arguments are used because `CommandLine.arguments` repairs invalid UTF-8, and a repaired path would name a
// different file.
let words = UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)).dropFirst().map { word in
    word.map { Array(UnsafeRawBufferPointer(start: $0, count: strlen($0))) } ?? []
}
let code = SwormTool.run(bytes: words, console: .standard())
exit(code.rawValue)
