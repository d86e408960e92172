import Sworm

/// A row of a call, by which its outcome is known.
struct Entry: Sendable {
    var call = ""
    var part = 0
}

extension Entry: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Entry>> = [.init(\.call, "call", .indexed), .init(\.part, "part")]
}

/// The number of calls of one thread that have taken effect.
struct Tally: Sendable {
    var owner = ""
    var calls = 0
}

extension Tally: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Tally>> = [.init(\.owner, "owner", .unique), .init(\.calls, "calls")]
}
