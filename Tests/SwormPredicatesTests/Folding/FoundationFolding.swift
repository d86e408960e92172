import Foundation
import SwormPredicates

/// Foundation's folding, from which the tables of version 1 were made.
enum FoundationFolding {
    static func folded(_ text: String, _ folding: TextFolding) -> String {
        text.folding(options: options(of: folding), locale: nil)
    }

    static func folded(_ scalars: [UInt32], _ folding: TextFolding) -> [UInt32] {
        folded(String(scalars: scalars), folding).unicodeScalars.map(\.value)
    }

    /// Returns the results for many short strings. They are folded together, which takes less time: behind a NUL, each
    /// is folded as if it were alone. None may contain a NUL.
    static func folded(each items: [[UInt32]], _ folding: TextFolding) -> [[UInt32]] {
        let scalars = folded(items.flatMap { $0 + [0] }, folding)
        return scalars.split(separator: 0, omittingEmptySubsequences: false).dropLast().map(Array.init)
    }

    private static func options(of folding: TextFolding) -> String.CompareOptions {
        switch folding {
        case .letterCase: .caseInsensitive
        case .diacritics: .diacriticInsensitive
        case .letterCaseAndDiacritics: [.caseInsensitive, .diacriticInsensitive]
        }
    }
}

extension String {
    /// A string of the given code points. Those that are not Unicode scalars are left out.
    init(scalars: some Sequence<UInt32>) {
        self.init(UnicodeScalarView(scalars.lazy.compactMap(Unicode.Scalar.init)))
    }
}

/// Runs of all Unicode scalars but NUL, in order.
struct ScalarPages: Sequence, IteratorProtocol {
    private var first: UInt32 = 1
    private let end: UInt32
    private let length: UInt32

    init(through last: UInt32 = 0x10FFFF, length: UInt32 = 1024) {
        end = last + 1
        self.length = length
    }

    mutating func next() -> [UInt32]? {
        guard first < end else { return nil }
        let page = first..<Swift.min(first + length, end)
        first = page.upperBound
        return page.filter { Unicode.Scalar($0) != nil }
    }
}
