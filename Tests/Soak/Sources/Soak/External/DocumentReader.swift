import Foundation
import Sworm

/// A process that reads the rows of the documents, and their bytes after it was stopped, in one call.
struct DocumentReader {
    private let arguments: Arguments

    init(_ arguments: Arguments) throws {
        try arguments.allow("store", "journal", "call")
        self.arguments = arguments
    }

    func run() throws {
        let store = try DocumentStore(arguments).container
        let read: (ManagedObjectContext) throws -> String = { context in
            let found = try context.fetch(Document.all.sort(\.number)).map { $0 }
            let versions = try found.map { (try $0.decode(\.number), try $0.decode(\.version)) }
            say("reading \(versions.map { "\($0.1)" }.joined(separator: ","))")
            guard ParentProcess.wait() else { throw Failure("there is no parent") }
            var wrong = found.count == Document.count ? 0 : 1
            for (document, (number, version)) in zip(found, versions) {
                // Files are read only now.
                let data = try? document.decode(\.data)
                if data != Document.bytes(number, version) { wrong += 1 }
            }
            // The same by structs, in the same state.
            for document in try context.decode(Document.all) {
                if document.data != Document.bytes(document.number, document.version) { wrong += 1 }
                if !versions.contains(where: { $0 == (document.number, document.version) }) { wrong += 1 }
            }
            return "wrong \(wrong)"
        }
        let answer: String
        do {
            answer = try arguments.text("call") == "perform" ? store.perform(action: read) : store.read(read)
        } catch {
            answer = "failed \(error)".replacing("\n", with: " ")
        }
        say(answer)
        try store.close()
    }
}
