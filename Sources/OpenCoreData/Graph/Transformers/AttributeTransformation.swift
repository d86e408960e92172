import Foundation
import SwormPredicates
import SwormStore

/// The conversion between the values of a transformable attribute and the data in its column.
struct AttributeTransformation {
    private let entity: String
    private let attribute: String
    private let transformer: ValueTransformer
    /// The name of the transformer; nil if the attribute names none.
    private let name: String?

    /// Creates the conversion of an attribute.
    ///
    /// - Throws: A ``CoreDataError`` if no transformer is registered under the name that the attribute gives.
    init(of attribute: CompiledAttribute, in entity: CompiledEntity) throws {
        self.entity = entity.name
        self.attribute = attribute.name
        name = attribute.valueTransformerName.flatMap { $0.isEmpty ? nil : $0 }
        guard let transformer = Self.transformer(named: name) else {
            throw CoreDataError(
                NSCoreDataError,
                "'\(entity.name).\(attribute.name)' has the value transformer '\(name ?? "")', and none is registered under this name. Register it with ValueTransformer.setValueTransformer(_:forName:) before the attribute is used.",
                entity: entity.name, key: attribute.name)
        }
        self.transformer = transformer
    }

    private static func transformer(named name: String?) -> ValueTransformer? {
        guard let name else { return ValueTransformer.registered(.secureUnarchiveFromDataTransformerName) }
        if let transformer = ValueTransformer.registered(NSValueTransformerName(name)) { return transformer }
        // Models also name it by its class.
        guard name == "NSSecureUnarchiveFromDataTransformer" else { return nil }
        return ValueTransformer.registered(.secureUnarchiveFromDataTransformerName)
    }

    /// Returns the value that data in the column represents.
    ///
    /// - Throws: A ``CoreDataError`` for data that the transformer cannot convert.
    func value(of data: Data) throws -> Any? {
        // Without a transformer, data that is no archive was not written by Core Data.
        if name == nil, !ArchivedValue.mayBeArchive(data) { return data }
        guard let unarchiving = transformer as? NSSecureUnarchiveFromDataTransformer else {
            if let value = transformer.reverseTransformedValue(data) { return value }
            throw unreadable(data, because: "the transformer returned nil", cause: nil)
        }
        if let value = unarchiving.transformedValue(data) { return value }
        do {
            if try unarchiving.unarchived(data) == nil { return nil }
        } catch {
            throw unreadable(data, because: error.description, cause: error)
        }
        throw unreadable(data, because: "the transformer returned nil", cause: nil)
    }

    /// Returns the data that represents a value in the column.
    ///
    /// - Throws: A ``CoreDataError`` for a value that the transformer cannot convert.
    func data(of value: Any) throws -> Data {
        guard let unarchiving = transformer as? NSSecureUnarchiveFromDataTransformer else {
            if let data = Data(foundation: transformer.transformedValue(value)) { return data }
            throw unwritable(because: "the transformer returned no data", cause: nil)
        }
        if let data = Data(foundation: unarchiving.reverseTransformedValue(value)) { return data }
        do {
            _ = try unarchiving.archived(value)
        } catch {
            throw unwritable(because: error.description, cause: error)
        }
        throw unwritable(because: "the transformer returned no data", cause: nil)
    }

    private var title: String { name.map { "the value transformer '\($0)'" } ?? "the default value transformer" }

    private func unwritable(because reason: String, cause: (any Error)?) -> CoreDataError {
        CoreDataError(
            NSManagedObjectValidationError,
            "Cannot set '\(attribute)' of \(entity) with \(title): \(reason). Set a value that the transformer converts, or register another transformer.",
            entity: entity, key: attribute, cause: cause)
    }

    private func unreadable(_ data: Data, because reason: String, cause: (any Error)?) -> CoreDataError {
        CoreDataError(
            CocoaError.Code.fileReadCorruptFile.rawValue,
            "The \(data.count) bytes of '\(entity).\(attribute)' cannot be read by \(title): \(reason). Correct the row, or register the transformer that has written it.",
            entity: entity, key: attribute, cause: cause)
    }
}

extension CompiledEntity {
    /// Returns the data that represents a value of a transformable attribute.
    ///
    /// - Throws: A ``CoreDataError`` for a value that the attribute's transformer cannot convert, or if there is no such
    ///   transformer.
    func transformed(_ any: Any?, slot: Int) throws -> AttributeValue {
        guard let any, AttributeValue(any: any) != .null else { return .null }
        return .data(try AttributeTransformation(of: attributes[slot], in: self).data(of: any))
    }
}

extension NSManagedObject {
    /// Returns a value of an attribute in the types of keyed access. A transformable attribute has the value that its data
    /// represents; if it cannot be read, the result is nil, and the next save or fetch of the context throws the error.
    final func keyedValue(_ value: AttributeValue, of slot: Int) -> Any? {
        guard case .data(let data) = value, compiledEntity.traits[slot].type == .transformable else {
            return value.cocoaValue
        }
        do {
            return try AttributeTransformation(of: compiledEntity.attributes[slot], in: compiledEntity).value(of: data)
        } catch {
            context?.noteFailure(error)
            return nil
        }
    }

    /// Returns the current value of an attribute in the types of keyed access, and fires the fault if necessary.
    final func keyedAttribute(_ slot: Int) -> Any? { keyedValue(attribute(slot), of: slot) }
}
