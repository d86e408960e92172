#if PostgreSQL
import SwormPredicates

/// The body of the function that decomposes marks behind letters, and sorts them by their combining classes.
///
/// It is called for strings that have such marks, from which those that letters lose are removed.
struct MarkSortingSQL {
    let mappings: FoldingMappings

    init(_ mappings: FoldingMappings) { self.mappings = mappings }

    var body: [String] {
        let marks = ScalarSet(mappings.marks.keys).pattern
        let letters = ScalarSet(mappings.letterClasses.keys).pattern
        let others = ScalarSet(Array(mappings.marks.keys) + mappings.letterClasses.keys).content
        let (starts, classes) = self.classes
        // The first group is a run of marks, with a letter before it that has a class of its own.
        let pattern = "(\(letters)?\(marks)+)|([^\(others)]+|\(letters))"
        return [
            "  RETURN (",
            "    SELECT pg_catalog.string_agg(",
            "      CASE WHEN part.match[1] IS NULL THEN part.match[2] ELSE (",
            "        SELECT pg_catalog.string_agg(mark.c, '' ORDER BY",
            "          ('{\(classes)}'::pg_catalog.int4[])[pg_catalog.width_bucket(pg_catalog.ascii(mark.c), '{\(starts)}'::pg_catalog.int4[])], mark.number)",
            "        FROM pg_catalog.regexp_split_to_table(part.match[1], '') WITH ORDINALITY AS mark(c, number)) END,",
            "      '' ORDER BY part.number)",
            "    FROM pg_catalog.regexp_matches(\(decomposed), E'\(pattern)', 'g') WITH ORDINALITY AS part(match, number));",
        ]
    }

    /// The string with decomposed marks. A mark at the start is a letter, and keeps its form.
    private var decomposed: String {
        var rest = "pg_catalog.substr(x, 2)"
        for (mark, parts) in mappings.markDecompositions.sorted(by: { $0.key < $1.key }) {
            rest = "pg_catalog.replace(\(rest), \(ScalarSet.literal([mark])), \(ScalarSet.literal(parts)))"
        }
        return "pg_catalog.left(x, 1) OPERATOR(pg_catalog.||) \(rest)"
    }

    /// The first code points of runs with one combining class, and the classes of the runs.
    private var classes: (starts: String, classes: String) {
        let classes = mappings.marks.merging(mappings.letterClasses) { first, _ in first }
        var runs: [(start: UInt32, class: UInt8)] = [(0, 0)]
        for scalar in classes.keys.sorted() {
            for scalar in [scalar, scalar + 1] {
                let combiningClass = classes[scalar] ?? 0
                if let last = runs.last, last.class != combiningClass { runs.append((scalar, combiningClass)) }
            }
        }
        return (
            runs.map { String($0.start) }.joined(separator: ","), runs.map { String($0.class) }.joined(separator: ",")
        )
    }
}
#endif
