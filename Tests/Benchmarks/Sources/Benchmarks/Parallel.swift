import Foundation
import Synchronization

/// Runs a closure on so many threads at once, and waits for all of them.
func concurrently<Result: Sendable>(
    _ threads: Int, _ work: @escaping @Sendable (_ thread: Int) throws -> Result
) throws -> [Result] {
    let results = Box([Swift.Result<Result, any Error>?](repeating: nil, count: threads))
    let group = DispatchGroup()
    for index in 0..<threads {
        group.enter()
        let thread = Thread {
            let result = Swift.Result { try work(index) }
            results.value.withLock { $0[index] = result }
            group.leave()
        }
        thread.stackSize = 8 << 20
        thread.start()
    }
    group.wait()
    return try results.value.withLock { try $0.compactMap { try $0?.get() } }
}

/// Something that threads share.
final class Box<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
}
