package import Foundation

/// A writer of keyed archives: objects with the names of their classes, in the format of `NSKeyedArchiver`.
///
/// An object gets its number before its fields are known, so that objects may refer to each other.
package struct KeyedArchiveWriter {
    private var objects: [PropertyListValue] = [.string("$null")]
    private var classes: [String: Int] = [:]
    private var texts: [PropertyListValue: Int] = [:]

    package init() {}

    package static let null = PropertyListValue.uid(0)

    /// Returns a number for an object that is written later.
    package mutating func reserve() -> Int {
        objects.append(.dictionary([:]))
        return objects.count - 1
    }

    /// Writes the object with a number.
    ///
    /// - Parameter lineage: The names of its class and of its superclasses, the class itself first.
    package mutating func write(_ number: Int, lineage: [String], fields: [String: PropertyListValue]) {
        var fields = fields
        fields["$class"] = .uid(classNumber(lineage))
        objects[number] = .dictionary(fields)
    }

    package mutating func object(_ lineage: [String], fields: [String: PropertyListValue]) -> PropertyListValue {
        let number = reserve()
        write(number, lineage: lineage, fields: fields)
        return .uid(number)
    }

    /// Archives a plain value as a separate object. Equal values share one object.
    mutating func plain(_ value: PropertyListValue) -> PropertyListValue {
        if let known = texts[value] { return .uid(known) }
        objects.append(value)
        texts[value] = objects.count - 1
        return .uid(objects.count - 1)
    }

    package mutating func string(_ text: String?) -> PropertyListValue { text.map { plain(.string($0)) } ?? Self.null }

    package mutating func array(_ elements: [PropertyListValue], isMutable: Bool = false) -> PropertyListValue {
        object(
            (isMutable ? ["NSMutableArray"] : []) + ["NSArray", "NSObject"], fields: ["NS.objects": .array(elements)])
    }

    package mutating func set(_ elements: [PropertyListValue]) -> PropertyListValue {
        object(["NSSet", "NSObject"], fields: ["NS.objects": .array(elements)])
    }

    package mutating func dictionary(
        _ pairs: [(key: String, value: PropertyListValue)], isMutable: Bool = false
    ) -> PropertyListValue {
        let keys = pairs.map { string($0.key) }
        return dictionary(keys: keys, values: pairs.map(\.value), isMutable: isMutable)
    }

    mutating func dictionary(
        keys: [PropertyListValue], values: [PropertyListValue], isMutable: Bool
    ) -> PropertyListValue {
        object(
            (isMutable ? ["NSMutableDictionary"] : []) + ["NSDictionary", "NSObject"],
            fields: ["NS.keys": .array(keys), "NS.objects": .array(values)])
    }

    /// Returns the archive of an object.
    package func data(root: PropertyListValue) -> Data {
        BinaryPropertyListWriter.data(
            .dictionary([
                "$version": .int(100_000), "$archiver": .string("NSKeyedArchiver"),
                "$top": .dictionary(["root": root]), "$objects": .array(objects),
            ]))
    }

    private mutating func classNumber(_ lineage: [String]) -> Int {
        let name = lineage.first ?? "NSObject"
        if let known = classes[name] { return known }
        objects.append(
            .dictionary(["$classname": .string(name), "$classes": .array(lineage.map { .string($0) })]))
        classes[name] = objects.count - 1
        return objects.count - 1
    }
}
