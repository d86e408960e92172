import Foundation
import SwormSQLite
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Property lists of files")
struct PropertyListTests {
    /// A binary property list of objects in their binary form; references have one byte.
    private static func list(_ objects: [[UInt8]]) -> Data {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for offset in offsets { bytes += number(offset, 2) }
        return Data(
            bytes + [0, 0, 0, 0, 0, 0, 2, 1] + number(objects.count, 8) + number(0, 8) + number(table, 8))
    }

    /// A dictionary with the key “k” and what the objects from the third on make.
    private static func dictionary(_ objects: [UInt8]...) -> Data { list([[0xD1, 1, 2], [0x51, 0x6B]] + objects) }

    private static let letter: [UInt8] = [0x51, 0x61]

    /// Lists that Foundation's reader on Linux crashed on, or that are no dictionaries of known values.
    static let damaged: [(name: String, data: Data)] = [
        ("a set as the root", list([[0xC1, 1], letter])),
        ("a set", dictionary([0xC1, 3], letter)),
        ("a set of sets", list([[0xC1, 1], [0xC1, 2], letter])),
        ("a set of an array", dictionary([0xC1, 3], [0xA1, 4], letter)),
        ("a set of a dictionary", dictionary([0xC1, 3], [0xD1, 4, 4], letter)),
        ("an array as a key", list([[0xD1, 1, 2], [0xA1, 2], letter])),
        ("a reference of an archive", dictionary([0x80, 5])),
        ("a set of data", dictionary([0xC1, 3], [0x41, 0x61])),
        ("a set of a number", dictionary([0xC1, 3], [0x10, 5])),
        ("a set of a date", dictionary([0xC1, 3], [0x33, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0])),
        ("a set of a truth", dictionary([0xC1, 3], [9])),
        ("a set of a real", dictionary([0xC1, 3], [0x23, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0])),
        ("a set of a reference", dictionary([0xC1, 3], [0x80, 5])),
        ("an empty set", dictionary([0xC0])),
        ("a null", dictionary([0x00])),
        ("a fill byte", dictionary([0x0F])),
        ("200 arrays inside one another", list((1...200).map { [0xA1, UInt8($0)] } + [letter])),
        ("an array that contains itself", dictionary([0xA1, 2])),
        ("a dictionary that contains itself", list([[0xD1, 1, 0], [0x51, 0x6B]])),
        ("an array of two to the power of fifty", list((1...50).map { [0xA2, UInt8($0), UInt8($0)] } + [letter])),
        ("a date outside of every calendar", dictionary([0x33, 0x7E, 0xF0, 0, 0, 0, 0, 0, 0])),
        ("no list", Data("nothing".utf8)), ("nothing", Data()),
        ("a list that is cut off", Data(dictionary([0x10, 5]).dropLast(9))),
    ]

    @Test func `the metadata of Apple's stores are read as Foundation reads them`() throws {
        for url in AppleStores.storeURLs {
            guard let row = try PlainStore(copyOf: url).rows["Z_METADATA"]?.first,
                case .blob(let data)? = row["Z_PLIST"]
            else { continue }
            let own = try #require(try PropertyList.dictionary(data))
            let theirs = try PropertyListSerialization.propertyList(from: data, format: nil)
            #expect(NSDictionary(dictionary: own) == (theirs as? [String: Any]).map(NSDictionary.init(dictionary:)))
        }
    }

    private static var values: [String: Any] {
        [
            "string": "Ä & <b> \u{1F600}", "empty": "", "yes": true, "no": false, "int": -7, "large": Int64.max,
            "real": 0.1, "date": Date(timeIntervalSinceReferenceDate: 801_014_400), "data": Data([0, 1, 255]),
            "list": ["a", 1, [Any]()] as [Any], "group": ["k": ["l": "m"]],
        ]
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func `values are read as they were written`(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: Self.values, format: format, options: 0)
        let read = try #require(try PropertyList.dictionary(data))
        #expect(NSDictionary(dictionary: read) == NSDictionary(dictionary: Self.values))
    }

    @Test func `a handwritten list may have comments, CDATA sections, references and hexadecimal numbers`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <!-- a comment --> <plist version="1.0"><dict>
            <key>a&amp;b</key><string>x<![CDATA[<y>&]]>&#65;&#x42;</string>
            <key>n</key><integer> 0x1F </integer><key>m</key><integer>-0x10</integer>
            <key>u</key><integer>18446744073709551615</integer>
            <key>d</key><date>1969-12-31T23:59:59Z</date><key>z</key><array/><key>t</key><true></true>
            </dict></plist>

            """
        let read = try #require(try PropertyList.dictionary(Data(text.utf8)))
        #expect(read["a&b"] as? String == "x<y>&AB")
        #expect((read["n"] as? NSNumber)?.intValue == 31 && (read["m"] as? NSNumber)?.intValue == -16)
        #expect((read["u"] as? NSNumber)?.uint64Value == .max)
        #expect(read["d"] as? Date == Date(timeIntervalSince1970: -1))
        #expect((read["z"] as? [Any])?.isEmpty == true && read["t"] as? Bool == true)
    }

    @Test(arguments: [
        "<plist><dict>", "<plist><dict><string>a</string></dict></plist>", "<plist><set/></plist>", "<plist></plist>",
        "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>",
        "<plist><string>&b;</string></plist>",
        "<plist><string>&#xD800;</string></plist>", "<plist><integer>9e9</integer></plist>",
        "<plist><integer>99999999999999999999</integer></plist>", "<plist><date>2001</date></plist>",
        "<plist><date>2001-13-01T00:00:00Z</date></plist>", "<plist><string>a", "<plist><string/></plist><plist/>",
        "<plist><array><string/></array><array/></plist>", "<plist><string><![CDATA[</string></plist>",
        "<plist><true>x</true></plist>", "<", "<plist", "</plist>", "<plist><dict><key>a</key></dict></plist>",
    ])
    func `XML that is not a property list is an error`(_ text: String) {
        #expect(throws: ArchiveError.self) { try PropertyList.objects(Data(text.utf8)) }
    }

    @Test func `XML of a great depth is an error`() {
        let text = "<plist>" + String(repeating: "<array>", count: 100_000)
        #expect(throws: ArchiveError.self) { try PropertyList.objects(Data(text.utf8)) }
    }

    @Test func `a damaged list is an error, in a store too`() throws {
        let folder = try StoreFolder()
        let model = GraphLibrary.model()
        try SQLiteStore.open(url: folder.url(), model: model.compiled()).close()
        for (name, data) in Self.damaged {
            #expect(throws: ArchiveError.self, "\(name)") {
                guard try PropertyList.dictionary(data) != nil else { throw ArchiveError("it is no dictionary") }
            }
            let hex = data.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
            try folder.raw().execute("UPDATE Z_METADATA SET Z_PLIST = x'\(hex)'")
            for isReadOnly in [false, true] {
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                let error = coreDataError {
                    try coordinator.addPersistentStore(
                        ofType: NSSQLiteStoreType, configurationName: nil, at: folder.url(),
                        options: [NSReadOnlyPersistentStoreOption: isReadOnly])
                }
                #expect(
                    error?.errorCode == NSPersistentStoreIncompatibleSchemaError,
                    "\(name): \(String(describing: error))")
                #expect(error?.message.contains("Z_PLIST") == true, "\(name)")
            }
            _ = try? StoredModel(ofStoreAt: folder.url())
            _ = try? NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: folder.url())
        }
    }

    @Test func `objects that are used again count with their depth, and large numbers are exact`() throws {
        // Chains of 60 arrays, each of which ends in the one before.
        var objects: [PropertyListValue] = []
        var chain = PropertyListValue.array([])
        for _ in 0..<60 { chain = .array([chain]) }
        objects.append(chain)
        #expect(throws: Never.self) { _ = try PropertyList.objects(BinaryPropertyListWriter.data(.array(objects))) }
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["a": UInt64.max, "b": Int64.min, "c": Int64.max], format: .binary, options: 0)
        let read = try #require(try PropertyList.dictionary(list))
        #expect((read["a"] as? NSNumber)?.uint64Value == .max)
        #expect((read["b"] as? NSNumber)?.int64Value == .min && (read["c"] as? NSNumber)?.int64Value == .max)
        // Two shared chains, made by hand: objects 0 to 60 lead down, and 61 to 121 end in the first.
        var bytes = Data("bplist00".utf8)
        var offsets: [Int] = []
        func add(_ piece: [UInt8]) {
            offsets.append(bytes.count)
            bytes.append(contentsOf: piece)
        }
        // The root names the end of each chain: the short one first, so that it is known when the long one meets it.
        add([0xA2, 1, 62])
        for number in 1...60 { add([0xA1, UInt8(number + 1)]) }
        add([0xA0])
        for number in 62...121 { add([0xA1, number == 121 ? 1 : UInt8(number + 1)]) }
        let table = bytes.count
        for offset in offsets { bytes.append(contentsOf: [UInt8(offset >> 8), UInt8(offset & 0xFF)]) }
        bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, 2, 1])
        for number in [offsets.count, 0, table] {
            bytes.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) })
        }
        #expect(throws: ArchiveError.self) { _ = try PropertyList.objects(bytes) }
    }

    @Test func `metadata that could not be read again are not written`() throws {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let store = try #require(coordinator.persistentStores.first)
        let context = GraphLibrary.context(coordinator)
        coordinator.setMetadata(["never": Date(timeIntervalSinceReferenceDate: 1e300)], for: store)
        try context.make("Tag", ["name": "a"])
        _ = coreDataError { try context.save() }
        try coordinator.remove(store)
        #expect(try GraphLibrary.context(at: folder.url()).all("Tag").count <= 1)
    }
}
