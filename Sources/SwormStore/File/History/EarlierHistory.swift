import Foundation
import SwormSQLite

/// Finds the transactions that earlier versions of this library wrote, whose changes count properties in another order.
///
/// Those versions wrote the name of a program without a bundle both as its bundle identifier and as its process, which
/// this version does not do. Because Core Data may write a name twice, too, the changes decide: the first change whose
/// bits are valid in only one order decides for all changes of that program. Without such a change, the order is Core
/// Data's.
struct EarlierHistory {
    let connection: StoreConnection
    let model: CompiledModel
    let tables: HistoryTables

    /// Returns the given programs that wrote with an earlier version.
    func programs(among candidates: Set<String>) throws -> Set<String> {
        // If a table lacks a column, its changes do not decide.
        guard ["ZCOLUMNS", "ZTRANSACTIONID", "ZCHANGETYPE", "ZENTITY"].allSatisfy({ tables.has($0, in: .change) }),
            tables.has("Z_PK", in: .transaction)
        else { return [] }
        return try candidates.filter(isEarlier)
    }

    /// Returns all programs that wrote with an earlier version.
    func programs() throws -> Set<String> {
        var candidates: Set<String> = []
        let (bundle, process) = (tables.text("ZBUNDLEID"), tables.text("ZPROCESSID"))
        try connection.rows("SELECT DISTINCT \(bundle) FROM ATRANSACTION t WHERE \(bundle) = \(process)") { row in
            if case .text(let name) = row.storedValue(0) { candidates.insert(name) }
        }
        return try programs(among: candidates)
    }

    private func isEarlier(_ program: String) throws -> Bool {
        var statement = try connection.base.statement(
            """
            SELECT c.ZENTITY, c.ZCOLUMNS FROM ACHANGE c JOIN ATRANSACTION t ON t.Z_PK = c.ZTRANSACTIONID \
            WHERE c.ZCHANGETYPE = 1 AND typeof(c.ZCOLUMNS) = 'blob' \
            AND \(tables.text("ZBUNDLEID")) = ?1 AND \(tables.text("ZPROCESSID")) = ?1
            """)
        try statement.bind([StoredValue.text(program)])
        while try statement.step() {
            guard case .integer(let number) = statement.storedValue(0), let entity = model.entity(numbered: number),
                case .blob(let bits) = statement.storedValue(1)
            else { continue }
            let isByName = tables.properties(of: entity.number, in: .byName).names(bits) != nil
            let isByGroup = tables.properties(of: entity.number).names(bits) != nil
            if isByName != isByGroup { return isByName }
        }
        return false
    }

    /// Rewrites the properties of these transactions in Core Data's order, and records their programs as this version
    /// does.
    ///
    /// Called inside a transaction.
    func renew() throws {
        let programs = try programs()
        guard !programs.isEmpty else { return }
        try register()
        let written = "\(tables.text("ZBUNDLEID")) = ?1 AND \(tables.text("ZPROCESSID")) = ?1"
        let own = "ZTRANSACTIONID IN (SELECT t.Z_PK FROM ATRANSACTION t WHERE \(written))"
        for program in programs {
            try connection.run(
                """
                UPDATE ACHANGE SET ZCOLUMNS = \(Self.function)(ZENTITY, ZCOLUMNS) \
                WHERE ZCHANGETYPE = 1 AND typeof(ZCOLUMNS) = 'blob' AND \(own)
                """, binding: [.text(program)])
            for entity in model.entities { try moveTombstones(of: entity, where: own, program) }
            let name = Self.bundleIdentifier(of: program)
            if tables.hasStrings, tables.has("ZBUNDLEIDTS", in: .transaction) {
                let key = try HistoryKeys.key(ofString: name, model: model, connection: connection)
                try connection.run(
                    "UPDATE ATRANSACTION AS t SET ZBUNDLEIDTS = \(key) WHERE \(written)", binding: [.text(program)])
            } else {
                try connection.run(
                    "UPDATE ATRANSACTION AS t SET ZBUNDLEID = ?2 WHERE \(written)",
                    binding: [.text(program), .text(name)])
            }
        }
    }

    private static let function = "SwormEarlierProperties"

    /// Registers the function that translates the bits of a change. Invalid bits become NULL.
    private func register() throws {
        try connection.base.addFunction(Self.function, argumentCount: 2, deterministic: true) { [model, tables] call in
            guard let entity = model.entity(numbered: call.int64(0)), let bits = call.blob(1),
                let names = tables.properties(of: entity.number, in: .byName).names(Data(bits))
            else { return .null }
            var slots: Set<PropertySlot> = []
            for (slot, attribute) in entity.attributes.enumerated() where names.contains(attribute.propertyName) {
                slots.insert(.attribute(slot))
            }
            for (slot, relationship) in entity.relationships.enumerated() where names.contains(relationship.name) {
                slots.insert(.relationship(slot))
            }
            return .blob(Array(tables.properties(of: entity.number).bits(slots)))
        }
    }

    private func moveTombstones(of entity: CompiledEntity, where own: String, _ program: String) throws {
        let old = tables.properties(of: entity.number, in: .byName).tombstones.map(\.slot)
        let new = tables.properties(of: entity.number).tombstones.map(\.slot)
        guard old != new else { return }
        let settings = new.enumerated().map { index, slot in
            "\(HistoryTables.tombstone(index)) = \(old.firstIndex(of: slot).map(HistoryTables.tombstone) ?? "NULL")"
        }
        try connection.run(
            """
            UPDATE ACHANGE SET \(settings.joined(separator: ", ")) \
            WHERE ZCHANGETYPE = 2 AND ZENTITY = \(entity.number) AND \(own)
            """, binding: [.text(program)])
    }

    /// Returns the bundle identifier that the history records for a program without one.
    static func bundleIdentifier(of program: String) -> String { "local.\(program)" }
}

extension StoredTransaction {
    /// The name of a program that is also recorded as the bundle identifier, or nil if the two differ.
    var unnamedProgram: String? { bundleID == processID ? bundleID : nil }
}
