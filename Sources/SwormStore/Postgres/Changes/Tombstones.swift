#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

/// The values that the history of a store on a server preserves of deleted objects.
///
/// They are kept as JSON, with a string for each attribute that has a value.
enum Tombstones {
    /// The longest data that are preserved, in bytes. JSON on a server cannot hold much more.
    private static let longestData = 64 << 20

    /// Returns the SQL of the preserved values of a row of a hierarchy, or nil if no entity of it preserves values.
    ///
    /// - Parameter alias: The name of the row with a period, or empty.
    static func sql(of root: CompiledEntity, _ schema: ServerSchema, alias: String = "") -> String? {
        sql(of: root, model: schema.compiler.model, alias: alias) { schema.columns[$0 - 1].attributes }
    }

    /// Returns the same SQL for the columns of entities by their numbers.
    static func sql(
        of root: CompiledEntity, model: CompiledModel, alias: String = "",
        columns: (Int) -> [ServerColumns.Attribute]
    ) -> String? {
        // Sub-entities may have attributes of the same name in different columns.
        let parts = root.family.compactMap { number -> String? in
            let entity = model[number]
            let preserved = Set(entity.preservedAttributes()).filter { entity.attributes[$0].owner == number }
            let pairs = columns(number).filter { preserved.contains($0.slot) }.map { place in
                "\(SQLName.literal(place.attribute.name)), \(text(of: place, alias: alias))"
            }
            guard !pairs.isEmpty else { return nil }
            // A function has at most 100 arguments.
            let objects = stride(from: 0, to: pairs.count, by: 50).map { start in
                "pg_catalog.jsonb_build_object(\(pairs[start..<min(start + 50, pairs.count)].joined(separator: ", ")))"
            }
            return "pg_catalog.jsonb_strip_nulls(\(objects.joined(separator: " || ")))"
        }
        return parts.isEmpty ? nil : "(\(parts.joined(separator: " || ")))"
    }

    /// Returns the SQL of a value as a string.
    private static func text(of place: ServerColumns.Attribute, alias: String) -> String {
        let column = alias + place.column
        switch place.type {
        case .bytea:
            return
                "CASE WHEN pg_catalog.octet_length(\(column)) <= \(longestData) THEN pg_catalog.encode(\(column), 'base64') END"
        case .timestamptz:
            return
                "CASE WHEN pg_catalog.isfinite(\(column)) THEN ((extract(epoch FROM \(column)) - 978307200) * 1000000)::bigint::text END"
        default: return "\(column)::text"
        }
    }

    // MARK: Reading

    /// Returns the preserved values of an object by the slots of their attributes. Values that do not fit the attributes are
    /// left out.
    static func values(_ json: String, of entity: CompiledEntity, in columns: ServerColumns) -> [Int: StoredValue] {
        guard let object = try? JSONDecoder().decode([String: String].self, from: Data(json.utf8)) else { return [:] }
        var values: [Int: StoredValue] = [:]
        for slot in entity.preservedAttributes() {
            guard let text = object[entity.attributes[slot].name] else { continue }
            values[slot] = value(text, as: entity.attributes[slot].type, column: columns.attribute(slot)?.type)
        }
        return values
    }

    private static func value(_ text: String, as type: AttributeType, column: PostgresType?) -> StoredValue? {
        switch type {
        case .integer16, .integer32, .integer64: return Int64(text).map { .integer($0) }
        case .boolean: return text == "true" ? .integer(1) : text == "false" ? .integer(0) : nil
        case .double: return real(text).map { .real($0) }
        case .float: return Float(text).map { .real(Double($0)) }
        case .decimal: return Decimal(string: text, locale: nil).flatMap { DecimalColumn.store($0) }
        case .date:
            guard column == .timestamptz else { return real(text).map { .real($0) } }
            return Int64(text).map { .real(Microseconds.seconds($0)) }
        case .string, .uri: return .text(text)
        case .uuid:
            return UUID(uuidString: text).map { uuid in .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) }) }
        case .binaryData, .transformable:
            return Data(base64Encoded: text, options: .ignoreUnknownCharacters).map { .blob($0) }
        case .undefined, .objectID, .composite: return nil
        }
    }

    private static func real(_ text: String) -> Double? {
        switch text {
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        default: Double(text)
        }
    }
}
#endif
