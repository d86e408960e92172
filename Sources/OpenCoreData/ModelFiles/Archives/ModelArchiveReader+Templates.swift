import Foundation
import SwormPredicates
import SwormStore

extension ModelArchiveReader {
    /// Returns the settings of an archived fetch request.
    ///
    /// - Parameter what: The predicate in the words of a note.
    mutating func request(from object: Object, predicate what: String) throws -> RequestTemplate {
        var request = RequestTemplate()
        request.entityName = archive.object(of: object, field: "NSEntity").flatMap {
            archive.string(of: $0, field: "NSEntityName")
        }
        if let predicate = archive.object(of: object, field: "NSPredicate") {
            request.predicateText = read({ try $0.predicate(predicate) }, for: what)?.format
        }
        let sorts = try elements(archive[object, "NSSortDescriptors"]).compactMap { value -> NSSortDescriptor? in
            guard case .object(let sort) = value, let key = archive.string(of: sort, field: "NSKey") else { return nil }
            return NSSortDescriptor(
                key: key, ascending: archive.flag(of: sort, field: "NSAscending"),
                selector: archive.string(of: sort, field: "NSSelector").map { Selector($0) })
        }
        if !sorts.isEmpty { request.sortDescriptors = sorts }
        request.fetchLimit = archive.int(of: object, field: "NSFetchLimit") ?? 0
        request.fetchOffset = archive.int(of: object, field: "NSFetchOffset") ?? 0
        request.fetchBatchSize = archive.int(of: object, field: "NSBatchSize") ?? 0
        request.resultType = UInt(clamping: archive.int(of: object, field: "NSResultType") ?? 0)
        let paths = try elements(archive[object, "NSRelationshipKeyPathsForPrefetching"])
        if !paths.isEmpty { request.relationshipKeyPathsForPrefetching = paths.compactMap { archive.string($0) } }
        return request
    }

    /// Returns the archived request templates of a model by name.
    mutating func templates(of root: Object) throws -> [String: RequestTemplate] {
        var templates: [String: RequestTemplate] = [:]
        for (key, value) in try pairs(archive[root, "NSFetchRequestTemplates"]) {
            guard let name = archive.string(key), case .object(let object) = value else { continue }
            templates[name] = try request(from: object, predicate: "the predicate of the fetch request '\(name)'")
        }
        return templates
    }
}
