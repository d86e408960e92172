package import Foundation
import SwormSQLite

/// The indexes of a model that a store of the same model lacks, or has with the definition of another model.
///
/// An index is not part of a version hash, so a store may have been created before the index was added to the model,
/// and no migration creates it later.
package enum MissingIndexes {
    /// The indexes to create, or those that were created.
    package struct Changes: Sendable, Hashable {
        /// The names of the indexes that the store does not have.
        package var missing: [String]
        /// The names of the indexes that the store has with another definition.
        package var changed: [String]

        package init(missing: [String] = [], changed: [String] = []) {
            self.missing = missing
            self.changed = changed
        }

        package var isEmpty: Bool { missing.isEmpty && changed.isEmpty }
    }

    /// Creates the missing indexes, and recreates those that differ. Indexes that no model requires are retained,
    /// including those of other programs.
    ///
    /// - Returns: The indexes that were created.
    /// - Throws: ``CoreDataError`` if the store cannot currently be read or written. It is then unchanged.
    package static func make(
        at url: URL, model: CompiledModel, options: StoreOptions = StoreOptions()
    ) throws -> Changes {
        let files = StoreFiles(url: url)
        let inspection = try SQLiteStore.inspect(files, options: options).inspection
        return try make(in: files, inspection, model: model, options: options)
    }

    /// Creates the missing indexes of an inspected store, and recreates those that differ.
    ///
    /// - Parameter inspection: The inspection of the store. Its hashes must be those of the model.
    @discardableResult
    static func make(
        in files: StoreFiles, _ inspection: StoreInspection, model: CompiledModel, options: StoreOptions
    ) throws -> Changes {
        let (missing, changed) = try pending(inspection, model: model, options: options)
        guard !missing.isEmpty || !changed.isEmpty else { return Changes() }
        try SQLiteStore.checkWritable(files)
        try CoreDataError.translating(while: "create the indexes of", path: files.main) {
            let connection = try SQLiteStore.connect(files, options: options, access: .readWrite)
            try connection.base.transaction(.immediate) {
                for index in changed {
                    try connection.base.execute("DROP INDEX IF EXISTS \(SQLName.quoted(index.name))")
                }
                for index in changed + missing {
                    // Another process may just have created it.
                    try connection.base.execute(
                        "CREATE INDEX IF NOT EXISTS" + index.sql.dropFirst("CREATE INDEX".count))
                }
            }
        }
        return Changes(missing: missing.map(\.name), changed: changed.map(\.name))
    }

    /// Returns the indexes that ``make(in:_:model:options:)`` would create.
    package static func changes(
        _ inspection: StoreInspection, model: CompiledModel, options: StoreOptions
    ) throws -> Changes {
        let (missing, changed) = try pending(inspection, model: model, options: options)
        return Changes(missing: missing.map(\.name), changed: changed.map(\.name))
    }

    private static func pending(
        _ inspection: StoreInspection, model: CompiledModel, options: StoreOptions
    ) throws -> (missing: [SchemaIndex], changed: [SchemaIndex]) {
        guard inspection.mirroringTable == nil || options.writesMirroredStores else { return ([], []) }
        let layout = try StoreLayout(model: model, existing: ExistingSchema(tables: inspection.columns))
        let present = Dictionary(
            inspection.indexStatements.map { ($0.key.uppercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        var (absent, changed): ([SchemaIndex], [SchemaIndex]) = ([], [])
        // Uniqueness constraints are part of the hashes, so their indexes exist.
        for index in StoreSchema(model: model, layout: layout).indexes() where index.constraint == nil {
            guard let shape = IndexShape(index.sql) else { continue }
            guard let former = present[index.name.uppercased()] else {
                absent.append(index)
                continue
            }
            // An index of that name on another table is not Core Data's.
            guard former.table == index.table, let old = IndexShape(former.sql), old != shape else { continue }
            // If the condition of a partial index cannot be written as SQL here, the existing index is retained.
            if !index.isWhole, old.columns == shape.columns { continue }
            changed.append(index)
        }
        // Indexes that are recreated will have another shape, so their present shape does not count.
        let going = Set(changed.map { $0.name.uppercased() })
        let shapes = Set(present.filter { !going.contains($0.key) }.values.compactMap { IndexShape($0.sql) })
        return (absent.filter { index in IndexShape(index.sql).map { !shapes.contains($0) } ?? false }, changed)
    }
}

/// The content of an index, independent of the spelling of its statement.
struct IndexShape: Hashable {
    /// The table and the columns.
    let columns: String
    /// The condition that selects the rows; empty for all rows.
    let condition: String

    /// Creates the shape of an index; nil if the statement cannot be parsed.
    init?(_ sql: String) {
        guard let place = SchemaIndex.place(sql) else { return nil }
        var text = ""
        var isText = false
        for character in place {
            if character == "'" { isText.toggle() }
            // The separator of two words is normalized to one space; quotes of names and other spaces are
            // insignificant.
            if isText || !(character.isWhitespace || character == "\"") {
                if !isText, "(),=<>".contains(character), text.last == " " { text.removeLast() }
                text.append(character)
            } else if character.isWhitespace, let last = text.last, !" (),=<>".contains(last) {
                text.append(" ")
            }
        }
        let parts = text.firstRange(of: ")WHERE").map { (text[..<$0.lowerBound], text[$0.upperBound...]) }
        columns = String(parts?.0 ?? text.dropLast(text.hasSuffix(")") ? 1 : 0))
        condition = String(parts?.1 ?? "")
    }
}
