import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Value transformers", .overEachStore)
struct TransformerTests {
    /// A transformer of the application's own: points as two bytes.
    struct Point: Equatable { var x: UInt8, y: UInt8 }

    final class PointTransformer: ValueTransformer {
        override func transformedValue(_ value: Any?) -> Any? { (value as? Point).map { Data([$0.x, $0.y]) } }

        override func reverseTransformedValue(_ value: Any?) -> Any? {
            guard let data = value as? Data, data.count == 2 else { return nil }
            return Point(x: data[data.startIndex], y: data[data.startIndex + 1])
        }
    }

    final class ArraysOnly: NSSecureUnarchiveFromDataTransformer {
        override class var allowedTopLevelClasses: [AnyClass] { [NSArray.self] }
    }

    private func context(_ transformer: String?, optional: Bool = true) throws -> NSManagedObjectContext {
        let thing = Build.entity(
            "Thing",
            [
                Build.attribute("value", .transformableAttributeType, optional: optional) {
                    $0.valueTransformerName = transformer
                }, Build.attribute("name"),
            ])
        return GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(thing)))
    }

    /// A name that no other test registers.
    private func register(_ transformer: ValueTransformer) -> String {
        let name = "Test-\(UUID().uuidString)"
        ValueTransformer.setValueTransformer(transformer, forName: NSValueTransformerName(name))
        return name
    }

    // MARK: The registry

    @Test func `transformers are registered under names`() {
        let name = NSValueTransformerName("Test-\(UUID().uuidString)")
        #expect(ValueTransformer(forName: name) == nil)
        let transformer = PointTransformer()
        ValueTransformer.setValueTransformer(transformer, forName: name)
        #expect(ValueTransformer(forName: name) === transformer)
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        ValueTransformer.setValueTransformer(nil, forName: name)
        #expect(ValueTransformer(forName: name) == nil && !ValueTransformer.valueTransformerNames().contains(name))
    }

    @Test func `the transformers of Foundation are there from the start`() {
        func result(_ name: NSValueTransformerName, _ value: Any?) -> Bool? {
            ValueTransformer(forName: name)?.transformedValue(value) as? Bool
        }
        #expect(result(.negateBooleanTransformerName, true) == false)
        #expect(result(.negateBooleanTransformerName, false) == true)
        #expect(result(.isNilTransformerName, nil) == true && result(.isNilTransformerName, 1) == false)
        #expect(result(.isNotNilTransformerName, nil) == false && result(.isNotNilTransformerName, 1) == true)
        #expect(ValueTransformer(forName: .unarchiveFromDataTransformerName) == nil)
        let secure = ValueTransformer(forName: .secureUnarchiveFromDataTransformerName)
        #expect(secure is NSSecureUnarchiveFromDataTransformer)
        let archive = secure?.reverseTransformedValue(["a"])
        #expect(secure?.transformedValue(archive) as? [String] == ["a"])
        #expect(secure?.transformedValue(Data([1])) == nil && secure?.transformedValue(nil) == nil)
        #expect(secure?.reverseTransformedValue(Point(x: 1, y: 2)) == nil)
    }

    // MARK: Attributes

    /// Values of each property list class.
    private static var values: [Any] {
        [
            "text \u{1F30A}", 7, -1.5, true, Decimal(string: "12345678901234567890.25") ?? 0,
            Date(timeIntervalSince1970: 9),
            Data([1, 2]), UUID(), URL(fileURLWithPath: "/tmp"), [1, 2, 3], ["b": 1, "a": [true, "x"]], Set(["x", "y"]),
            [NSNull(), "after"] as [Any], [] as [Any],
        ]
    }

    @Test(arguments: [
        nil, "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSKeyedUnarchiveFromData",
    ])
    func `values of property list classes come back from their archives`(transformer: String?) throws {
        let context = try context(transformer)
        for value in Self.values {
            let thing = try context.make("Thing", ["value": value])
            try context.save()
            let data = try thing.transformedData("value")
            #expect(data.starts(with: Data("bplist00".utf8)), "\(value)")
            context.refresh(thing, mergeChanges: false)
            let read = try #require(thing.value(forKey: "value"))
            #expect(AnyHashable(value: read) == AnyHashable(value: value), "\(value)")
            #expect(
                thing.primitiveValue(forKey: "value") != nil && thing.committedValues(forKeys: ["value"]).count == 1)
            // An equal value has the same archive, and is no change.
            thing.setValue(value, forKey: "value")
            #expect(thing.changedValues().isEmpty, "\(value)")
        }
        let none = try context.make("Thing")
        try context.save()
        #expect(none.value(forKey: "value") == nil)
    }

    @Test func `Foundation's own classes are archived like Swift's types`() throws {
        let context = try context(nil)
        let thing = try context.make(
            "Thing", ["value": NSDictionary(object: NSArray(array: [NSString("a")]), forKey: NSString("k"))])
        #expect(thing.value(forKey: "value") as? [String: [String]] == ["k": ["a"]])
        thing.setValue(NSSet(array: [NSNumber(value: 1)]), forKey: "value")
        #expect(thing.value(forKey: "value") as? Set<AnyHashable> == [NSNumber(value: 1)])
    }

    @Test func `an archive is what Foundation's own reader expects`() throws {
        let context = try context(nil)
        let thing = try context.make("Thing", ["value": ["list": [1, 2], "name": "x"] as [String: Any]])
        let read = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [NSDictionary.self, NSArray.self, NSString.self, NSNumber.self],
            from: thing.transformedData("value"))
        let dictionary = try #require(read as? [String: Any])
        #expect(dictionary["name"] as? String == "x" && dictionary["list"] as? [Int] == [1, 2])
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: NSArray(array: [NSString("é"), NSNumber(value: 2), NSDate(timeIntervalSince1970: 0)]),
            requiringSecureCoding: true)
        thing.setAccessedAttribute("value", to: .data(archive))
        let list = try #require(thing.value(forKey: "value") as? [Any])
        #expect(
            list.first as? String == "é" && list[1] as? Int == 2 && list[2] as? Date == Date(timeIntervalSince1970: 0))
    }

    @Test func `a transformer of the application's own converts values to data and back`() throws {
        let context = try context(register(PointTransformer()))
        let thing = try context.make("Thing", ["value": Point(x: 3, y: 4)])
        try context.save()
        #expect(try thing.transformedData("value") == Data([3, 4]))
        context.refreshAllObjects()
        #expect(thing.value(forKey: "value") as? Point == Point(x: 3, y: 4))
        thing.setValue("no point", forKey: "value")
        let error = try #require(coreDataError { try context.save() })
        #expect(error.key == "value" && error.message.contains("returned no data"))
        thing.setValue(nil, forKey: "value")
        try context.save()
        #expect(thing.value(forKey: "value") == nil)
    }

    @Test func `an attribute whose transformer is not registered is an error that says so`() throws {
        let context = try context("ColorTransformer", optional: false)
        let thing = try context.make("Thing", ["value": "red"])
        let error = try #require(coreDataError { try context.save() })
        #expect(error.message.contains("'ColorTransformer'") && error.message.contains("setValueTransformer"))
        thing.setAccessedAttribute("value", to: .data(Data([1])))
        thing.setValue("x", forKey: "name")
        context.rollback()
        let other = try context.make("Thing")
        other.setAccessedAttribute("value", to: .data(Data([1])))
        try context.save()
        // The value is nil, and the next fetch throws the reason once. The data is untouched.
        #expect(other.value(forKey: "value") == nil)
        #expect(coreDataError { _ = try context.all("Thing") }?.message.contains("'ColorTransformer'") ?? false)
        #expect(try context.all("Thing").count == 1)
        other.setValue("y", forKey: "name")
        try context.save()
        #expect(try other.transformedData("value") == Data([1]))
    }

    @Test func `only allowed classes are read and written by a subclass`() throws {
        let context = try context(register(ArraysOnly()))
        let thing = try context.make("Thing", ["value": ["a"]])
        try context.save()
        #expect(thing.value(forKey: "value") as? [String] == ["a"])
        thing.setValue("a", forKey: "value")
        #expect(coreDataError { try context.save() }?.message.contains("allowedTopLevelClasses") ?? false)
    }

    @Test func `bytes that are no archive are data, if the attribute names no transformer`() throws {
        let context = try context(nil)
        let thing = try context.make("Thing")
        thing.setAccessedAttribute("value", to: .data(Data([1, 2, 3])))
        #expect(thing.value(forKey: "value") as? Data == Data([1, 2, 3]))
        let secure = try self.context("NSSecureUnarchiveFromData")
        let other = try secure.make("Thing")
        other.setAccessedAttribute("value", to: .data(Data([1, 2, 3])))
        #expect(other.value(forKey: "value") == nil)
        #expect(coreDataError { try secure.save() }?.message.contains("'NSSecureUnarchiveFromData'") ?? false)
    }

    // MARK: Hostile archives

    /// Archives that no transformer reads, with a part of the reason.
    private static var hostile: [(Data, String)] {
        func archive(_ make: (inout KeyedArchiveWriter) -> PropertyListValue) -> Data {
            var writer = KeyedArchiveWriter()
            let root = make(&writer)
            return writer.data(root: root)
        }
        let own = archive { $0.object(["MyApp.Bomb", "NSObject"], fields: ["fuse": .int(1)]) }
        let inner = archive { writer in
            let bomb = writer.object(["NSTask", "NSObject"], fields: [:])
            return writer.array([bomb])
        }
        let loop = archive { writer in
            let number = writer.reserve()
            writer.write(number, lineage: ["NSArray", "NSObject"], fields: ["NS.objects": .array([.uid(number)])])
            return .uid(number)
        }
        let deep = archive { writer in
            var list = writer.array([])
            for _ in 0..<100 { list = writer.array([list]) }
            return list
        }
        // Each list contains the one before, which has been read by then.
        let ladder = archive { writer in
            var lists = [writer.array([])]
            for step in 0..<100 { lists.append(writer.array([lists[step]])) }
            return writer.array(lists)
        }
        let wide = archive { writer in
            var list = writer.array([writer.string("x"), writer.string("y")])
            for _ in 0..<40 { list = writer.array([list, list, list, list]) }
            return list
        }
        let shared = archive { writer in
            let text = writer.string("x")
            let elements = writer.plain(.array(Array(repeating: text, count: 2000)))
            let lists = (0..<1000).map { _ in
                writer.object(["NSArray", "NSObject"], fields: ["NS.objects": elements])
            }
            return writer.array(lists)
        }
        let pages = archive { writer in
            let bytes = PropertyListValue.data(Data(repeating: 0x61, count: 64 << 10))
            let texts = (0..<300).map { _ in
                writer.object(["NSString", "NSObject"], fields: ["NS.bytes": bytes])
            }
            return writer.array(texts)
        }
        let date = archive { $0.object(["NSDate", "NSObject"], fields: ["NS.time": .real(1e300)]) }
        let fields = archive { $0.object(["NSArray", "NSObject"], fields: ["NS.objects": .int(7)]) }
        let pairs = archive {
            $0.object(["NSDictionary", "NSObject"], fields: ["NS.keys": .array([]), "NS.objects": .array([.uid(0)])])
        }
        let hole = archive { $0.array([KeyedArchiveWriter.null]) }
        let set = archive { writer in
            let member = writer.array([])
            return writer.set([member])
        }
        return [
            (own, "'MyApp.Bomb', which is not a property list class"), (inner, "'NSTask'"), (loop, "contains itself"),
            (deep, "levels deep"), (ladder, "levels deep"), (wide, "too often"), (shared, "more than 1048576 elements"),
            (pages, "bytes of text"), (date, "out of range"), (fields, "lacks its elements"),
            (pairs, "keys or values"), (hole, "missing"), (set, "is a collection"),
            (Data("bplist00".utf8), "not a binary property list"),
            (own.prefix(own.count - 9), "the trailer of the property list is invalid"),
        ]
    }

    @Test func `a hostile archive is an error of the next fetch, and nothing else`() throws {
        let context = try context(nil)
        for (data, reason) in Self.hostile {
            let thing = try context.make("Thing")
            thing.setAccessedAttribute("value", to: .data(data))
            #expect(thing.value(forKey: "value") == nil, "\(reason)")
            let error = try #require(coreDataError { _ = try context.all("Thing") }, "\(reason)")
            #expect(error.key == "value" && error.message.contains(reason), "\(error.message)")
            #expect(error.message.contains("'Thing.value'"))
        }
        try context.save()
        #expect(try context.all("Thing").count == Self.hostile.count)
    }

    @Test func `a text that occurs often in an archive is created once`() throws {
        var writer = KeyedArchiveWriter()
        let text = writer.object(
            ["NSString", "NSObject"], fields: ["NS.bytes": .data(Data(repeating: 0x61, count: 1 << 20))])
        let root = writer.array(Array(repeating: text, count: 20))
        let data = writer.data(root: root)
        let content = try #require(try ArchivedValue(archive: data))
        let list = try #require(content.value as? [Any])
        func address(_ element: Any?) -> UInt? {
            (element as? String)?.utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) }
        }
        #expect(list.count == 20 && (list.last as? String)?.utf8.count == 1 << 20)
        let first = try #require(address(list.first))
        #expect(address(list.last) == first)
    }

    @Test(arguments: [true, false])
    func `a long text that is a member or a key very often is not read`(isSet: Bool) throws {
        func archive(uses: Int) -> Data {
            var writer = KeyedArchiveWriter()
            let text = writer.object(
                ["NSString", "NSObject"], fields: ["NS.bytes": .data(Data(repeating: 0x61, count: 1 << 20))])
            let elements = Array(repeating: text, count: uses)
            let root =
                isSet
                ? writer.set(elements) : writer.dictionary(keys: elements, values: elements, isMutable: false)
            return writer.data(root: root)
        }
        #expect(try ArchivedValue(archive: archive(uses: 2)) != nil)
        let error = try #require(throws: ArchiveError.self) { _ = try ArchivedValue(archive: archive(uses: 300)) }
        #expect("\(error)".contains("members and keys"))
    }

    @Test func `many data with the same beginning are not read as members`() throws {
        func archive(count: Int) -> Data {
            var writer = KeyedArchiveWriter()
            let members = (0..<count).map { number in
                let bytes = Data(repeating: 0, count: 80) + Data([UInt8(number & 255), UInt8(number >> 8)])
                return writer.object(["NSData", "NSObject"], fields: ["NS.data": .data(bytes)])
            }
            let root = writer.set(members)
            return writer.data(root: root)
        }
        #expect(try ArchivedValue(archive: archive(count: 1000)) != nil)
        let error = try #require(throws: ArchiveError.self) { _ = try ArchivedValue(archive: archive(count: 1001)) }
        #expect("\(error)".contains("the same beginning"))
    }

    @Test func `the limit of the depth is the same for an object that was read before`() {
        func isRead(levels: Int, leafFirst: Bool) -> Bool {
            var writer = KeyedArchiveWriter()
            let leaf = writer.object(["NSDate", "NSObject"], fields: ["NS.time": .real(1)])
            var list = leaf
            for _ in 1..<levels { list = writer.array([list]) }
            let root = writer.array(leafFirst ? [leaf, list] : [list, leaf])
            do {
                return try ArchivedValue(archive: writer.data(root: root)) != nil
            } catch {
                #expect("\(error)".contains("levels deep"))
                return false
            }
        }
        #expect(isRead(levels: 63, leafFirst: true) && isRead(levels: 63, leafFirst: false))
        #expect(!isRead(levels: 64, leafFirst: true) && !isRead(levels: 64, leafFirst: false))
    }

    @Test func `any damage to an archive is survived`() throws {
        let context = try context("NSSecureUnarchiveFromData")
        let thing = try context.make("Thing", ["value": ["a": [1, 2.5, "b"], "c": Set(["d"])] as [String: Any]])
        let archive = try thing.transformedData("value")
        var readable = 0
        for place in archive.indices {
            for change in [UInt8(1), 0x80, 0xFF] {
                var damaged = archive
                damaged[place] ^= change
                thing.setAccessedAttribute("value", to: .data(damaged))
                if thing.value(forKey: "value") != nil { readable += 1 }
                _ = coreDataError { try context.throwReadError() }
            }
        }
        #expect(readable < 3 * archive.count)
    }

    // MARK: Requests

    @Test func `dictionaries and batches have the values`() throws {
        let context = try context(register(PointTransformer()))
        let insertion = NSBatchInsertRequest(
            entityName: "Thing", objects: [["value": Point(x: 1, y: 2), "name": "a"], ["name": "b"]])
        _ = try context.execute(insertion)
        let request = NSFetchRequest<NSDictionary>(entityName: "Thing")
        request.resultType = .dictionaryResultType
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        #expect(try context.fetch(request).map { $0["value"] as? Point } == [Point(x: 1, y: 2), nil])
        let update = NSBatchUpdateRequest(entityName: "Thing")
        update.propertiesToUpdate = ["value": Point(x: 5, y: 6)]
        _ = try context.execute(update)
        request.propertiesToFetch = ["value"]
        request.returnsDistinctResults = true
        request.sortDescriptors = nil
        #expect(try context.fetch(request).map { $0["value"] as? Point } == [Point(x: 5, y: 6)])
        update.propertiesToUpdate = ["value": "no point"]
        #expect(coreDataError { _ = try context.execute(update) }?.key == "value")
    }

    @Test func `a validation method of a subclass sees the value`() throws {
        let entity = Build.entity("Tagged", [Build.attribute("tags", .transformableAttributeType)])
        entity.managedObjectClassName = "OpenCoreDataTests.Tagged"
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(entity)))
        let tagged = try context.make("Tagged", [:])
        let object = Tagged(entity: tagged.entity, insertInto: context)
        context.delete(tagged)
        object.setValue(["a"], forKey: "tags")
        try context.save()
        #expect(object.seen == ["a"])
        object.setValue(["refused"], forKey: "tags")
        #expect(coreDataError { try context.save() } == nil)
        #expect(object.value(forKey: "tags") as? [String] == ["replaced"])
    }
}

/// An object that looks at its tags before they are saved.
final class Tagged: NSManagedObject {
    private(set) var seen: [String] = []

    override func validateValue(_ value: inout Any?, forKey key: String) throws {
        try super.validateValue(&value, forKey: key)
        seen = value as? [String] ?? []
        if seen == ["refused"] { value = ["replaced"] }
    }
}

extension AnyHashable {
    /// A value of a property list class, so that it can be compared.
    fileprivate init(value: Any) {
        switch value {
        case let number as NSNumber: self = AnyHashable(number)
        case let number as Decimal: self = AnyHashable(NSDecimalNumber(decimal: number))
        case let number as Int: self = AnyHashable(NSNumber(value: number))
        case let number as Double: self = AnyHashable(NSNumber(value: number))
        case let flag as Bool: self = AnyHashable(NSNumber(value: flag))
        case let list as [Any]: self = AnyHashable(list.map { AnyHashable(value: $0) })
        case let pairs as [String: Any]: self = AnyHashable(pairs.mapValues { AnyHashable(value: $0) })
        case let hashable as AnyHashable: self = hashable
        default: self = AnyHashable("\(value)")
        }
    }
}
