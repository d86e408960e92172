import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// `sworm-tool query`: streams rows of an entity.
enum QueryCommand {
    enum Format: String, CaseIterable { case table, json, csv, ndjson }

    static let command = Command(
        CommandSpec(
            "query", summary: "Shows objects of an entity and of its sub-entities.",
            discussion: [
                "Columns and sort keys can be paths through to-one relationships (author.name). A column can also be "
                    + "an expression (books.@count, uppercase:(title)). 'self' is the object. Without --columns, "
                    + "the object, its attributes and its to-one relationships are shown.",
                "Dates are written as ISO 8601 in UTC. Rows are streamed, so memory use does not grow with their "
                    + "number.",
            ],
            operands: [
                OperandSpec("STORE", summary: "The store file, or the address of a store on a server."),
                OperandSpec("ENTITY", summary: "The name of the entity."),
            ],
            options: [
                CountCommand.whereOption,
                OptionSpec(
                    "sort", value: "KEYS",
                    summary: "Sort keys, separated by commas; '-' before a key sorts in descending order."
                ),
                OptionSpec("limit", value: "N", summary: "The maximum number of rows."),
                OptionSpec("offset", value: "N", summary: "The number of rows to skip."),
                OptionSpec("columns", value: "LIST", summary: "Columns, separated by commas."),
                OptionSpec(
                    "format", value: "FORM", choices: Format.allCases.map(\.rawValue),
                    summary: "The output format; the default is table."),
                OptionSpec("json", summary: "The same as --format json."),
                BlobStyle.option, StoreModelChoice.option,
            ],
            examples: [
                "sworm-tool query Library.sqlite Book --sort -year --limit 10",
                "sworm-tool query Library.sqlite Book --columns title,author.name --format csv",
            ])
    ) { arguments, console in
        let store = try StoreReader(arguments.operands[0], arguments: arguments, allowsServers: true)
        let entity = try store.entity(arguments.operands[1])
        let asked = arguments.value("format").flatMap { Format(rawValue: $0) }
        let format = asked ?? (arguments.has("json") ? .json : .table)
        let (projection, titles) = try projection(arguments, of: entity, in: store)
        try refuseTwins(titles, for: format)
        let cursor = try store.naming(entity) { try store.session.cursor(projection) }
        let columns = ValueColumn.columns(
            cursor.columns, titles: titles, expressions: projection.tree.columns, entity: entity, model: store.model)
        let writer = RowWriter(
            columns, blobs: BlobStyle(arguments), model: store.model, session: store.session,
            missingFiles: store.missingFiles)
        try RowOutput(cursor, writer: writer, console: console).write(format)
        store.missingFiles.report(console, of: store.name)
        return .ok
    }

    private static func projection(
        _ arguments: Arguments, of entity: CompiledEntity, in store: StoreReader
    ) throws -> (ProjectionSpecification, [String]) {
        var fetch = FetchSpecification(entity: entity.number)
        fetch.predicate = try store.predicate(arguments)
        fetch.limit = try arguments.count("limit") ?? 0
        fetch.offset = try arguments.count("offset") ?? 0
        fetch.sorts = try (arguments.list("sort") ?? []).map { key in
            let isMarked = key.hasPrefix("-") || key.hasPrefix("+")
            let path = try path(key.dropFirst(isMarked ? 1 : 0), of: "the sort key '\(key)'")
            return FetchSpecification.Sort(path: path, ascending: !key.hasPrefix("-"))
        }
        let titles = try arguments.list("columns") ?? standardColumns(entity)
        let columns = try titles.map(expression)
        if arguments.value("limit") == "0" { fetch.predicate = .constant(false) }
        return (ProjectionSpecification(fetch: fetch, tree: ProjectionTree(columns)), titles)
    }

    /// The columns for the object, its stored attributes and its to-one relationships.
    static func standardColumns(_ entity: CompiledEntity) -> [String] {
        ["self"] + entity.attributes.filter { !$0.isTransient }.map(\.name)
            + entity.relationships.filter { !$0.isToMany && !$0.isTransient }.map(\.name)
    }

    /// Returns the names between periods.
    private static func path(_ text: Substring, of owner: String) throws -> [String] {
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains("") else {
            throw ToolError(
                .query, "\(owner) is not a path: a name is missing",
                hint: "a path consists of names separated by dots, such as author.name")
        }
        return names
    }

    /// Throws an error for columns that would result in duplicate keys in a JSON object.
    private static func refuseTwins(_ titles: [String], for format: Format) throws {
        guard format == .json || format == .ndjson else { return }
        var seen: Set<String> = []
        for title in titles where !seen.insert(title).inserted {
            throw ToolError(
                .usage, "the column '\(title)' appears twice, and a JSON object has each key once",
                hint: "name it once, or choose --format csv")
        }
    }

    /// Returns a column as an expression. A plain path is accepted even if a name in it is a keyword of the predicate
    /// language.
    private static func expression(_ text: String) throws -> ExpressionTree {
        if text.lowercased() == "self" { return .evaluatedObject }
        let isPath = text.unicodeScalars.allSatisfy { scalar in
            scalar == "_" || scalar == "." || scalar == "@" || scalar.properties.isAlphabetic
                || scalar.properties.numericType != nil
        }
        if isPath, text.unicodeScalars.first?.properties.numericType == nil {
            return .path(try path(text[...], of: "the column '\(text)'"))
        }
        do {
            return try parseExpression(text)
        } catch {
            throw ToolError(
                .query, "the column '\(text)' cannot be parsed: \(ErrorText.message(of: error))",
                hint: "columns are names or paths, separated by commas: --columns title,author.name")
        }
    }
}
