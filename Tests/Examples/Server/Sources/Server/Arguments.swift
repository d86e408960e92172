import Foundation
import Sworm

/// The arguments of the command line.
struct Arguments {
    var port = 8080
    var location = StoreLocation.memory

    /// Returns nil if the arguments are wrong.
    init?(_ arguments: some Sequence<String>) {
        var paths: [String] = []
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            if argument == "--port" {
                guard let number = iterator.next().flatMap(UInt16.init) else { return nil }
                port = Int(number)
            } else {
                paths.append(argument)
            }
        }
        guard paths.count < 2, paths.first?.hasPrefix("-") != true else { return nil }
        if let path = paths.first { location = .file(URL(fileURLWithPath: path)) }
    }
}
