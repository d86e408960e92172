import Foundation
package import SwormPredicates
import SwormSQLite
package import SwormRows

extension RowBuffer {
    /// Returns the value of an attribute.
    ///
    /// For an attribute that allows external storage, the value identifies the content: it is the column's bytes, including
    /// the marker, or the length in the rows of a server. The session reads the content
    /// (``StoreSession/externalData(_:)``).
    ///
    /// - Throws: ``CoreDataError`` for text that is not a URL and for a number that no decimal can represent.
    ///   Everything else was checked when the buffer was filled.
    package func value(row: Int, cell: Int, type: AttributeType) throws -> AttributeValue {
        guard !isNull(row: row, cell: cell) else { return .null }
        switch type {
        case .integer16, .integer32, .integer64, .objectID: return .int(int64(row: row, cell: cell))
        case .boolean: return .bool(int64(row: row, cell: cell) != 0)
        case .double, .float: return .double(double(row: row, cell: cell))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: double(row: row, cell: cell)))
        case .decimal:
            guard let number = decimal(row: row, cell: cell) else {
                throw unreadable(row, holding: "a number out of the range of Decimal")
            }
            return .decimal(number)
        case .string: return .string(text(row: row, cell: cell))
        case .uuid: return uuid(row: row, cell: cell).map(AttributeValue.uuid) ?? .null
        case .uri:
            let text = text(row: row, cell: cell)
            guard let url = URL(string: text, encodingInvalidCharacters: false) else {
                throw unreadable(row, holding: "'\(text.prefix(100))', which is not a URL")
            }
            return .url(url)
        case .binaryData, .transformable:
            guard tag(row: row, cell: cell) != .integer else { return .data(length(row: row, cell: cell)) }
            return .data(data(row: row, cell: cell))
        case .undefined, .composite: return .null
        }
    }

    /// Returns the length of external data as bytes.
    private func length(row: Int, cell: Int) -> Data {
        withUnsafeBytes(of: int64(row: row, cell: cell).bigEndian) { Data($0) }
    }

    /// Returns the value of an attribute, including the content of external data, with errors that name the attribute.
    package func value(
        row: Int, cell: Int, of attribute: CompiledAttribute, in entity: CompiledEntity, session: any StoreSession
    ) throws -> AttributeValue {
        do {
            if attribute.allowsExternalStorage {
                switch tag(row: row, cell: cell) {
                case .blob: return .data(try withBytes(row: row, cell: cell) { try session.externalData($0) })
                case .integer:
                    return .data(try externalData(row: row, of: attribute, in: entity, session: session))
                default: break
                }
            }
            return try value(row: row, cell: cell, type: attribute.type)
        } catch let error as CoreDataError {
            throw CoreDataError(
                error.errorCode,
                "'\(entity.name).\(attribute.name)' of the row \(int64(row: row, cell: 0)): \(error.message)",
                entity: entity.name, key: attribute.name, cause: error)
        }
    }

    private func externalData(
        row: Int, of attribute: CompiledAttribute, in entity: CompiledEntity, session: any StoreSession
    ) throws -> Data {
        guard case .attribute(let slot)? = entity.slot(named: attribute.name) else { return Data() }
        let identity = RowID(entity: entity.number, key: int64(row: row, cell: RowShape.primaryKeyCell))
        let version = int64(row: row, cell: RowShape.versionCell)
        return try session.externalData(ofRow: identity, version: version, slot: slot)
    }

    private func unreadable(_ row: Int, holding what: String) -> CoreDataError {
        CoreDataError(
            CocoaError.Code.fileReadCorruptFile.rawValue, "The row \(int64(row: row, cell: 0)) holds \(what).")
    }
}

extension AttributeType {
    /// The kind of values that a column of this type can hold.
    var cellKind: CellKind {
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
    ///
    /// - Parameter hasLengths: Whether the cells of external data have their lengths.
    func rules(in model: CompiledModel, hasLengths: Bool = false) -> [CellRule] {
        cells.map { cell in
            switch cell {
            case .primaryKey, .entity: CellRule(.integer, allowsNull: false)
            case .version, .toOneKey, .toOneEntity: CellRule(.integer)
            case .attribute(let entity, let slot):
                hasLengths && model[entity].traits[slot].allowsExternalStorage
                    ? CellRule(.integer) : CellRule(model[entity].attributes[slot].type.cellKind)
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
