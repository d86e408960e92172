import Foundation
import SwormPredicates
import SwormRows
import SwormSQLite

extension CompiledModel {
    /// Returns the error of a value with its entity and attribute names added, or any other error unchanged.
    func named(_ error: any Error, entity: Int, attributes: [Int]) -> any Error {
        func attribute(_ column: Int) -> (entity: CompiledEntity, name: String?) {
            guard column > 0, attributes[column - 1] >= 0 else { return (self[entity], nil) }
            let place = PseudoSlot.place(attributes[column - 1], fetching: entity)
            let owner = self[place.entity]
            return (owner, owner.attributes[place.slot].name)
        }
        if let issue = error as? UnknownRowKind,
            self.entity(numbered: issue.number)?.root != self[entity].root
        {
            return CoreDataError.wrongEntity(ofRow: issue.rowID, number: issue.number, in: self[entity].name)
        }
        if let issue = error as? DecodingFailure {
            let (entity, name) = attribute(issue.column)
            return self.error(issue, entity: entity.name, property: name)
        }
        guard let issue = error as? ExternalDataFailure else { return error }
        let (entity, name) = attribute(issue.column)
        let attribute = name ?? ""
        let cause = issue.cause as? CoreDataError
        return CoreDataError(
            cause?.errorCode ?? CocoaError.Code.fileReadUnknown.rawValue,
            "'\(entity.name).\(attribute)' of the row \(issue.rowID): \(cause?.message ?? "\(issue.cause)")",
            entity: entity.name, key: attribute, cause: issue.cause)
    }

    func error(_ issue: DecodingFailure, entity: String, property: String?) -> CoreDataError {
        let place = property.map { "'\(entity).\($0)'" } ?? "The identity of '\(entity)'"
        let excerpt = issue.excerpt.isEmpty ? "" : " (\(issue.excerpt))"
        return CoreDataError(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            "\(place) of the row \(issue.rowID) holds \(issue.found)\(excerpt), but \(issue.expected) is expected.",
            entity: entity, key: property, cause: issue)
    }
}
