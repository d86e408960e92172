import Foundation
import OpenCoreData
import SwormStore

/// `sworm-tool dump`: writes a whole store as lines of JSON.
enum DumpCommand {
    static let command = Command(
        CommandSpec(
            "dump", summary: "Writes a whole store as lines of JSON: a header, then one object per line.",
            discussion: [
                "The lines have a stable order, by entity and primary key, so two dumps can be compared line by line. Values "
                    + "are exact: 'import' creates the same store from them, unless binary data was dumped as hashes.",
                "The last line marks the dump as complete.",
            ],
            operands: [OperandSpec("STORE", summary: "The store file.")],
            options: [
                OptionSpec(
                    "blobs", value: "FORM", choices: BlobStyle.allCases.map(\.rawValue),
                    summary:
                        "The format of binary data: its content (base64, the default), or its size and SHA-256 (hash)."),
                StoreModelChoice.option,
            ],
            examples: ["sworm-tool dump Library.sqlite > library.ndjson"])
    ) { arguments, console in
        let store = try StoreReader(arguments.operands[0], arguments: arguments)
        let blobs = BlobStyle(arguments, otherwise: .base64)
        try writeHeader(of: store, blobs: blobs, to: console)
        let progress = Progress(console, label: "objects")
        var count = 0
        for entity in store.model.entities where !entity.isAbstract {
            let stream = try ObjectStream(from: store, of: entity, blobs: blobs)
            while let record = try stream.record() {
                write(record, to: console.out)
                count += 1
                progress.update(count)
                try console.out.check()
            }
        }
        progress.end()
        console.line(DumpReader.end)
        store.missingFiles.report(console, of: arguments.operands[0])
        try UnmodeledRows.report(in: store, to: console)
        try PrivateSchema.report(in: store, to: console)
        return .ok
    }

    private static func writeHeader(of store: StoreReader, blobs: BlobStyle, to console: Console) throws {
        let metadata = try StoreInspector(url: store.url).metadata
        let own = metadata.dictionary.filter { !StoreMetadata.frameworkKeys.contains($0.key) }
        let list =
            own.isEmpty ? nil : try PropertyListSerialization.data(fromPropertyList: own, format: .binary, options: 0)
        let header = JSONValue.object([
            ("sworm-dump", .int(1)), ("identifier", .string(metadata.identifier)), ("blobs", .string(blobs.rawValue)),
            (
                "entities",
                .object(
                    metadata.versionHashes.sorted { $0.key < $1.key }.map {
                        ($0.key, .string($0.value.base64EncodedString()))
                    })
            ),
            ("metadata", .optional(list?.base64EncodedString())),
        ])
        header.write(to: console.out, indent: nil)
        console.line()
    }

    static func write(_ record: ObjectRecord, to out: ByteSink) {
        out.write("{\"entity\":" as StaticString)
        out.writeJSON(record.name.entity)
        out.write(",\"id\":" as StaticString)
        out.writeJSON(record.name.description)
        out.write(",\"attributes\":{" as StaticString)
        var isFirst = true
        for property in record.properties {
            guard case .attribute(let text) = property.value else { continue }
            write(property.name, isFirst: &isFirst, to: out)
            out.write(text)
        }
        out.write("},\"relations\":{" as StaticString)
        isFirst = true
        for property in record.properties {
            switch property.value {
            case .attribute: continue
            case .toOne(let name):
                write(property.name, isFirst: &isFirst, to: out)
                if let name { out.writeJSON(name.description) } else { out.write("null" as StaticString) }
            case .toMany(let names, _):
                write(property.name, isFirst: &isFirst, to: out)
                JSONValue.array(names.map { .string($0.description) }).write(to: out, indent: nil)
            }
        }
        out.write("}}\n" as StaticString)
    }

    private static func write(_ name: String, isFirst: inout Bool, to out: ByteSink) {
        if !isFirst { out.write(UInt8(ascii: ",")) }
        isFirst = false
        out.writeJSON(name)
        out.write(UInt8(ascii: ":"))
    }
}
