import Foundation
@testable import OpenCoreData
import SwormPredicates
import SwormSQLite

@testable import SwormCommand

/// A folder of its own for one test, with a model and stores in it; removed at the end.
final class Workshop {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "command-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try write(LibraryXML.text, model: "Library")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var modelPath: String { file("Library.xcdatamodel") }
    var storePath: String { file("Library.sqlite") }

    func file(_ name: String) -> String { path + "/" + name }
    func url(_ name: String) -> URL { URL(fileURLWithPath: file(name)) }

    func write(_ xml: String, model name: String) throws {
        let folder = file(name + ".xcdatamodel")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(xml.utf8).write(to: URL(fileURLWithPath: folder + "/contents"))
    }

    func model() throws -> CompiledModel {
        try NSManagedObjectModel.load(contentsOf: URL(fileURLWithPath: modelPath)).compiled()
    }

    /// Makes the store, and leaves it closed.
    ///
    /// - Parameter keepsModel: Whether it gets a copy of its model, as every store that a coordinator makes.
    func makeStore(_ name: String = "Library.sqlite", keepsModel: Bool = false) throws {
        let store = try openStore(name, keepsModel: keepsModel)
        try store.save(LibraryXML.content(store.model))
        store.close()
    }

    func openStore(_ name: String = "Library.sqlite", keepsModel: Bool = false) throws -> SQLiteStore {
        var options = StoreOptions()
        if keepsModel {
            options.modelCache = try NSManagedObjectModel.load(contentsOf: URL(fileURLWithPath: modelPath)).storeCache()
        }
        options.tracksHistory = true
        return try SQLiteStore.open(url: url(name), model: model(), options: options)
    }

    /// Copies the files of the store that have these ends, and its external data, under another name.
    func copyStore(to name: String, with suffixes: [String]) throws {
        for suffix in suffixes {
            try FileManager.default.copyItem(atPath: storePath + suffix, toPath: file("\(name).sqlite") + suffix)
        }
        try FileManager.default.copyItem(atPath: file(".Library_SUPPORT"), toPath: file(".\(name)_SUPPORT"))
    }

    /// A plain connection to a store, past all our code.
    func raw(_ name: String = "Library.sqlite") throws -> Connection {
        try Connection(.file(path: file(name)), options: .init(busyTimeout: 0.3))
    }

    /// Runs plain SQL on a closed store and leaves one file behind.
    func execute(_ sql: String, on name: String = "Library.sqlite") throws {
        try raw(name).execute(sql)
    }

    /// The content of every file in the folder, by path.
    func contents() throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            result[name] = FileManager.default.contents(atPath: file(name)) ?? Data()
        }
        return result
    }

    /// Runs a command on the store with its model.
    func run(_ command: String, _ words: String..., store: String? = nil, width: Int = 80) -> Run {
        Run([command, store ?? storePath] + words + ["--model", modelPath], width: width)
    }
}

/// A run of the tool, and what came of it.
struct Run {
    let code: ExitCode
    let out: String
    let err: String

    init(_ words: [String], width: Int = 80) {
        let console = Console(out: ByteSink(), err: ByteSink(), width: width)
        code = SwormTool.run(words, console: console)
        out = console.out.text
        err = console.err.text
    }

    /// The output as the JSON that it is.
    func json() throws -> Any { try JSONSerialization.jsonObject(with: Data(out.utf8), options: .fragmentsAllowed) }

    var lines: [String] { out.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
}
