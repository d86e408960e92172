import Comparison
import Foundation
import Sworm

struct Document: ManagedObjectConvertible, CustomStringConvertible {
    var number = 0
    var title = ""
    var data: Data?
    static let attributes: Set<Attribute<Document>> = [
        .init(\.number, "number"), .init(\.title, "title"), .init(\.data, "data", .external),
    ]

    var description: String {
        guard let data else { return "\(title) nil" }
        let isWhole = data.count == 200_000 && data.allSatisfy { $0 == data.first }
        return "\(title) \(isWhole ? "\(data.first ?? 0)" : "broken")"
    }
}

/// Data that goes into a file of its own.
func bytes(_ byte: UInt8) -> Data { Data(repeating: byte, count: 200_000) }

/// A merge policy with its name.
struct Policy: CustomStringConvertible {
    let type: NSMergePolicyType
    let description: String

    var contextWins: Bool {
        type == .overwriteMergePolicyType || type == .mergeByPropertyObjectTrumpMergePolicyType
    }

    static let all = [
        Policy(type: .errorMergePolicyType, description: "error"),
        Policy(type: .mergeByPropertyStoreTrumpMergePolicyType, description: "store trump"),
        Policy(type: .mergeByPropertyObjectTrumpMergePolicyType, description: "object trump"),
        Policy(type: .overwriteMergePolicyType, description: "overwrite"),
        Policy(type: .rollbackMergePolicyType, description: "rollback"),
    ]
}

/// A change of the document, by either side. The document is `first 1` before.
enum Change: CaseIterable {
    case retitle, replace, clear, delete

    func make(_ context: ManagedObjectContext, _ title: String, _ byte: UInt8) throws {
        guard let handle = try context.fetchOne(Document.all) else { return }
        switch self {
        case .retitle: try handle.encode(\.title, title)
        case .replace: try handle.encode(\.data, bytes(byte))
        case .clear: try handle.encode(\.data, nil)
        case .delete: try context.delete(handle)
        }
    }

    /// The title and the data after the change.
    func applied(_ title: String, _ byte: UInt8) -> (title: String, data: String)? {
        switch self {
        case .retitle: (title, "1")
        case .replace: ("first", "\(byte)")
        case .clear: ("first", "nil")
        case .delete: nil
        }
    }
}

/// The state of the store after both have changed the document, and mine was saved last.
func wanted(_ mine: Change, _ foreign: Change, _ policy: Policy) -> String {
    let theirs = foreign.applied("theirs", 2)
    let own = mine.applied("mine", 3)
    func text(_ row: (title: String, data: String)?) -> String { row.map { "\($0.title) \($0.data)" } ?? "none" }
    switch policy.type {
    case .errorMergePolicyType: return "conflict, \(text(theirs))"
    case .rollbackMergePolicyType: return "saved, \(text(theirs))"
    case .overwriteMergePolicyType: return "saved, \(text(own))"
    default: break
    }
    guard let own, let theirs else { return "saved, \(text(policy.contextWins ? own : theirs))" }
    // Property by property: if only one has changed it, that one counts.
    func settle(_ own: String, _ theirs: String, _ before: String) -> String {
        if own == before { return theirs }
        return theirs == before || policy.contextWins ? own : theirs
    }
    return "saved, \(settle(own.title, theirs.title, "first")) \(settle(own.data, theirs.data, "1"))"
}

func open(_ folder: Folder, _ policy: NSMergePolicyType = .errorMergePolicyType) throws -> PersistentContainer {
    try PersistentContainer(for: Document.self, at: .file(folder.store), mergePolicy: policy)
}

/// Two containers over one store with one document.
final class Pair {
    let folder: Folder
    let mine: PersistentContainer
    let other: PersistentContainer

    init(_ policy: NSMergePolicyType = .errorMergePolicyType) throws {
        folder = try Folder()
        other = try open(folder)
        try other.perform { _ = try $0.insert(Document(number: 1, title: "first", data: bytes(1))) }
        mine = try open(folder, policy)
    }

    /// The document in the store, as one who opens it now sees it.
    var document: String {
        get throws { try open(folder).perform { try $0.decode(Document.all).first }?.description ?? "none" }
    }
}
