import Foundation
import SwormSQLite

extension StoreCheck {
    func checkExternal(_ slot: Int, of entity: CompiledEntity) throws {
        guard let column = layout.column(ofAttribute: slot, in: entity.number) else { return }
        let sql =
            "SELECT Z_PK, substr(\(SQLName.quoted(column)), 1, 64) FROM \(table(entity.number)) WHERE \(SQLName.quoted(column)) IS NOT NULL"
        guard isNew(sql) else { return }
        let folder = ExternalDataFolder(path: files.externalData)
        let property = entity.attributes[slot].name
        let name = "\(entity.name).\(property)"
        var found: [StoreIssue] = []
        var named: Set<UUID> = []
        func add(_ kind: StoreIssue.Kind, _ what: String) {
            found.append(StoreIssue(kind, "\(name): \(what)", entity: entity.name, property: property))
        }
        try connection.rows(sql) { statement in
            let key = statement.int64(0)
            statement.withBlob(1) { bytes in
                guard let bytes, let marker = bytes.first else {
                    return add(.externalMarker, "row \(key) has no marker")
                }
                if marker == ExternalDataFolder.inlineMarker { return }
                guard let identifier = ExternalDataFolder.reference(in: bytes), let file = folder.file(identifier)
                else {
                    return add(.externalMarker, "row \(key) begins with the marker \(marker)")
                }
                named.insert(identifier)
                switch FileKind(itself: file) {
                case .file?: break
                case nil: add(.externalMissing, "row \(key) names a missing file")
                case let kind?: add(.externalMissing, "row \(key) names a file, but its path is \(kind.words)")
                }
            }
        }
        issues += found
        referenced.formUnion(named)
    }

    /// Reports files that no row of any table references. They only use disk space: an interrupted save leaves them.
    ///
    /// If the rows cannot be read, it is unknown which files are referenced.
    func checkOrphans() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: files.externalData)) ?? []
        func unnamed(besides referenced: Set<UUID>) -> [String] {
            names.filter { name in UUID(uuidString: name).map { !referenced.contains($0) } ?? false }
        }
        guard !unnamed(besides: referenced).isEmpty, let named = try? connection.namedExternalFiles() else { return }
        let orphans = unnamed(besides: referenced.union(named))
        guard let first = orphans.min() else { return }
        let more = orphans.count > 1 ? " and \(orphans.count - 1) more" : ""
        // The form in which a mirroring names its files is not established.
        let form = (try? MirroringTables.first(on: connection)) == nil ? "" : " in a form that is known"
        issues.append(
            StoreIssue(.externalOrphan, "no value names the external file \(first)\(more)\(form)", severity: .warning))
    }
}
