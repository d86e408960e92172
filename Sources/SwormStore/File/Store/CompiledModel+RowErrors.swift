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

    /// Returns the error of a value in a row of a level with its entity and attribute names added, or any other error
    /// unchanged.
    func named(_ error: any Error, in level: TreeLevel) -> any Error {
        guard let issue = error as? DecodingFailure, issue.column > level.columns.count else {
            return named(error, entity: level.fetch.entity, attributes: level.columns)
        }
        let index = issue.column - level.columns.count - 1
        let name = level.expressions.indices.contains(index) ? level.expressions[index].format : nil
        return self.error(issue, entity: self[level.fetch.entity].name, property: name)
    }

    /// Returns the error of a value with the path of its column added, or any other error unchanged.
    func named(
        _ error: any Error, in projection: ProjectionSpecification, columns: [ProjectedColumn]
    ) -> any Error {
        let entity = self[projection.fetch.entity].name
        func path(_ column: Int) -> String { columns.indices.contains(column) ? columns[column].path : "" }
        if let issue = error as? DecodingFailure {
            let path = path(issue.column)
            let excerpt = issue.excerpt.isEmpty ? "" : " (\(issue.excerpt))"
            return CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                "'\(path)' of \(entity) returned \(issue.found)\(excerpt), but \(issue.expected) is expected.",
                entity: entity, key: path, cause: issue)
        }
        guard let issue = error as? ExternalDataFailure else { return error }
        let cause = issue.cause as? CoreDataError
        return CoreDataError(
            cause?.errorCode ?? CocoaError.Code.fileReadUnknown.rawValue,
            "'\(path(issue.column))' of \(entity): \(cause?.message ?? "\(issue.cause)")", entity: entity,
            key: path(issue.column), cause: issue.cause)
    }
}
