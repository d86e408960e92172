import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Values by slot")
struct SlotValuesTests {
    @Test(arguments: [UInt64(20_261_122), .random(in: .min ... .max)])
    func `values are found, replaced and removed as in a dictionary`(seed: UInt64) {
        print("Values by slot, seed \(seed)")
        var random = SeededRandom(seed: seed)
        for count in [0, 1, 11, 64, 200] {
            var values = SlotValues(all: (0..<count).map { .int(Int64($0)) })
            var expected = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, AttributeValue.int(Int64($0))) })
            if random.next() % 2 == 0 { (values, expected) = (SlotValues(), [:]) }
            for step in 0..<500 {
                // The edges of the words of a set, too.
                let edges = [0, 1, 62, 63, 64, 65, 127, 128, 129]
                let slot = random.next() % 3 == 0 ? edges[Int(random.next() % 9)] : Int(random.next() % 200)
                let value: AttributeValue? = random.next() % 3 == 0 ? nil : .int(Int64(step))
                values[slot] = value
                expected[slot] = value
                #expect(values[slot] == value)
            }
            for slot in 0..<260 { #expect(values[slot] == expected[slot]) }
            #expect(values.map(\.slot) == expected.keys.sorted())
            #expect(values.map(\.value) == expected.sorted { $0.key < $1.key }.map(\.value))
            #expect(values.isEmpty == expected.isEmpty)
        }
    }

    @Test func `a value for every slot is distinguished from values for some`() {
        var values = SlotValues(all: [.int(1), .null])
        #expect(values.all == [.int(1), .null])
        values[1] = .bool(true)
        #expect(values.all == [.int(1), .bool(true)])
        values[7] = .null
        #expect(values.all == nil && values[7] == .null && values[6] == nil)

        var slots = SlotSet()
        for slot in [0, 1, 7] { slots.insert(slot) }
        #expect(values.haveExactly(slots))
        slots.insert(90)
        #expect(!values.haveExactly(slots))
    }

    @Test func `slots below one are counted, and the next one found, across machine words`() {
        var slots = SlotSet()
        #expect(slots.first(from: 0) == nil)
        let inserted = [0, 5, 63, 64, 100, 127, 128, 191, 192, 320]
        for slot in inserted { slots.insert(slot) }
        for slot in 0..<400 {
            let below = inserted.count { $0 < slot }
            #expect(slots.count(below: slot) == below)
            #expect(slots.first(from: slot) == inserted.dropFirst(below).first)
        }
    }
}
