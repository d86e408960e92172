import Foundation

/// A collection operator as key-value coding defines it: nil counts as zero in sums and averages, and is ignored in
/// extremes.
package enum KeyedAggregate: String, Sendable {
    case sum = "@sum"
    case average = "@avg"
    case minimum = "@min"
    case maximum = "@max"

    /// Returns the aggregate of values; nil if they have none.
    package func result(of values: [AttributeValue]) -> AttributeValue? {
        guard let single = (try? evaluated(self, of: values))?.single, single != .null else { return nil }
        return single
    }
}

private func evaluated(_ aggregate: KeyedAggregate, of values: [AttributeValue]) throws -> EvaluationValue {
    let tree = ExpressionTree.evaluatedObject
    switch aggregate {
    case .sum: return try sum(of: values.map(\.asNumber), in: tree, exactly: true)
    case .average:
        return try average(of: values.map(\.asNumber), count: values.count, in: tree) ?? .value(.double(0))
    case .minimum, .maximum:
        guard values.allSatisfy(\.hasOrder) else { return .null }
        let order: ComparisonResult = aggregate == .minimum ? .orderedAscending : .orderedDescending
        return try extreme(of: values.map(EvaluationValue.value), order, in: tree, exactly: true)
    }
}

extension AttributeValue {
    /// The value as a number to add, in which a string counts with the number at its start.
    fileprivate var asNumber: EvaluationValue {
        if case .string(let text) = self { return .value(.double(NSString(string: text).doubleValue)) }
        return .value(self)
    }

    /// Whether values of this kind have a smallest and a largest one.
    fileprivate var hasOrder: Bool {
        switch self {
        case .null, .bool, .int, .double, .decimal, .string, .date: true
        case .data, .uuid, .url, .object: false
        }
    }
}
