import Foundation
import Sworm

/// What a client may ask about in part only: names, witnesses and a friend, but nothing else of the dossier itself.
struct Dossier: Equatable {
    var name = ""
    var length = 0
    var pin = 0
    var code = ""
    var year = 0
}

extension Dossier: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Dossier>> = [
        .init(\.name, "name"), .init(\.length, "length"), .init(\.pin, "pin"), .init(\.code, "code"),
        .init(\.year, "year"),
    ]

    struct Relations: Sendable {
        let friend = ToOneRelation<Witness>("friend", inverse: \.dossier)
        let witnesses = ToManyOrderedRelation<Witness>("witnesses", inverse: \.cases)
        let handler = ToOneRelation<Witness>("handler", inverse: \.handled)
        let title = "no relation"
    }
    static let relations = Relations()
}

struct Witness {
    var name = ""
    var year = 0
}

extension Witness: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Witness>> = [.init(\.name, "name"), .init(\.year, "year")]

    struct Relations: Sendable {
        let dossier = ToOneRelation<Dossier>("dossier")
        let cases = ToManyRelation<Dossier>("cases")
        let handled = ToManyRelation<Dossier>("handled")
    }
    static let relations = Relations()
}

extension ConditionAllowList {
    /// The names of dossiers and the years of witnesses.
    static let dossiers = ConditionAllowList().allowing(Dossier.self, \.name)
        .allowing(Dossier.self, relations: \.friend, \.witnesses).allowing(Witness.self, \.year)
}

extension Condition where PlainObject == Dossier {
    /// A condition as it comes from outside. Its arguments are texts.
    static func received(_ format: String, _ arguments: [String] = []) throws -> Condition {
        let message = Message(format: format, arguments: arguments.map { ["string": $0] })
        return try JSONDecoder().decode(Condition.self, from: try JSONEncoder().encode(message))
    }
}

private struct Message: Encodable {
    var entity = "Dossier"
    let format: String
    let arguments: [[String: String]]
}
