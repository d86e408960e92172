package import Foundation

/// A parsed keyed archive: objects with the names of their classes and their fields.
///
/// No class is looked up, and only the values that the reader accesses are created.
package struct KeyedArchive {
    /// The value of a field, or an element of a list.
    package enum Value {
        case null
        case bool(Bool)
        case int(Int64)
        case real(Double)
        case data(Data)
        case string(String)
        case list([Value])
        case object(Object)
    }

    /// An archived object: its position in the archive, its class and its fields.
    package struct Object {
        package let number: Int
        package let className: String
        /// The node of the fields. They are looked up in place, because copies of all fields would be many times
        /// larger than the archive.
        fileprivate let node: Int
    }

    private let list: BinaryPropertyList
    /// The numbers of the nodes of the archived objects.
    private let entries: [Int]
    /// The objects among the entries; nil for plain values.
    private let objects: [Object?]
    private let top: [String: Int]

    package init(_ data: Data) throws(ArchiveError) {
        list = try BinaryPropertyList(data)
        let root = Self.fields(of: list.node(list.root), in: list)
        guard case .string("NSKeyedArchiver")? = root["$archiver"].map(list.node),
            case .array(let entries)? = root["$objects"].map(list.node), let top = root["$top"]
        else { throw ArchiveError("the property list is not a keyed archive") }
        self.entries = entries
        self.top = Self.fields(of: list.node(top), in: list)
        var names: [Int: String] = [:]
        objects = entries.enumerated().map { [list] number, node in
            guard let link = Self.field("$class", of: node, in: list), case .uid(let uid) = list.node(link),
                entries.indices.contains(uid)
            else { return nil }
            if let name = names[uid] { return Object(number: number, className: name, node: node) }
            guard case .string(let name)? = Self.field("$classname", of: entries[uid], in: list).map(list.node) else {
                return nil
            }
            names[uid] = name
            return Object(number: number, className: name, node: node)
        }
    }

    /// The value that was archived.
    package var content: Value { value(node: top["root"]) }

    /// The object that was archived; nil for a plain value.
    package var root: Object? {
        guard case .object(let object) = content else { return nil }
        return object
    }

    /// The archived dictionaries, in the order of the archive.
    package var dictionaries: [Object] {
        objects.compactMap { object in
            guard let object, ["NSDictionary", "NSMutableDictionary"].contains(object.className) else { return nil }
            return object
        }
    }

    /// Accesses the value of a field of an object; null for a field that the object does not have.
    package subscript(object: Object, field: String) -> Value {
        value(node: Self.field(field, of: object.node, in: list))
    }

    private func value(node: Int?) -> Value {
        guard let node else { return .null }
        if case .array(let nodes) = target(of: node) { return .list(nodes.map(element)) }
        return element(node)
    }

    /// Returns an element of a list. Lists inside lists are archived as objects, so a plain list here counts as null.
    private func element(_ node: Int) -> Value {
        if case .uid(let uid) = list.node(node), entries.indices.contains(uid), let object = objects[uid] {
            return .object(object)
        }
        return switch target(of: node) {
        case .bool(let flag): .bool(flag)
        case .int(let number): .int(number)
        case .real(let number), .date(let number): .real(number)
        case .data(let data): .data(data)
        case .string(let text): .string(text)
        case .null, .uid, .dictionary, .array, .set, .unsigned: .null
        }
    }

    /// Returns the node itself, or the entry that it refers to.
    private func target(of node: Int) -> BinaryPropertyList.Node {
        guard case .uid(let uid) = list.node(node) else { return list.node(node) }
        // The first entry represents nil. Its string, "$null", may be an ordinary string elsewhere.
        guard uid > 0 else { return .null }
        return entries.indices.contains(uid) ? list.node(entries[uid]) : .null
    }

    /// The maximum number of fields. No class of a model has nearly as many, and more would make each lookup slow.
    private static let fieldLimit = 64

    /// Returns the node of a field, or nil if the object does not have the field.
    private static func field(_ name: String, of node: Int, in list: BinaryPropertyList) -> Int? {
        guard case .dictionary(let keys, let values) = list.node(node), keys.count <= fieldLimit else { return nil }
        for (index, key) in keys.enumerated() {
            if case .string(name) = list.node(key) { return values[index] }
        }
        return nil
    }

    private static func fields(of node: BinaryPropertyList.Node, in list: BinaryPropertyList) -> [String: Int] {
        guard case .dictionary(let keys, let values) = node else { return [:] }
        var fields: [String: Int] = [:]
        for (key, value) in zip(keys, values) {
            if case .string(let name) = list.node(key) { fields[name] = value }
        }
        return fields
    }
}

// The fields of an object in the forms that readers need.
extension KeyedArchive {
    package func object(of object: Object, field: String) -> Object? {
        if case .object(let found) = self[object, field] { found } else { nil }
    }

    package func string(of object: Object, field: String) -> String? { string(self[object, field]) }

    package func int(of object: Object, field: String) -> Int? {
        switch self[object, field] {
        case .int(let number): Int(exactly: number)
        case .bool(let flag): flag ? 1 : 0
        case .real(let number): Int(exactly: number)
        default: nil
        }
    }

    package func flag(of object: Object, field: String) -> Bool {
        int(of: object, field: field).map { $0 != 0 } ?? false
    }

    /// Returns a string, including one that was archived as an object.
    package func string(_ value: Value) -> String? {
        switch value {
        case .string(let text): return text
        case .object(let object) where ["NSString", "NSMutableString"].contains(object.className):
            if case .string(let text) = self[object, "NS.string"] { return text }
            if case .data(let data) = self[object, "NS.bytes"] { return String(decoding: data, as: UTF8.self) }
            return nil
        default: return nil
        }
    }

    /// Returns the elements of an array or a set.
    package func elements(_ value: Value) -> [Value] {
        switch value {
        case .list(let elements): elements
        case .object(let object): if case .list(let elements) = self[object, "NS.objects"] { elements } else { [] }
        default: []
        }
    }

    /// Returns the pairs of a dictionary, including one whose keys are stored in a separate object.
    package func pairs(_ value: Value) -> [(key: Value, value: Value)] {
        guard case .object(let object) = value else { return [] }
        if let mapping = self.object(of: object, field: "searchMapping") {
            return Array(zip(elements(self[mapping, "keys"]), elements(self[object, "values"])))
                .map { (key: $0, value: $1) }
        }
        guard case .list(let keys) = self[object, "NS.keys"], case .list(let values) = self[object, "NS.objects"]
        else { return [] }
        return zip(keys, values).map { (key: $0, value: $1) }
    }
}
