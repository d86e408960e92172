import SwormPredicates

/// The algorithm of folding in its shortest form, over dictionaries and arrays.
struct FoldingModel {
    private let mappings = FoldingMappings()

    func folded(_ scalars: [UInt32], _ folding: TextFolding) -> [UInt32] {
        var rest = scalars[...]
        var result: [UInt32] = []
        while let letter = rest.popFirst() {
            var cluster = mappings.replacement(of: letter, folding) ?? [letter]
            let rule = mappings.markRule(of: letter, folding)
            if rule != .ignored {
                var marks = Array(rest.prefix { mappings.marks[$0] != nil })
                rest = rest.dropFirst(marks.count)
                if rule == .first, let first = marks.first, mappings.isDroppedFirst(first) { marks.removeFirst() }
                if rule != .all {
                    cluster = sorted(cluster + marks.flatMap { mappings.markDecompositions[$0] ?? [$0] })
                }
            }
            result += cluster
        }
        return result
    }

    private func sorted(_ cluster: [UInt32]) -> [UInt32] {
        let classes = cluster.map { mappings.marks[$0] ?? mappings.letterClasses[$0] ?? 0 }
        return cluster.indices.sorted { (classes[$0], $0) < (classes[$1], $1) }.map { cluster[$0] }
    }
}
