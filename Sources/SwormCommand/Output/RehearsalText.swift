import Foundation
import OpenCoreData
import SwormStore

/// The findings of a rehearsal, as text and as JSON.
enum RehearsalText {
    static func write(_ report: RehearsalReport, to console: Console) {
        if report.steps.isEmpty, report.indexes.isEmpty {
            return console.line("nothing to do: the store already has that model")
        }
        if report.steps.isEmpty { console.line("the store already has that model") }
        for step in report.steps { write(step, to: console) }
        list("missing indexes that would be created", names: report.indexes.missing, to: console)
        list("changed indexes that would be recreated", names: report.indexes.changed, to: console)
        console.line("this was a rehearsal: the store is unchanged")
    }

    static func list(_ title: String, names: [String], to console: Console) {
        if !names.isEmpty { console.line("\(title): \(names.joined(separator: ", "))") }
    }

    /// Returns indexes as JSON.
    static func json(_ indexes: MissingIndexes.Changes) -> [(String, JSONValue)] {
        [
            ("indexes", .array(indexes.missing.map { .string($0) })),
            ("changedIndexes", .array(indexes.changed.map { .string($0) })),
        ]
    }

    private static func write(_ step: RehearsalReport.Step, to console: Console) {
        console.line("from \(step.from) to \(step.to)")
        console.line()
        let table = TextTable(
            ["entity", "becomes", "objects", "then"], right: [false, false, true, true], width: console.width,
            to: console.out)
        for entity in step.entities {
            table.add([
                entity.source ?? "(new)", entity.destination ?? "(deleted)", "\(entity.rowsIn)",
                entity.rowsOut.map { "\($0)" } ?? "?",
            ])
        }
        table.end()
        console.line()
        // Clashes are listed among the reasons.
        for finding in step.findings where finding.kind != .clash {
            console.line("\(finding.kind.rawValue): \(finding.message)")
        }
        for note in step.notes { console.line("note: \(note)") }
        if step.removedFiles > 0 { console.line("external data files that would be removed: \(step.removedFiles)") }
        var sizes = "\(ByteCountText.text(step.sizeBefore)) before"
        if let size = step.sizeAfter { sizes += ", \(ByteCountText.text(size)) after" }
        if step.peakSize > 0 {
            sizes += ", at most \(ByteCountText.text(step.peakSize)) of additional disk space during the migration"
        }
        console.line("size: \(sizes); time: \(time(step.seconds))")
        for refusal in step.refusals { console.line("refused: \(refusal)") }
        console.line(step.refusals.isEmpty ? "the store can be migrated" : "the store cannot be migrated")
    }

    static func time(_ seconds: Double) -> String { String(format: "%.2f s", seconds) }

    static func json(_ report: RehearsalReport, store: String, model: String) -> JSONValue {
        .object(
            [
                ("store", .string(store)), ("model", .string(model)), ("dryRun", .bool(true)),
                ("migrates", .bool(report.migrates)), ("keepsEverything", .bool(report.keepsEverything)),
                ("steps", .array(report.steps.map(json))),
            ] + json(report.indexes))
    }

    private static func json(_ step: RehearsalReport.Step) -> JSONValue {
        .object([
            ("from", .string(step.from)), ("to", .string(step.to)),
            ("refusals", .array(step.refusals.map { .string($0) })),
            (
                "entities",
                .array(
                    step.entities.map {
                        .object([
                            ("source", .optional($0.source)), ("destination", .optional($0.destination)),
                            ("rowsIn", .int($0.rowsIn)), ("rowsOut", $0.rowsOut.map { .int($0) } ?? .null),
                        ])
                    })
            ),
            (
                "findings",
                .array(
                    step.findings.map {
                        .object([
                            ("kind", .string($0.kind.rawValue)), ("entity", .string($0.entity)),
                            ("property", .optional($0.property)), ("count", .int($0.count)),
                            ("message", .string($0.message)),
                        ])
                    })
            ),
            ("notes", .array(step.notes.map { .string($0) })), ("removedFiles", .count(step.removedFiles)),
            ("seconds", .double(step.seconds)), ("sizeBefore", .int(step.sizeBefore)),
            ("sizeAfter", step.sizeAfter.map { .int($0) } ?? .null), ("peakSize", .int(step.peakSize)),
        ])
    }
}
