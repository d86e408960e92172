#if PostgreSQL
import SwormPredicates

@testable import OpenCoreData
@testable import SwormStore

/// The requests of tests that write and read tags.
protocol TagSteps {}

extension TagSteps {
    var model: CompiledModel { LibraryModel.model }
    var tags: FetchSpecification { FetchSpecification(entity: LibraryModel.tag) }

    func insertion(_ name: String) -> SaveRequest {
        var request = SaveRequest()
        request.insert(model[LibraryModel.tag], key: -1, ["name": .string(name)])
        return request
    }

    func update(_ row: RowID, version: Int64, _ name: String) -> SaveRequest {
        var request = SaveRequest()
        request.update(row, version: version, in: model, ["name": .string(name)])
        return request
    }

    func names(_ store: any ObjectStore) throws -> [AttributeValue] { try store.values(LibraryModel.tag, "name") }
}
#endif
