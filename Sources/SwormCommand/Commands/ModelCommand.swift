import Foundation
import OpenCoreData

/// `sworm-tool model`: shows the model of a store, or the model in a file.
enum ModelCommand {
    static let command = Command(
        CommandSpec(
            "model", summary: "Shows the model of a store or of a file, or writes it in another form.",
            discussion: [
                "--swift writes structs with tables for Sworm, with comments for features that tables do not support. --classes "
                    + "writes the subclasses of NSManagedObject that the model names, with @Managed properties. --xml writes "
                    + "the document of an .xcdatamodel folder, which has the same version hashes; with --output "
                    + "Name.xcdatamodel, the folder is created."
            ],
            operands: [OperandSpec("STORE|MODEL", summary: "A store file, or a model.")],
            options: [
                OptionSpec("swift", summary: "Writes structs in Swift."),
                OptionSpec("classes", summary: "Writes subclasses of NSManagedObject in Swift."),
                OptionSpec("xml", summary: "Writes XML."), OptionSpec("json", summary: "Writes JSON."),
                OptionSpec("output", short: "o", value: "PATH", summary: "Writes to a file."),
                OptionSpec("force", summary: "Replaces an existing file."), StoreModelChoice.option,
            ],
            examples: [
                "sworm-tool model Library.xcdatamodeld",
                "sworm-tool model Library.sqlite --model Library.xcdatamodeld --swift",
                "sworm-tool model Library.xcdatamodeld --classes --output Library.swift",
            ])
    ) { arguments, console in
        let forms = ["swift", "classes", "xml", "json"].filter(arguments.has)
        guard forms.count < 2 else {
            throw ToolError(.usage, "--\(forms[0]) and --\(forms[1]) exclude each other", hint: "choose one")
        }
        let (model, source) = try StoreModelChoice.model(of: arguments)
        for note in model.readingNotes { console.warn(note) }
        let inner = Console(out: ByteSink(), err: console.err, width: console.width)
        switch forms.first {
        case "swift": inner.out.write(try SwiftModelWriter.text(model, source: source))
        case "classes": inner.out.write(try SwiftClassWriter.text(model, source: source))
        case "xml": inner.out.write(ModelXMLWriter.text(model))
        case "json": inner.answer(try ModelJSON.value(model))
        default: try ModelListing.write(model, source: source, to: inner)
        }
        guard let path = arguments.value("output") else {
            console.out.write(inner.out.text)
            return .ok
        }
        try write(inner.out.text, to: path, replaces: arguments.has("force"))
        return .ok
    }

    private static func write(_ text: String, to path: String, replaces: Bool) throws {
        var url = Arguments.url(path)
        let isFolder = url.pathExtension.lowercased() == "xcdatamodel"
        try FilePath.checkOutput(path, isFolder: isFolder)
        if isFolder { url.appendPathComponent("contents") }
        guard replaces || !FileManager.default.fileExists(atPath: url.path) else {
            throw ToolError(
                .fileExists, "the file '\(url.path)' already exists",
                hint: "choose another name, or replace it with --force")
        }
        do {
            if isFolder {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            }
            try Data(text.utf8).write(to: url, options: .atomic)
        } catch {
            throw ToolError(.file, "'\(url.path)' cannot be written: \((error as NSError).localizedDescription)")
        }
    }
}
