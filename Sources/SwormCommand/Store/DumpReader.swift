import Foundation
import OpenCoreData
import SwormPredicates

/// Reads the lines of a dump as objects of a model.
final class DumpReader {
    struct Object {
        var entity: CompiledEntity
        var key: Int64
        var size: Int
        /// By slot.
        var attributes: [AttributeValue]
        var toOnes: [SaveRequest.Row?]
        var toManys: [(slot: Int, members: [SaveRequest.Row])]
    }

    let hashes: [String: Data]
    let metadata: [String: Any]
    private let lines: LineReader
    private let path: String

    init(_ url: URL) throws {
        lines = try LineReader(url)
        path = url.lastPathComponent
        guard let line = try lines.next(), let header = try? Self.object(line), header["sworm-dump"] as? Int == 1,
            let entities = header["entities"] as? [String: String]
        else {
            throw ToolError(
                .dump, "'\(url.lastPathComponent)' is no dump: its first line is not the header of one",
                hint: "make one with 'sworm-tool dump STORE'")
        }
        guard header["blobs"] as? String == BlobStyle.base64.rawValue else {
            throw ToolError(
                .dump, "the dump has only hashes of binary data", hint: "dump the store without '--blobs hash'")
        }
        hashes = entities.compactMapValues { Data(base64Encoded: $0) }
        let list = (header["metadata"] as? String).flatMap { Data(base64Encoded: $0) }
        metadata =
            try list.map { try PropertyListSerialization.propertyList(from: $0, format: nil) as? [String: Any] ?? [:] }
            ?? [:]
    }

    private static func object(_ line: Data) throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: line) as? [String: Any] ?? [:]
    }

    /// The next object; nil behind the last.
    func next(_ model: CompiledModel) throws -> Object? {
        while let line = try lines.next() {
            if line.isEmpty { continue }
            guard let members = try? Self.object(line), let name = (members["id"] as? String).flatMap(ObjectName.init)
            else { throw fault("is no object of a dump") }
            guard let entity = model.entity(named: name.entity), !entity.isAbstract else {
                throw fault("is an object of '\(name.entity)', of which the model has none")
            }
            return try read(members, entity, name.key, size: line.count, model)
        }
        return nil
    }

    private func fault(_ what: String) -> ToolError {
        ToolError(
            .dump, "line \(lines.number) of '\(path)' \(what)", hint: "dump the store again, with this tool's 'dump'")
    }

    private func read(
        _ members: [String: Any], _ entity: CompiledEntity, _ key: Int64, size: Int, _ model: CompiledModel
    ) throws -> Object {
        var object = Object(
            entity: entity, key: key, size: size, attributes: entity.attributes.map { _ in .null },
            toOnes: entity.relationships.map { _ in nil }, toManys: [])
        for (name, value) in members["attributes"] as? [String: Any] ?? [:] {
            guard case .attribute(let slot)? = entity.slot(named: name) else {
                throw fault("has the attribute '\(name)', which \(entity.name) has not")
            }
            guard let read = Self.value(value, entity.attributes[slot].type) else {
                throw fault("has a value of '\(name)' that is none of its type")
            }
            object.attributes[slot] = read
        }
        func row(_ value: Any, _ name: String) throws -> SaveRequest.Row {
            guard let target = (value as? String).flatMap(ObjectName.init),
                let entity = model.entity(named: target.entity)
            else { throw fault("has a relationship '\(name)' that leads to no object: \(value)") }
            return SaveRequest.Row(entity: entity.number, key: target.key)
        }
        for (name, value) in members["relations"] as? [String: Any] ?? [:] {
            guard case .relationship(let slot)? = entity.slot(named: name) else {
                throw fault("has the relationship '\(name)', which \(entity.name) has not")
            }
            if value is NSNull { continue }
            if let list = value as? [Any] {
                object.toManys.append((slot, try list.map { try row($0, name) }))
            } else {
                object.toOnes[slot] = try row(value, name)
            }
        }
        return object
    }

    private static func value(_ any: Any, _ type: SwormPredicates.AttributeType) -> AttributeValue? {
        if any is NSNull { return .null }
        switch type {
        case .integer16, .integer32, .integer64: return (any as? NSNumber).map { .int($0.int64Value) }
        case .boolean: return (any as? NSNumber).map { .bool($0.boolValue) }
        case .double, .float:
            return (any as? NSNumber).map { .double($0.doubleValue) }
                ?? (any as? String).flatMap(Double.init).map { .double($0) }
        case .decimal:
            guard let text = any as? String else { return (any as? NSNumber).map { .double($0.doubleValue) } }
            return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map { .decimal($0) }
        case .string: return (any as? String).map { .string($0) }
        case .uri: return (any as? String).flatMap { URL(string: $0) }.map { .url($0) }
        case .date:
            let seconds =
                (any as? String).flatMap { DateText.seconds($0) ?? Double($0) } ?? (any as? NSNumber)?.doubleValue
            return seconds.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case .uuid: return (any as? String).flatMap(UUID.init).map { .uuid($0) }
        case .binaryData, .transformable: return (any as? String).flatMap { Data(base64Encoded: $0) }.map { .data($0) }
        case .undefined, .objectID, .composite: return nil
        }
    }
}
