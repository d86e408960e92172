import Foundation
import SwormPredicates

/// The position of a value in the lists of a branch.
struct SaveSlot {
    /// The number of the list.
    let list: Int
    /// The position in the list.
    let position: Int
    let place: SavePlace
}

/// The objects behind the relation of one owner.
struct SaveList {
    let members: [NSManagedObject]
}

/// A tree with its object.
struct SavedTree<Tree> {
    let node: SaveNode
    let tree: Tree
    let place: SavePlace
    /// The importance of this appearance's values.
    let rank: SaveNode.Rank
}

extension EncodedValue {
    /// Returns the value of an attribute, which usually has an index that is known.
    func value(_ name: String, at index: Int) -> AttributeValue? {
        if type.attributes.indices.contains(index), type.attributes[index].name == name { return values[index] }
        return type.attributes.firstIndex { $0.name == name }.flatMap { values[$0] }
    }
}

/// The errors of a save, of which all are reported together.
struct SaveFailures {
    private static var limit: Int { 100 }
    private var issues: [StoreError] = []

    /// Runs a closure, and keeps the error of an invalid value. Other errors are rethrown.
    mutating func collect(at place: SavePlace, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            let isOwn = error is StoreError || error is AttributeError
            let found = isOwn ? [error] : (error as NSError).validationErrors.map { translatedError($0) }
            for error in found {
                let error = error.at(place)
                guard let issue = error as? StoreError, issue.code == .validation else { throw error }
                if issues.count < Self.limit { issues.append(issue) }
            }
        }
    }

    /// Throws the errors that were kept.
    func check() throws {
        guard let first = issues.first else { return }
        throw StoreError(
            first.code, first.message, entity: first.entity, attribute: first.attribute, cause: first.cause,
            path: first.path, issues: issues)
    }
}

extension Error {
    /// Returns the error with the position of a value in the saved trees.
    func at(_ place: SavePlace) -> any Error {
        let text: String
        let (code, entity, attribute, cause): (StoreError.Code, String?, String?, (any Error)?)
        switch self {
        case let error as StoreError where error.path == nil:
            (code, text, entity, attribute, cause) = (
                error.code, error.message, error.entity, error.attribute, error.cause
            )
        case let error as AttributeError:
            let content: AttributeError.Context? = if case .badAttribute(let content) = error { content } else { nil }
            (code, text, entity, attribute, cause) = (
                .validation, "\(error)", content?.entity, content?.name, error
            )
        default: return self
        }
        let path = place.path(of: attribute)
        return StoreError(
            code, path.isEmpty ? text : "\(path): \(text)", entity: entity, attribute: attribute, cause: cause,
            path: path)
    }
}
