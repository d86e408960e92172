package import Foundation

/// A value as SQL compares it: the storage classes determine which values are comparable, and their order.
enum SQLValue: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)
    case object(ObjectReference)

    init(_ value: AttributeValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .integer(value ? 1 : 0)
        case .int(let value): self = .integer(value)
        case .double(let value): self.init(value)
        case .decimal(let value): self = value.wholeNumber.map { .integer($0) } ?? SQLValue(value.nearestDouble)
        case .date(let value): self.init(value.timeIntervalSinceReferenceDate)
        case .string(let value): self = .text(value)
        case .url(let value): self = .text(value.absoluteString)
        case .data(let value): self = .blob(value)
        case .uuid(let value): self = .blob(withUnsafeBytes(of: value.uuid) { Data($0) })
        case .object(let value): self = .object(value)
        }
    }

    /// Creates a real value, or null for not-a-number, as in a store.
    init(_ double: Double) { self = double.isNaN ? .null : .real(double) }

    var kind: String {
        switch self {
        case .null: "nil"
        case .integer, .real: "a number"
        case .text: "a string"
        case .blob: "bytes"
        case .object: "an object"
        }
    }

    /// The rank in the order of storage classes: null, numbers, text, bytes.
    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        case .object: 4
        }
    }

    /// Returns whether two values belong to one class, so that their order has a meaning.
    func isComparable(to other: SQLValue) -> Bool { rank == other.rank }

    /// Returns the order of two values, in which one class precedes another.
    func order(_ other: SQLValue) -> ComparisonResult {
        switch (self, other) {
        case (.null, .null): .orderedSame
        case (.integer(let left), .integer(let right)): order(of: left, right)
        case (.real(let left), .real(let right)): order(of: left, right)
        case (.integer(let left), .real(let right)): Self.order(left, right)
        case (.real(let left), .integer(let right)): Self.order(right, left).reversed
        case (.text(let left), .text(let right)): compareBytes(left, right)
        case (.blob(let left), .blob(let right)): compareBytes(left, right)
        case (.object(let left), .object(let right)):
            left.entityName == right.entityName
                ? order(of: left.key, right.key) : compareBytes(left.entityName, right.entityName)
        default: order(of: rank, other.rank)
        }
    }

    /// Compares an integer with a real without rounding the integer.
    private static func order(_ left: Int64, _ right: Double) -> ComparisonResult {
        if right >= 0x1p63 { return .orderedAscending }
        if right < -0x1p63 { return .orderedDescending }
        let whole = right.rounded(.towardZero)
        let integer = Int64(whole)
        if left != integer { return left < integer ? .orderedAscending : .orderedDescending }
        return whole == right ? .orderedSame : (whole < right ? .orderedAscending : .orderedDescending)
    }

    private func order<Value: Comparable>(of left: Value, _ right: Value) -> ComparisonResult {
        left < right ? .orderedAscending : (left == right ? .orderedSame : .orderedDescending)
    }
}

/// Values are equal exactly if SQL considers them equal; null is equal to null.
extension SQLValue: Hashable {
    static func == (left: SQLValue, right: SQLValue) -> Bool {
        switch (left, right) {
        case (.object(let left), .object(let right)): left == right
        default: left.isComparable(to: right) && left.order(right) == .orderedSame
        }
    }

    func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .real(let value):
            // A number has one hash, regardless of its representation.
            if let exact = Int64(exactly: value) { hasher.combine(exact) } else { hasher.combine(value) }
        case .text(let value):
            var value = value
            value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .blob(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension ComparisonResult {
    fileprivate var reversed: ComparisonResult {
        switch self {
        case .orderedAscending: .orderedDescending
        case .orderedDescending: .orderedAscending
        case .orderedSame: .orderedSame
        }
    }
}

/// Returns the order of two attribute values in a sort: null, numbers, text by UTF-8 bytes, then bytes.
///
/// - Parameter options: The options by which strings are folded before the comparison.
package func compareForSort(
    _ left: AttributeValue, _ right: AttributeValue, options: ComparisonOptions = []
) -> ComparisonResult {
    switch (SQLValue(left), SQLValue(right)) {
    case (.text(let left), .text(let right)): compareTexts(left, right, options: options)
    case (let left, let right): left.order(right)
    }
}
