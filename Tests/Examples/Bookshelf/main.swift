// A list in the terminal that stays current while other processes write to the store.
//
//     swift run Bookshelf Books.sqlite                            shows the list, until Ctrl-C
//     swift run Bookshelf Books.sqlite "War and Peace" 1869       adds a book, or changes its year, from another terminal
import Foundation
import Sworm

struct Book: Sendable { var title = ""; var year = 0 }

extension Book: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Book>> = [.init(\.title, "title", .unique), .init(\.year, "year", .indexed)]
    struct Relations: Sendable {}
    static let relations = Relations()
}

// MARK: Show

func showLive(_ store: PersistentContainer, write: (String) -> Void) async throws {
    for try await list in store.lists(of: Book.all.sort(\.year).sort(\.title).limit(20)) {
        let marked = Set(list.changes.inserted).union(list.changes.updated)
        let lines = list.indices.map { index in
            "\(marked.contains(index) ? "*" : " ") \(list[index].year)  \(list[index].title)"
        }
        write("\(list.count) books\n" + lines.joined(separator: "\n") + "\n")
    }
}

// MARK: Run

let arguments = Array(CommandLine.arguments.dropFirst())
guard let path = arguments.first, [1, 3].contains(arguments.count) else {
    print("usage: Bookshelf STORE [TITLE YEAR]")
    exit(2)
}
// With a history, the list learns which rows another process has changed.
let store = try PersistentContainer(for: Book.self, at: .file(URL(fileURLWithPath: path)), history: true)
if arguments.count == 3 {
    guard let year = Int(arguments[2]) else {
        print("'\(arguments[2])' is not a year")
        exit(2)
    }
    try store.write { _ = try $0.upsert([Book(title: arguments[1], year: year)]) }
} else {
    let clear = isatty(1) == 1 ? "\u{1B}[2J\u{1B}[H" : ""
    try await showLive(store) { FileHandle.standardOutput.write(Data((clear + $0).utf8)) }
}
