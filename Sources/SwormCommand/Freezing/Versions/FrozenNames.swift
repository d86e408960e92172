import Foundation

/// The names of a frozen version: those of its files, and those of its Swift types.
struct FrozenNames: Hashable {
    /// The name of the version, such as `1.0`.
    let version: String
    /// The name of the model as the beginning of Swift names, such as `Library`.
    let model: String

    /// - Throws: ``ToolError`` if the version cannot be part of a file name.
    init(version: String, model: String) throws {
        guard Self.isFileName(version) else {
            throw ToolError(
                .usage, "'\(version)' cannot be the name of a version: its files would have no valid names",
                hint: "choose a name such as 1.0: --name NAME")
        }
        self.version = version
        self.model = Self.identifier(model)
    }

    static func isFileName(_ text: String) -> Bool {
        !text.isEmpty && !text.hasPrefix(".") && text.utf8.count <= 200
            && text.unicodeScalars.allSatisfy { $0 != "/" && $0.value >= 0x20 && $0.value != 0x7F }
    }

    // MARK: Files

    static let manifestSuffix = ".frozen.json"
    static let recordSuffix = ".release.json"
    static let modelSuffix = ".xcdatamodel"
    private static let tablesSuffix = ".tables.swift"
    private static let schemaSuffix = ".schema.swift"
    private static let storeSuffix = ".store"

    var manifest: String { version + Self.manifestSuffix }
    /// The record of the version hashes, as release ledgers have it.
    var record: String { version + Self.recordSuffix }
    var modelFolder: String { version + Self.modelSuffix }
    var modelDocument: String { modelFolder + "/contents" }
    var tables: String { version + Self.tablesSuffix }
    var schema: String { version + Self.schemaSuffix }
    /// The folder of the sample store, as release ledgers have it.
    var storeFolder: String { version + Self.storeSuffix }
    var store: String { storeFolder + "/Store.sqlite" }

    /// The files without the manifest.
    var parts: [String] { [record, modelDocument, tables, schema, store] }
    /// The entries of the folder that belong to the version, the manifest last.
    var entries: [String] { [storeFolder, modelFolder, tables, schema, record, manifest] }

    /// Returns the version to which an entry of the folder belongs by its name, and whether nothing but a frozen version
    /// has entries with such a name. A release ledger has records and stores, too.
    static func version(ofEntry name: String) -> (name: String, isCertain: Bool)? {
        let certain = [manifestSuffix, tablesSuffix, schemaSuffix]
        for suffix in certain + [recordSuffix, modelSuffix, storeSuffix] where name.hasSuffix(suffix) {
            let version = String(name.dropLast(suffix.count))
            guard isFileName(version) else { return nil }
            return (version, certain.contains(suffix))
        }
        return nil
    }

    // MARK: Swift

    /// The enum that contains the structs.
    var namespace: String { model + suffix }
    /// The enum that is SwiftData's schema.
    var schemaName: String { model + "Schema" + suffix }

    /// The names of all types that a module with the version has at its top level.
    var typeNames: Set<String> { [namespace, schemaName] }

    /// The numbers in the name of the version, for SwiftData.
    var numbers: (Int, Int, Int) {
        let parts = Self.words(own).flatMap { $0.split(whereSeparator: { !$0.isASCII || !$0.isNumber }) }
        let numbers = Array(parts.compactMap { Int($0) }.prefix(3)) + [0, 0, 0]
        return parts.isEmpty ? (1, 0, 0) : (numbers[0], numbers[1], numbers[2])
    }

    /// The name of the version without that of the model.
    private var own: String {
        version.hasPrefix(model) && version.count > model.count ? String(version.dropFirst(model.count)) : version
    }

    /// `V1_0` for `1.0`.
    private var suffix: String {
        let text = Self.words(own).joined(separator: "_")
        guard let first = text.first else { return "V1" }
        let rest = text.dropFirst()
        if first.isNumber { return "V" + text }
        if first == "v" || first == "V", rest.first?.isNumber ?? false { return "V" + rest }
        return "V" + first.uppercased() + rest
    }

    private static func words(_ text: String) -> [Substring] {
        text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    }

    /// Returns a name as the beginning of Swift names.
    private static func identifier(_ text: String) -> String {
        let text = words(text).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return text.first?.isLetter ?? false ? text : "Model" + text
    }
}
