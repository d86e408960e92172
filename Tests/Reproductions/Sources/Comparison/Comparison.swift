import Foundation

/// Compares what the cases of a program lead to with what is wanted.
package struct Comparison {
    private let name: String
    private var count = 0
    private var differences = 0

    package init(_ name: String) { self.name = name }

    /// Runs one case. An error that it throws is what was found.
    ///
    /// - Parameters:
    ///   - title: The case.
    ///   - wanted: What it should lead to.
    ///   - found: Runs it.
    package mutating func expect(_ title: String, _ wanted: String, _ found: () throws -> String) {
        count += 1
        let text: String
        do {
            text = try found()
        } catch {
            text = "threw \(error)"
        }
        guard text != wanted else { return }
        differences += 1
        print("\(title)\n    wanted: \(wanted)\n    found:  \(text.prefix(300))")
    }

    /// Says how many cases differ, and ends the program.
    package func end() -> Never {
        print("\(name): \(count) cases, \(differences) differ")
        exit(differences == 0 ? 0 : 1)
    }
}

/// A folder for stores that is removed when the value goes.
package final class Folder {
    package let url = FileManager.default.temporaryDirectory.appendingPathComponent("reproduction-\(UUID().uuidString)")

    package init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    package var store: URL { url.appendingPathComponent("Store.sqlite") }
}
