@testable import OpenCoreData
@testable import SwormStore
import TestSupport
import Testing

@Suite("Order keys")
struct OrderKeysTests {
    @Test func `appended objects get 2048 and then steps of 1024`() {
        #expect(OrderKeys.arranged([nil, nil, nil]) == [2048, 3072, 4096])
        #expect(OrderKeys.next(after: nil) == 2048)
        #expect(OrderKeys.next(after: 4096) == 5120)
        #expect(OrderKeys.next(after: -7) == 2048)
        #expect(OrderKeys.arranged([]) == [])
    }

    @Test func `keys that are in order stay`() {
        #expect(OrderKeys.arranged([4, 7, 13, 2048]) == [4, 7, 13, 2048])
        #expect(OrderKeys.arranged([2048, 3072, nil]) == [2048, 3072, 4096])
    }

    @Test func `an object in between gets a key between its neighbours`() {
        #expect(OrderKeys.arranged([2048, nil, 3072]) == [2048, 2560, 3072])
        #expect(OrderKeys.arranged([nil, 2048]) == [1024, 2048])
        #expect(OrderKeys.arranged([2048, nil, nil, nil, 3072]) == [2048, 2304, 2560, 2816, 3072])
    }

    @Test func `moving one object changes one key`() {
        let before: [Int64] = [2048, 3072, 4096, 5120]
        let after = OrderKeys.arranged([5120, 2048, 3072, 4096])
        #expect(after.dropFirst() == before.dropLast())
        #expect(after[0] < 2048)
    }

    @Test func `without free numbers, all are renumbered`() {
        #expect(OrderKeys.arranged([1, nil, 2]) == [2048, 3072, 4096])
        #expect(OrderKeys.arranged([Int64.max, nil]) == [2048, 3072])
    }

    @Test(arguments: [UInt64(1), 20_260_101, 77]) func `keys always rise, and those that are kept stay`(seed: UInt64) {
        var generator = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let current: [Int64?] = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                Int.random(in: 0...3, using: &generator) == 0 ? nil : Int64.random(in: 0...40, using: &generator) * 300
            }
            let keys = OrderKeys.arranged(current)
            #expect(keys.count == current.count, "seed \(seed)")
            #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed): \(current) \(keys)")
        }
    }
}
