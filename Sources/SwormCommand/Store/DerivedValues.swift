import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite

/// The values of derived attributes that no save can work out anew, such as the time of one: an import takes them over from
/// the dump.
enum DerivedValues {
    /// Writes them into a store that is closed; a second pass over the dump, where a model has such attributes at all.
    static func write(from dump: URL, to store: URL, model: CompiledModel) throws {
        let slots = model.entities.map { entity in
            entity.attributes.indices.filter {
                entity.attributes[$0].derivation != nil && !entity.attributes[$0].isTransient
                    && !model.restoresDerivation($0, of: entity)
            }
        }
        guard slots.contains(where: { !$0.isEmpty }) else { return }
        let layout = StoreLayout(model: model)
        let reader = try DumpReader(dump)
        let connection = try Connection(.file(path: store.path), options: .init(access: .readWrite))
        try connection.transaction(.immediate) {
            while let object = try reader.next(model) {
                for slot in slots[object.entity.number - 1] where object.attributes[slot] != .null {
                    guard let column = layout.column(ofAttribute: slot, in: object.entity.number) else { continue }
                    let table = StoreReport.quoted(layout.table(of: object.entity))
                    var statement = try connection.statement(
                        "UPDATE \(table) SET \(StoreReport.quoted(column)) = ? WHERE Z_PK = ?")
                    try bind(object.attributes[slot], to: &statement)
                    try statement.bind(object.key, at: 2)
                    try statement.run()
                }
            }
        }
    }

    private static func bind(_ value: AttributeValue, to statement: inout Statement) throws {
        switch value {
        case .null, .object: try statement.bindNull(at: 1)
        case .bool(let flag): try statement.bind(flag, at: 1)
        case .int(let number): try statement.bind(number, at: 1)
        case .double(let number): try statement.bind(number, at: 1)
        case .decimal(let number): try bind(DecimalColumn.store(number), to: &statement)
        case .string(let text): try statement.bind(text, at: 1)
        case .date(let date): try statement.bind(date.timeIntervalSinceReferenceDate, at: 1)
        case .data(let data): try statement.bind(data, at: 1)
        case .uuid(let uuid): try statement.bind(uuid, at: 1)
        case .url(let url): try statement.bind(url.absoluteString, at: 1)
        }
    }

    private static func bind(_ value: StoredValue?, to statement: inout Statement) throws {
        switch value {
        case .integer(let number)?: try statement.bind(number, at: 1)
        case .real(let number)?: try statement.bind(number, at: 1)
        case .text(let text)?: try statement.bind(text, at: 1)
        case .blob, .uuid, .null, nil: try statement.bindNull(at: 1)
        }
    }
}
