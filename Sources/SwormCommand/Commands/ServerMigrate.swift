#if PostgreSQL
import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// `sworm-tool migrate` for a store on a server.
struct ServerMigrate {
    let arguments: Arguments
    let console: Console

    func run() throws -> ExitCode {
        var server = try ServerOperand.options(arguments.operands[0])
        server.changes = arguments.has("all") ? .all : .additive
        if arguments.has("contract") {
            guard arguments.url("model") == nil else {
                throw ToolError(
                    .usage, "--contract removes what older versions have left, and needs no model", hint: "omit --model"
                )
            }
            return try contract(server)
        }
        guard let option = arguments.url("model") else {
            throw ToolError(
                .usage, "'migrate' needs the model to migrate to",
                hint: "use --model NEW with an .xcdatamodeld, .momd or .mom, or a store of that model")
        }
        let (model, name) = try StoreModelChoice.model(at: option)
        var options = StoreOptions()
        let cache = try model.storeCache()
        options.modelCache = cache
        options.serverMapping = { try ModelMapping.inferred(fromCache: $0, toCache: cache) }
        let compiled = try model.compiled()
        let statements = try PostgresMigrations.plan(server, model: compiled, options: options)
        let present = try PostgresMigrations.model(of: server, options: options).hashes
        guard !statements.isEmpty || present != compiled.versionHashes else {
            return answer([], "nothing to do: the store already has that model")
        }
        if arguments.has("dry-run") { return answer(statements, nil) }
        try PostgresMigrations.run(server, model: compiled, options: options)
        return answer(statements, "migrated to \(name)")
    }

    private func contract(_ server: PostgresOptions) throws -> ExitCode {
        let options = StoreOptions()
        if arguments.has("dry-run") {
            return answer(try PostgresMigrations.contractPlan(server, options: options), nil)
        }
        let statements = try PostgresMigrations.contract(server, options: options)
        return answer(
            statements,
            statements.isEmpty
                ? "nothing to remove: the store serves one version only" : "removed what older versions had left")
    }

    /// Writes the statements that were run, or that would be run.
    private func answer(_ statements: [String], _ words: String?) -> ExitCode {
        if arguments.has("json") {
            console.answer(
                .object([
                    ("store", .string(ServerOperand.shown(arguments.operands[0]))),
                    ("migrated", .bool(words != nil && !statements.isEmpty)),
                    ("statements", .array(statements.map { .string($0) })),
                ]))
            return .ok
        }
        for statement in statements { console.line(statement + ";") }
        if let words { console.line(words) }
        return .ok
    }
}
#endif
