package import Foundation
import SwormSQLite

/// The indexes of a model that a store of that very model does not have, or has as another model had them.
///
/// An index is no part of a version hash, so a store may have been made before the index was in the model, and no migration
/// comes to make it.
package enum MissingIndexes {
    /// Which indexes are to be made, or were.
    package struct Changes: Sendable, Hashable {
        /// The names of those that the store does not have.
        package var missing: [String]
        /// The names of those that the store has by another definition.
        package var changed: [String]

        package init(missing: [String] = [], changed: [String] = []) {
            self.missing = missing
            self.changed = changed
        }

        package var isEmpty: Bool { missing.isEmpty && changed.isEmpty }
    }

    /// Makes those that are not there, and makes those anew that are others. What no model asks for stays, whoever made it.
    ///
    /// - Returns: Those that were made.
    /// - Throws: ``CoreDataError`` where the store cannot be read or written just now. It is then as it was.
    package static func make(at url: URL, model: CompiledModel) throws -> Changes {
        let (files, options) = (StoreFiles(url: url), StoreOptions())
        let inspection = try SQLiteStore.inspect(files, options: options).inspection
        return try make(in: files, inspection, model: model, options: options)
    }

    /// - Parameter inspection: What the store says of itself. Its hashes are those of the model.
    @discardableResult
    package static func make(
        in files: StoreFiles, _ inspection: StoreInspection, model: CompiledModel, options: StoreOptions
    ) throws -> Changes {
        let (missing, changed) = try pending(inspection, model: model, options: options)
        guard !missing.isEmpty || !changed.isEmpty else { return Changes() }
        try SQLiteStore.checkWritable(files)
        try CoreDataError.translating(while: "make the indexes of", path: files.main) {
            let connection = try SQLiteStore.connect(files, options: options, access: .readWrite)
            try connection.base.transaction(.immediate) {
                for index in changed {
                    try connection.base.execute("DROP INDEX IF EXISTS \(SQLName.quoted(index.name))")
                }
                for index in changed + missing {
                    // Somebody else may just have made it.
                    try connection.base.execute(
                        "CREATE INDEX IF NOT EXISTS" + index.sql.dropFirst("CREATE INDEX".count))
                }
            }
        }
        return Changes(missing: missing.map(\.name), changed: changed.map(\.name))
    }

    /// Those that ``make(in:_:model:options:)`` would make.
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
        // Uniqueness is a part of the hashes, and its indexes are there.
        for index in StoreSchema(model: model, layout: layout).indexes() where index.constraint == nil {
            guard let shape = IndexShape(index.sql) else { continue }
            guard let former = present[index.name.uppercased()] else {
                absent.append(index)
                continue
            }
            // One of that name on another table is not Core Data's.
            guard former.table == index.table, let old = IndexShape(former.sql), old != shape else { continue }
            // Where the condition of a partial index has no text here, what there is of it stays.
            if !index.isWhole, old.columns == shape.columns { continue }
            changed.append(index)
        }
        // Those that are made anew will be of something else, so what they are of now does not count.
        let going = Set(changed.map { $0.name.uppercased() })
        let shapes = Set(present.filter { !going.contains($0.key) }.values.compactMap { IndexShape($0.sql) })
        return (absent.filter { index in IndexShape(index.sql).map { !shapes.contains($0) } ?? false }, changed)
    }
}

/// What an index is of, however its statement is written.
struct IndexShape: Hashable {
    /// The table and the columns.
    let columns: String
    /// Which rows; empty for all.
    let condition: String

    /// Nil for a statement that cannot be read.
    init?(_ sql: String) {
        guard let place = SchemaIndex.place(sql) else { return nil }
        var text = ""
        var isText = false
        for character in place {
            if character == "'" { isText.toggle() }
            // What stands between two words is one space; quotes of names and other spaces say nothing.
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
