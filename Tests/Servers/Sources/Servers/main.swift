import Foundation

do {
    exit(try Command.run(Array(CommandLine.arguments.dropFirst())) ? 0 : 1)
} catch {
    print("error: \(error)")
    exit(1)
}
