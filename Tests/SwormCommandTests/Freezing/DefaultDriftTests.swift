import Foundation
@testable import OpenCoreData
import Testing

@testable import SwormCommand

@Suite("freeze --check, defaults that are collections")
struct DefaultDriftTests {
    /// A model with a composite attribute and a transformable one.
    private func model(composite: [String: Any]?, transformable: Any?) -> NSManagedObjectModel {
        let city = NSAttributeDescription()
        city.name = "city"
        city.attributeType = .stringAttributeType
        city.isOptional = true
        let address = NSCompositeAttributeDescription()
        address.name = "address"
        address.elements = [city]
        address.isOptional = true
        address.defaultValue = composite
        let mood = NSAttributeDescription()
        mood.name = "mood"
        mood.attributeType = .transformableAttributeType
        mood.isOptional = true
        mood.defaultValue = transformable
        let entity = NSEntityDescription()
        entity.name = "House"
        entity.properties = [address, mood]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    @Test func `a changed default of a composite attribute is a difference`() {
        let (old, new) = (
            model(composite: ["city": "Rome"], transformable: nil),
            model(composite: ["city": "Oslo"], transformable: nil)
        )
        #expect(
            ModelDrift.lines(from: old, to: new) == [
                #"entity House: attribute address changed its default from {"city":"Rome"} to {"city":"Oslo"}"#
            ])
        #expect(ModelDrift.lines(from: old, to: old) == [])
        let bare = model(composite: nil, transformable: nil)
        #expect(
            ModelDrift.lines(from: bare, to: old) == [
                #"entity House: attribute address changed its default from none to {"city":"Rome"}"#
            ])
    }

    @Test func `a changed default of a transformable attribute is a difference`() {
        let defaults: [Any] = [
            [1, 2], [2, 1], [[1, 2]], [[1], [2]], ["a": 1], ["a": "1"], ["b": 1], [Int](), "1, 2",
        ]
        for (index, old) in defaults.enumerated() {
            for (other, new) in defaults.enumerated() {
                let lines = ModelDrift.lines(
                    from: model(composite: nil, transformable: old), to: model(composite: nil, transformable: new))
                #expect(lines.count == (index == other ? 0 : 1), "\(old) and \(new): \(lines)")
            }
        }
    }

    @Test func `defaults that differ are not equal, even if they have the same words`() {
        let defaults: [Any?] = [nil, "none", "", "\"none\"", "a b", "a\nb", 1, "1", true, "true"]
        for (index, old) in defaults.enumerated() {
            for (other, new) in defaults.enumerated() {
                let lines = ModelDrift.lines(
                    from: model(composite: nil, transformable: old), to: model(composite: nil, transformable: new))
                #expect(lines.count == (index == other ? 0 : 1), "\(index) and \(other): \(lines)")
            }
        }
        func change(_ old: Any?, _ new: Any?) -> [String] {
            ModelDrift.lines(
                from: model(composite: nil, transformable: old), to: model(composite: nil, transformable: new))
        }
        let start = "entity House: attribute mood changed its default from "
        #expect(change(nil, "none") == [start + #"none to "none""#])
        #expect(change("a b", "a\nb") == [start + #""a b" to "a\nb""#])
        #expect(change("a b", "c") == [start + "a b to c"])
    }

    @Test func `dictionaries and sets have one text, and plain values the text that they had`() {
        func text(_ value: Any?) -> String { ModelJSON.text(ModelJSON.plain(any: value)) }
        let mixed: [String: Any] = ["b": 1, "a": ["x", true] as [Any], "c": Data([1]), "d": NSNull()]
        #expect(text(mixed) == #"{"a":["x",true],"b":1,"c":"AQ==","d":null}"#)
        #expect(text(NSDictionary(dictionary: ["b": 1, "a": 2])) == #"{"a":2,"b":1}"#)
        #expect(text(NSArray(array: [2, 1])) == "[2,1]" && text(NSOrderedSet(array: [2, 1])) == "[2,1]")
        #expect(text(Set([3, 1, 2])) == "[1,2,3]" && text(NSSet(array: [3, 1, 2])) == "[1,2,3]")
        #expect(text(UInt64.max) == "\"18446744073709551615\"")
        #expect(text(1.5) == "1.5" && text("a") == "\"a\"")
        #expect(text(nil) == "null" && text(true) == "true")
    }
}
