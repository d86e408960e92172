import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// A reader that parses the lines of a dump as objects of a model. It rejects all lines that cannot be imported
/// unchanged.
final class DumpReader {
    struct Object {
        var entity: CompiledEntity
        var key: Int64
        /// The number of the line and its length.
        var line: Int
        var size: Int
        /// The attributes, by slot.
        var attributes: [AttributeValue]
        /// The contents of columns that no attribute value can express, by slot.
        var exact: [Int: ExactValue] = [:]
        var toOnes: [RowID?]
        var toManys: [(slot: Int, members: [RowID])]
        /// The links whose destinations are not objects, or not objects that the relationship can refer to.
        var strays: [StrayLink] = []
        /// The rules that the object violates without being rejected.
        var warnings: [String] = []

        var row: RowID { RowID(entity: entity.number, key: key) }
    }

    /// The last line of a dump. Without it, a dump that is truncated between two lines could not be recognized.
    static let end = #"{"sworm-dump":"end"}"#

    let hashes: [String: Data]
    let metadata: [String: Any]
    private let lines: LineReader
    private var isWhole = false
    /// The number of values whose files were missing when the store was dumped.
    private(set) var missingFiles = 0

    /// - Parameter path: The path of a file or a pipe, which is read once; `-` for the standard input.
    init(_ path: String) throws {
        lines = try LineReader(path)
        let header = try lines.next().flatMap(Self.members) ?? [:]
        guard header["sworm-dump"] as? Int == 1, let entities = header["entities"] as? [String: String] else {
            let isLater = header["sworm-dump"] is NSNumber
            throw ToolError(
                .dump,
                "\(lines.name) is not a dump: its first line is not a header"
                    + (isLater ? " that this tool supports" : ""), hint: "create a dump with 'sworm-tool dump STORE'")
        }
        guard header["blobs"] as? String == BlobStyle.base64.rawValue else {
            throw ToolError(
                .dump, "the dump has only hashes of binary data", hint: "dump the store without '--blobs hash'")
        }
        let decoded = entities.compactMapValues { Data(base64Encoded: $0) }
        guard decoded.count == entities.count, let metadata = Self.metadata(header["metadata"]) else {
            throw ToolError(
                .dump, "line 1 of \(lines.name), the header, is damaged",
                hint: "dump the store again with the 'dump' command of this tool")
        }
        hashes = decoded
        self.metadata = metadata
    }

    /// Foundation drops a byte order mark at the start of a string, unless it is escaped.
    private static func members(_ line: Data) -> [String: Any]? {
        var line = line
        let mark = Data([0xEF, 0xBB, 0xBF])
        if line.starts(with: mark) { line = Data(line.dropFirst(mark.count)) }
        guard var found = line.range(of: mark) else {
            return try? JSONSerialization.jsonObject(with: line) as? [String: Any]
        }
        var escaped = Data()
        var start = line.startIndex
        while true {
            escaped += line[start..<found.lowerBound]
            escaped += Data("\\ufeff".utf8)
            start = found.upperBound
            guard let next = line.range(of: mark, in: start..<line.endIndex) else { break }
            found = next
        }
        escaped += line[start...]
        return try? JSONSerialization.jsonObject(with: escaped) as? [String: Any]
    }

    /// Returns the metadata that the application has added, or nil if the value is not valid metadata.
    private static func metadata(_ any: Any?) -> [String: Any]? {
        guard let any, !(any is NSNull) else { return [:] }
        return (any as? String).flatMap { Data(base64Encoded: $0) }.flatMap {
            try? PropertyList.dictionary($0)
        }
    }

    /// The name of the input in messages.
    var name: String { lines.name }

    /// Returns the next object, or nil after the last one. Objects that were appended after the end line are accepted,
    /// too.
    ///
    /// - Throws: ``ToolError`` for a line that cannot be imported, and if the end line is missing.
    func next(_ model: CompiledModel) throws -> Object? {
        while let line = try lines.next() {
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
            guard let members = Self.members(line) else {
                throw issue("is not a JSON object", hint: "it is damaged or truncated; dump the store again")
            }
            if let name = DuplicateMember.name(in: line) {
                throw issue("has the member '\(name)' twice", hint: "remove one of them")
            }
            if members.count == 1, members["sworm-dump"] as? String == "end" {
                isWhole = true
                continue
            }
            return try read(members, size: line.count, in: model)
        }
        guard isWhole else {
            throw ToolError(
                .dump, "\(lines.name) is truncated after line \(lines.number): the last line of a dump is missing",
                hint: "dump the store again; if the dump is complete, add the line \(Self.end)")
        }
        return nil
    }

    func issue(_ what: String, hint: String? = nil) -> ToolError {
        ToolError(
            .dump, "line \(lines.number) of \(lines.name) \(what)",
            hint: hint ?? "correct the line, or dump the store again with the 'dump' command of this tool")
    }

    private func read(_ members: [String: Any], size: Int, in model: CompiledModel) throws -> Object {
        guard let id = members["id"] as? String, let name = ObjectName(id), name.description == id, name.key > 0 else {
            throw issue(
                "has \(members["id"].map { "the id \(DumpValue.shown($0))" } ?? "no id")",
                hint: "an id is the name of the entity and a positive key: Book/p1")
        }
        guard let entity = model.entity(named: name.entity), !entity.isAbstract else {
            let names = model.entities.filter { !$0.isAbstract }.map(\.name)
            throw issue(
                "is an object of '\(name.entity)', which is not an entity of the model",
                hint: nameHint(name.entity, among: names, what: "its entities are"))
        }
        if let other = members["entity"], other as? String != entity.name {
            throw issue("names the entity \(DumpValue.shown(other)), but its id is \(name)")
        }
        let known = ["entity", "id", "attributes", "relations"]
        if let odd = members.keys.sorted().first(where: { !known.contains($0) }) {
            throw issue(
                "has the unknown member '\(odd)' in \(name)",
                hint: "an object has the members \(known.joined(separator: ", ")), and the last two contain its values")
        }
        var object = Object(
            entity: entity, key: name.key, line: lines.number, size: size,
            attributes: entity.attributes.map { _ in .null }, toOnes: entity.relationships.map { _ in nil }, toManys: []
        )
        for (property, value) in try group("attributes", of: members, for: name) {
            try readAttribute(property, value: value, of: name, into: &object)
        }
        for (property, value) in try group("relations", of: members, for: name) {
            try readRelationship(property, value: value, of: name, into: &object, in: model)
        }
        checkRequired(&object, named: name)
        return object
    }

    /// Returns the members of a part of a line in a stable order, so that the same line always produces the same error.
    private func group(_ part: String, of members: [String: Any], for name: ObjectName) throws -> [(String, Any)] {
        guard let found = members[part] as? [String: Any] else {
            let what = members[part].map { "\(DumpValue.shown($0)) as '\(part)'" } ?? "no '\(part)'"
            throw issue("has \(what) of \(name), which must be an object")
        }
        return found.sorted { $0.key < $1.key }
    }

    // MARK: Attributes

    private func readAttribute(_ property: String, value: Any, of name: ObjectName, into object: inout Object) throws {
        let entity = object.entity
        guard case .attribute(let slot)? = entity.slot(named: property), !entity.attributes[slot].isTransient else {
            throw unknown(
                "attribute", named: property, of: name, among: entity.attributes.filter { !$0.isTransient }.map(\.name))
        }
        do {
            let read = try DumpValue(
                value, as: entity.attributes[slot].type, isExternal: entity.attributes[slot].allowsExternalStorage)
            object.attributes[slot] = read.value
            object.exact[slot] = read.exact
            if let warning = read.warning { object.warnings.append("\(name): '\(property)' \(warning)") }
            if read.isMissingFile {
                object.warnings.append("\(name): the external data file of '\(property)' is missing")
                missingFiles += 1
            }
        } catch let mistake as DumpValue.Mistake {
            throw issue("cannot be imported: \(name): '\(property)' \(mistake.words)")
        }
    }

    func unknown(_ kind: String, named property: String, of name: ObjectName, among names: [String]) -> ToolError {
        issue(
            "has the \(kind) '\(property)' in \(name), which does not exist in \(name.entity)",
            hint: nameHint(property, among: names, what: "\(name.entity) has"))
    }

    /// Adds warnings for the missing values that `verify` reports.
    private func checkRequired(_ object: inout Object, named name: ObjectName) {
        func warn(_ property: String) {
            object.warnings.append("\(name) has no value of '\(property)', which the model requires")
        }
        for (slot, attribute) in object.entity.attributes.enumerated()
        where !attribute.isOptional && attribute.derivation == nil && !attribute.isTransient
            && !attribute.name.contains(".") && object.attributes[slot] == .null && object.exact[slot] == nil
        {
            warn(attribute.name)
        }
        for (slot, relationship) in object.entity.relationships.enumerated()
        where !relationship.isOptional && !relationship.isToMany && !relationship.isTransient
            && object.toOnes[slot] == nil && !object.strays.contains(where: { $0.slot == slot })
        {
            warn(relationship.name)
        }
    }
}
