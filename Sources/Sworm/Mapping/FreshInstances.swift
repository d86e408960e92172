import Foundation
import SwormPredicates

/// Two new instances of a type, created at different moments to find the values that every call of `init()` returns. For
/// an enum of structs, there are two for each struct.
struct FreshInstances<T: ManagedTreeConvertible> {
    private let instances: [T]

    init() {
        let first = EntityMapping<T>.freshInstances()
        // Two instances created within one tick of the clock would agree on `Date()`.
        let moment = Date()
        for _ in 0..<100_000 where Date() == moment {}
        instances = first + EntityMapping<T>.freshInstances()
    }

    /// Returns the value of an attribute that all instances share, or nil if the values differ or are nil.
    func commonValue(of line: AttributeLine<T>) -> AttributeValue? {
        guard let first = instances.first, let value = try? line.read(first), value != .null else { return nil }
        return differ(in: line) ? nil : value
    }

    /// Returns whether the instances have different values of an attribute.
    func differ(in line: AttributeLine<T>) -> Bool {
        guard let first = instances.first, let value = try? line.read(first) else { return false }
        return !instances.allSatisfy { (try? line.read($0)) == value }
    }

    /// Returns whether two instances of the same struct have different values of an attribute. Those of an enum's cases may.
    func vary(in line: AttributeLine<T>) -> Bool {
        let half = instances.count / 2
        return (0..<half).contains { (try? line.read(instances[$0])) != (try? line.read(instances[half + $0])) }
    }

    /// Returns whether a copy of one instance is equivalent to a new instance, once all attributes are written.
    ///
    /// The result is true only if it can be proved: the memory of the type is the sum of its stored properties, and
    /// each of them is covered by attributes or holds an equal primitive value in both instances.
    ///
    /// - Parameter written: The memory of further properties, which are written for every row.
    func shareTemplate(_ table: some Sequence<Attribute<T>>, besides written: [Range<Int>]) -> Bool {
        guard !(T.self is AnyObject.Type), instances.count == 2 else { return false }
        let mirrors = (Mirror(reflecting: instances[0]), Mirror(reflecting: instances[1]))
        guard mirrors.0.displayStyle == .struct else { return false }
        var covered: Set<Int> = []
        for memory in written { covered.formUnion(memory) }
        for attribute in table {
            if let memory = attribute.memory {
                covered.formUnion(memory)
            } else {
                for line in attribute.lines(0) {
                    if let offset = line.offset { covered.formUnion(offset..<offset + line.size) }
                }
            }
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

/// Returns the memory layout of a property's value.
///
/// A property of a protocol type is measured as the value it holds, which may have another size. That only makes the
/// sum wrong: this function does not decide whether rows may be plain bytes.
private func layout(of value: Any) -> (size: Int, alignment: Int) {
    func measure<V>(_ value: V) -> (size: Int, alignment: Int) { (MemoryLayout<V>.size, MemoryLayout<V>.alignment) }
    return _openExistential(value, do: measure)
}

private func isSamePrimitive(_ one: Any, _ other: Any) -> Bool {
    guard let one = one as? any PrimitiveAttribute, let other = other as? any PrimitiveAttribute else { return false }
    return one.attributeValue == other.attributeValue
}
