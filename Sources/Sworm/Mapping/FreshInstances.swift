import Foundation
import SwormPredicates

/// Two fresh instances of a type, made at different moments, to see what `init()` gives every time.
struct FreshInstances<T: ManagedObjectConvertible> {
    private let first: T
    private let second: T

    init() {
        first = T()
        // Two instances made within one tick of the clock would agree on `Date()`.
        let moment = Date()
        for _ in 0..<100_000 where Date() == moment {}
        second = T()
    }

    /// The value of an attribute that both instances have; nil when they differ or when it is nil.
    func commonValue(of line: Attribute<T>) -> AttributeValue? {
        guard let one = try? line.read(first), let other = try? line.read(second) else { return nil }
        return one == other && one != .null ? one : nil
    }

    /// Whether copies of one instance are as good as fresh ones, once all attributes are written.
    ///
    /// True only where it can be shown: the memory of the type is the sum of its stored properties, and each of them is
    /// covered by attributes or holds an equal primitive value in both instances.
    func shareTemplate(_ table: [Attribute<T>]) -> Bool {
        guard !(T.self is AnyObject.Type) else { return false }
        let mirrors = (Mirror(reflecting: first), Mirror(reflecting: second))
        guard mirrors.0.displayStyle == .struct else { return false }
        var covered: Set<Int> = []
        for line in table {
            if let offset = line.offset { covered.formUnion(offset..<offset + line.size) }
        }
        var end = 0
        for (one, other) in zip(mirrors.0.children, mirrors.1.children) {
            let (size, alignment) = layout(of: one.value)
            let start = (end + alignment - 1) / alignment * alignment
            end = start + size
            if covered.isSuperset(of: start..<end) { continue }
            guard isSamePrimitive(one.value, other.value) else { return false }
        }
        return end == MemoryLayout<T>.size
    }
}

/// A property of a protocol type shows as what it holds, and so with another size. That only makes the sum wrong: whether rows
/// may be plain bytes is not found out here.
private func layout(of value: Any) -> (size: Int, alignment: Int) {
    func measure<V>(_ value: V) -> (size: Int, alignment: Int) { (MemoryLayout<V>.size, MemoryLayout<V>.alignment) }
    return _openExistential(value, do: measure)
}

private func isSamePrimitive(_ one: Any, _ other: Any) -> Bool {
    guard let one = one as? any PrimitiveAttribute, let other = other as? any PrimitiveAttribute else { return false }
    return one.attributeValue == other.attributeValue
}
