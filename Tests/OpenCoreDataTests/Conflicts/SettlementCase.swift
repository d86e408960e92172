import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A model, rows and requests for settlements that need no store, and settlements as lines of text.
struct SettlementCase {
    static let policies: [NSMergePolicyType] = [
        .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
        .overwriteMergePolicyType, .rollbackMergePolicyType,
    ]

    let model: CompiledModel
    var request = SaveRequest()
    var fresh: FreshRows

    init() throws {
        model = try Self.model()
        fresh = FreshRows(model: model)
    }

    private static func model() throws -> CompiledModel {
        let person = Build.entity(
            "Person",
            [
                Build.attribute("age", .integer64AttributeType), Build.attribute("name"),
                Build.attribute("photo", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
                Build.attribute("scratch") { $0.isTransient = true },
                Build.derived("upper", .stringAttributeType, "uppercase:(name)"),
            ])
        let hero = Build.entity("Hero", [Build.attribute("power", .integer64AttributeType)])
        person.subentities = [hero]
        let card = Build.entity("Card", [Build.attribute("name")])
        let tag = Build.entity("Tag", [Build.attribute("name")])
        func connect(
            _ one: NSRelationshipDescription, _ other: NSRelationshipDescription, with second: NSEntityDescription
        ) {
            Build.connect(one, other)
            person.properties.append(one)
            second.properties.append(other)
        }
        connect(Build.toMany("staff", person), Build.toOne("boss", person), with: person)
        let (cascade, deny): (NSDeleteRule, NSDeleteRule) = (.cascadeDeleteRule, .denyDeleteRule)
        connect(Build.toMany("heirs", person) { $0.deleteRule = cascade }, Build.toOne("parent", person), with: person)
        connect(Build.toMany("guests", person) { $0.deleteRule = deny }, Build.toOne("host", person), with: person)
        connect(Build.toOne("card", card), Build.toOne("holder", person), with: card)
        connect(Build.toMany("tags", tag) { $0.deleteRule = cascade }, Build.toMany("people", person), with: tag)
        connect(Build.toMany("marks", tag) { $0.deleteRule = deny }, Build.toMany("marked", person), with: tag)
        return try Build.model(person, hero, card, tag).compiled()
    }

    // MARK: Rows

    func row(_ entity: String, _ key: Int64) -> RowID {
        RowID(entity: model.entity(named: entity)?.number ?? 0, key: key)
    }

    func person(_ key: Int64) -> RowID { row("Person", key) }
    func card(_ key: Int64) -> RowID { row("Card", key) }
    func tag(_ key: Int64) -> RowID { row("Tag", key) }

    func slot(_ name: String, of row: RowID) -> Int {
        switch model[row.entity].slot(named: name) {
        case .attribute(let slot), .relationship(let slot): slot
        case nil: -1
        }
    }

    func snapshot(
        _ row: RowID, version: Int64, _ values: [String: SnapshotValue] = [:],
        toOnes: [String: RowID] = [:]
    ) -> RowSnapshot {
        let entity = model[row.entity]
        return RowSnapshot(
            row: row, version: version,
            attributes: entity.attributes.map { values[$0.name] ?? .value(.null) },
            toOnes: entity.relationships.map { toOnes[$0.name] })
    }

    /// A conflict over a row, with what the context has read and what the store has.
    func conflict(
        _ row: RowID, cached: RowSnapshot?, persisted: RowSnapshot?, object: RowSnapshot? = nil
    ) -> MergeConflict {
        MergeConflict(
            sourceObject: row, oldVersionNumber: cached?.version ?? 0, cachedSnapshot: cached,
            persistedSnapshot: persisted, objectSnapshot: object ?? cached)
    }

    // MARK: Requests

    mutating func insert(
        _ row: RowID, _ values: [String: AttributeValue] = [:], toOnes: [String: RowID] = [:]
    ) {
        let entity = model[row.entity]
        request.insertions.append(
            SaveRequest.Insertion(
                row: row, attributes: entity.attributes.map { values[$0.name] ?? .null },
                toOnes: entity.relationships.map { toOnes[$0.name] }))
    }

    mutating func update(
        _ row: RowID, version: Int64 = 1, _ values: [String: AttributeValue] = [:],
        toOnes: [(String, RowID?)] = []
    ) {
        var attributes = SlotValues()
        for (name, value) in values { attributes[slot(name, of: row)] = value }
        request.updates.append(
            SaveRequest.Update(
                row: row, version: version, attributes: attributes,
                toOnes: toOnes.map { (slot($0.0, of: row), $0.1) }))
    }

    mutating func delete(_ row: RowID, version: Int64 = 1) {
        request.deletions.append(SaveRequest.Deletion(row: row, version: version))
    }

    func link(_ owner: RowID, _ name: String, _ destination: RowID) -> SaveRequest.Link {
        SaveRequest.Link(owner: owner, relationship: slot(name, of: owner), destination: destination)
    }

    func settlement(_ policy: NSMergePolicyType) -> ConflictSettlement {
        ConflictSettlement(of: request, by: policy, fresh: fresh)
    }
}

// MARK: Text

extension SettlementCase {
    /// What a settlement makes of the request, and what it asks of the objects.
    func lines(_ settlement: ConflictSettlement) -> [String] {
        lines(settlement.request) + settlement.steps.map { "- " + text($0) }
    }

    func lines(_ request: SaveRequest) -> [String] {
        var lines: [String] = []
        for insertion in request.insertions {
            let entity = model[insertion.row.entity]
            let values = zip(entity.attributes, insertion.attributes).filter { $1 != .null }.map {
                "\($0.name)=\(text($1))"
            }
            let toOnes = zip(entity.relationships, insertion.toOnes).compactMap { relationship, row in
                row.map { "\(relationship.name)=\(text($0))" }
            }
            let after = insertion.lostVersion.map { ["after \($0)"] } ?? []
            lines.append((["insert \(text(insertion.row))"] + after + values + toOnes).joined(separator: " "))
        }
        for update in request.updates {
            let entity = model[update.row.entity]
            let values = update.attributes.map { "\(entity.attributes[$0.slot].name)=\(text($0.value))" }
            let toOnes = update.toOnes.sorted { $0.slot < $1.slot }.map {
                "\(entity.relationships[$0.slot].name)=\($0.destination.map(text) ?? "nil")"
            }
            let version = update.version.map { "\($0)" } ?? "any"
            lines.append((["update \(text(update.row))@\(version)"] + values + toOnes).joined(separator: " "))
        }
        for deletion in request.deletions {
            lines.append("delete \(text(deletion.row))@\(deletion.version.map { "\($0)" } ?? "any")")
        }
        lines += request.addedLinks.map { "link \(text($0))" } + request.removedLinks.map { "unlink \(text($0))" }
        return lines + request.positions.map { "place \(text($0.link)) at \($0.orderKey)" }
    }

    private func text(_ link: SaveRequest.Link) -> String {
        "\(text(link.owner)).\(name(link.relationship, of: link.owner)) \(text(link.destination))"
    }

    private func name(_ slot: Int, of row: RowID) -> String { model[row.entity].relationships[slot].name }

    private func text(_ row: RowID) -> String { "\(model[row.entity].name) \(row.key)" }

    private func text(_ value: AttributeValue) -> String {
        switch value {
        case .null: "nil"
        case .int(let number): "\(number)"
        case .string(let string): string
        case .data(let data): data.hexadecimal
        default: "\(value)"
        }
    }

    private func text(_ step: ConflictSettlement.Step) -> String {
        switch step {
        case .merge(let row): "merge \(text(row))"
        case .rollBack(let row): "roll back \(text(row))"
        case .insertAnew(let row): "insert \(text(row)) anew"
        case .forget(let row): "forget \(text(row))"
        case .takeBackDeletion(let row, let isRolledBack): "keep \(text(row))\(isRolledBack ? ", rolled back" : "")"
        case .delete(let row): "delete \(text(row))"
        case .deny(let row, let slot): "deny \(text(row)).\(name(slot, of: row))"
        case .lead(let row, let slot, let destination):
            "lead \(text(row)).\(name(slot, of: row)) to \(destination.map(text) ?? "nil")"
        case .takeBack(let row, let slot): "take back \(text(row)).\(name(slot, of: row))"
        case .unite(let row, let other): "unite \(text(row)) with \(text(other))"
        }
    }
}
