import Foundation
import OpenCoreData
import SwormSQLite
import SwormStore

/// A description of a store, collected from its file, with or without a model.
struct StoreReport {
    struct Entity {
        var number: Int64
        var name: String
        var depth: Int
        var isAbstract: Bool
        /// The number of rows of exactly this entity, or nil if its table was not found.
        var count: Int64?
        var hash: Data?
        var relationships: [String] = []
    }

    struct History {
        var transactions: Int64
        var changes: Int64
        var first: Double?
        var last: Double?
    }

    var path: String
    var metadata: StoreMetadata
    var modelSource: String?
    var entities: [Entity] = []
    var fileSize: Int64 = 0
    var logSize: Int64 = 0
    var externalFiles = 0
    var externalSize: Int64 = 0
    var history: History?
    var warnings: [String] = []

    init(_ url: URL, modelOption: URL?) throws {
        let look = try StoreInspector(url: url)
        path = look.files.main
        metadata = look.metadata
        var model: NSManagedObjectModel?
        do {
            let choice = try StoreModelChoice.model(for: url, option: modelOption)
            model = choice.model
            modelSource = choice.source
        } catch let error as ToolError where error.code == .modelMismatch {
            warnings.append(error.message)
        }
        let compiled = try model?.compiled()
        try readEntities(from: look, model: compiled)
        if let compiled { add(compiled) }
        readSizes(look.files)
        try readHistory(look)
        try readWarnings(from: look, model: compiled)
    }

    private mutating func readEntities(from look: StoreInspector, model: CompiledModel?) throws {
        var records: [(number: Int64, name: String, above: Int64, highest: Int64)] = []
        try look.rows("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT") {
            records.append(($0.int64(0), $0.text(1) ?? "?", $0.int64(2), $0.int64(3)))
        }
        var depths: [Int64: Int] = [:]
        var counts: [Int64: Int64] = [:]
        // The entity numbers of the history tables are far above those of a model.
        for record in records where record.number < 16000 {
            let depth = record.above == 0 ? 0 : (depths[record.above] ?? 0) + 1
            depths[record.number] = depth
            var hasTable = true
            if record.above == 0 {
                // The table of a renamed entity has the new name, whereas the record has the old one.
                let name = model?.entity(numbered: record.number)?.name ?? record.name
                hasTable = try readCounts(record, table: name, from: look, into: &counts)
            }
            entities.append(
                Entity(
                    number: record.number, name: record.name, depth: depth, isAbstract: false,
                    count: hasTable ? counts[record.number] ?? 0 : nil, hash: metadata.versionHashes[record.name]))
        }
    }

    /// Counts the rows of a hierarchy. Returns false if it has no table.
    private mutating func readCounts(
        _ record: (number: Int64, name: String, above: Int64, highest: Int64), table name: String,
        from look: StoreInspector,
        into counts: inout [Int64: Int64]
    ) throws -> Bool {
        let table = "Z" + String(name.map { $0.isASCII ? Character($0.uppercased()) : $0 })
        guard look.columns[table] != nil else { return false }
        var highest: Int64 = 0
        try look.rows("SELECT Z_ENT, count(*), max(Z_PK) FROM \(Self.quoted(table)) GROUP BY Z_ENT") {
            counts[$0.int64(0), default: 0] += $0.int64(1)
            highest = max(highest, $0.int64(2))
        }
        if highest > record.highest {
            warnings.append(
                "\(record.name): Z_MAX is \(record.highest), but the highest key is \(highest); new keys could conflict"
            )
        }
        return true
    }

    static func quoted(_ name: String) -> String {
        "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }

    /// Adds the information that only a model contains.
    private mutating func add(_ model: CompiledModel) {
        for entity in model.entities {
            guard let index = entities.firstIndex(where: { $0.number == Int64(entity.number) }) else { continue }
            if entities[index].name != entity.name {
                warnings.append(
                    "\(entity.name): Z_PRIMARYKEY still has its former name \(entities[index].name)")
                entities[index].name = entity.name
            }
            entities[index].isAbstract = entity.isAbstract
            entities[index].hash = entity.versionHash
            entities[index].relationships = entity.relationships.filter { $0.owner == entity.number }
                .map { Self.text($0, in: model) }
        }
    }

    private static func text(_ relationship: CompiledRelationship, in model: CompiledModel) -> String {
        let target = model[relationship.destination]
        let arrow = relationship.isToMany ? "->>" : "->"
        let order = relationship.isToMany && relationship.isOrdered ? " (ordered)" : ""
        let inverse = relationship.inverse.map { "inverse \(target.relationships[$0].name)" } ?? "no inverse"
        return "\(relationship.name) \(arrow) \(target.name)\(order), \(inverse)"
    }

    private mutating func readSizes(_ files: StoreFiles) {
        fileSize = FileStamp(path: files.main)?.size ?? 0
        logSize = FileStamp(path: files.writeAheadLog)?.size ?? 0
        let folder = files.externalData
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let stamp = FileStamp(path: (folder as NSString).appendingPathComponent(name)) else { continue }
            externalFiles += 1
            externalSize += stamp.size
        }
    }

    private mutating func readHistory(_ look: StoreInspector) throws {
        guard let transactions = look.columns["ATRANSACTION"], look.columns["ACHANGE"] != nil else { return }
        var history = History(
            transactions: try look.integer("SELECT count(*) FROM ATRANSACTION") ?? 0,
            changes: try look.integer("SELECT count(*) FROM ACHANGE") ?? 0)
        if transactions.contains("ZTIMESTAMP") {
            try look.rows("SELECT min(ZTIMESTAMP), max(ZTIMESTAMP) FROM ATRANSACTION") {
                history.first = $0.isNull(0) ? nil : $0.double(0)
                history.last = $0.isNull(1) ? nil : $0.double(1)
            }
        }
        self.history = history
    }

    private mutating func readWarnings(from look: StoreInspector, model: CompiledModel?) throws {
        let missing = ExternalReferences.missing(try look.namedExternalFiles(), in: look.files.externalData)
        if let words = ExternalReferences.warning(missing) { warnings.append(words) }
        if let mirrored = look.mirroringTable {
            warnings.append(
                "the store is mirrored to CloudKit (it has the table \(mirrored)); --cloudkit shows what waits for upload"
            )
        }
        guard let model else { return }
        do {
            let layout = try look.layout(for: model)
            var known = Set(layout.tables.values.map(\.name))
            for case .join(let join)? in layout.toManys.joined() { known.insert(join.table) }
            known.formUnion([
                "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
            ])
            let unknown = look.columns.keys.filter {
                !known.contains($0) && !$0.hasPrefix("sqlite_") && !MirroringTables.contains($0)
                    && !$0.hasPrefix("Z_RT_")
            }
            for table in unknown.sorted() { warnings.append("the table \(table) is not part of the model") }
        } catch {
            guard let issue = error.asCoreData else { throw error }
            warnings.append(issue.message)
        }
    }
}
