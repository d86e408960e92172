import Foundation
package import SwormPredicates
import SwormSQLite
package import SwormRows

extension RowBuffer {
    /// Returns the value of an attribute.
    ///
    /// For an attribute that allows external storage, the value is the column's bytes, including the marker. The
    /// session reads the content (``StoreSession/externalData(_:)``).
    ///
    /// - Throws: ``CoreDataError`` for text that is not a URL and for a number that no decimal can represent.
    ///   Everything else was checked when the buffer was filled.
    package func value(_ row: Int, _ cell: Int, type: AttributeType) throws -> AttributeValue {
        guard !isNull(row, cell) else { return .null }
        switch type {
        case .integer16, .integer32, .integer64, .objectID: return .int(int64(row, cell))
        case .boolean: return .bool(int64(row, cell) != 0)
        case .double, .float: return .double(double(row, cell))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: double(row, cell)))
        case .decimal:
            guard let number = decimal(row, cell) else {
                throw unreadable(row, "a number beyond the range of decimals")
            }
            return .decimal(number)
        case .string: return .string(text(row, cell))
        case .uuid: return uuid(row, cell).map(AttributeValue.uuid) ?? .null
        case .uri:
            let text = text(row, cell)
            guard let url = URL(string: text, encodingInvalidCharacters: false) else {
                throw unreadable(row, "“\(text.prefix(100))”, which is not a URL")
            }
            return .url(url)
        case .binaryData, .transformable: return .data(data(row, cell))
        case .undefined, .composite: return .null
        }
    }

    /// Returns the value of an attribute, including the content of external data, with errors that name the attribute.
    package func value(
        _ row: Int, _ cell: Int, of attribute: CompiledAttribute, in entity: CompiledEntity, session: any StoreSession
    ) throws -> AttributeValue {
        do {
            if attribute.allowsExternalStorage, tag(row, cell) == .blob {
                return .data(try withBytes(row, cell) { try session.externalData($0) })
            }
            return try value(row, cell, type: attribute.type)
        } catch let error as CoreDataError {
            throw CoreDataError(
                error.errorCode, "“\(entity.name).\(attribute.name)” of the row \(int64(row, 0)): \(error.message)",
                entity: entity.name, key: attribute.name, cause: error)
        }
    }

    private func unreadable(_ row: Int, _ what: String) -> CoreDataError {
        CoreDataError(CocoaError.Code.fileReadCorruptFile.rawValue, "The row \(int64(row, 0)) holds \(what).")
    }
}

extension AttributeType {
    /// The kind of values that a column of this type can hold.
    package var cellKind: CellKind {
        switch self {
        case .integer16, .integer32, .integer64, .boolean, .objectID: .integer
        case .double, .float, .date: .real
        case .decimal: .number
        case .string, .uri: .text
        case .uuid: .uuid
        case .binaryData, .transformable: .blob
        case .undefined, .composite: .any
        }
    }
}

extension RowShape {
    /// Returns the kind of values that each cell can hold. The context checks optionality, because files with missing
    /// values must be readable.
    func rules(in model: CompiledModel) -> [CellRule] {
        cells.map { cell in
            switch cell {
            case .primaryKey, .entity: CellRule(.integer, allowsNull: false)
            case .version, .toOneKey, .toOneEntity: CellRule(.integer)
            case .attribute(let entity, let slot): CellRule(model[entity].attributes[slot].type.cellKind)
            }
        }
    }

    /// Returns the property that a cell belongs to, by the names of entity and property, or nil for the first three
    /// cells.
    func property(ofCell index: Int, in model: CompiledModel) -> (entity: String, name: String)? {
        guard cells.indices.contains(index) else { return nil }
        switch cells[index] {
        case .primaryKey, .entity, .version: return nil
        case .attribute(let entity, let slot): return (model[entity].name, model[entity].attributes[slot].name)
        case .toOneKey(let entity, let slot), .toOneEntity(let entity, let slot):
            return (model[entity].name, model[entity].relationships[slot].name)
        }
    }
}
