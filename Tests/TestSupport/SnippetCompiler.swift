package import Foundation

/// Runs the compiler that built these tests on small sources that import the library.
package struct SnippetCompiler: Sendable {
    /// How far the compiler goes. Data races between isolation domains are found only in the second stage, and only
    /// when the first one found no error. Sources that import modules which are not there can only be parsed.
    package enum Stage: Sendable { case syntax, types, dataFlow }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Nil when the compiler or the built modules are not found.
    package static let found = SnippetCompiler()

    package let compiler: URL
    package let modules: URL

    private init?() {
        guard let compiler = Self.compilers.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) })
        else { return nil }
        let executable = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        var folder = executable.deletingLastPathComponent()
        // The test bundle lies in the build folder, on some systems some levels down.
        for _ in 0..<5 {
            for modules in [folder.appending(path: "Modules"), folder]
            where FileManager.default.fileExists(atPath: modules.appending(path: "Sworm.swiftmodule").path) {
                self.compiler = compiler
                self.modules = modules
                return
            }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// The compiler beside the run-time library that this process uses, then those of the search path.
    private static var compilers: [URL] {
        var folders: [URL] = []
        let maps = (try? String(contentsOf: URL(filePath: "/proc/self/maps"), encoding: .utf8)) ?? ""
        if let line = maps.split(separator: "\n").first(where: { $0.hasSuffix("/libswiftCore.so") }),
            let slash = line.firstIndex(of: "/")
        {
            // usr/lib/swift/linux/libswiftCore.so
            var folder = URL(filePath: String(line[slash...]))
            for _ in 0..<4 { folder.deleteLastPathComponent() }
            folders.append(folder.appending(path: "bin"))
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        folders += path.split(separator: ":").map { URL(filePath: String($0)) }
        return folders.map { $0.appending(path: "swiftc") }
    }

    /// Returns whether a module was built beside the library.
    package func hasModule(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: modules.appending(path: "\(name).swiftmodule").path)
    }

    /// What the compiler says about some files, by their names.
    package func diagnostics(of files: [String: String], stage: Stage, _ options: [String] = []) throws -> [String:
        [String]]
    {
        let output = try run(files, stage: stage, options)
        var result: [String: [String]] = [:]
        for line in output.split(separator: "\n") {
            guard let match = line.wholeMatch(of: /.*?([^\/]+)\.swift:\d+:\d+: ((?:error|warning): .*)/) else {
                continue
            }
            result[String(match.1), default: []].append(String(match.2))
        }
        if result.isEmpty, output.contains("error:") { throw Failure(description: output) }
        return result
    }

    /// How many partial solutions the compiler looks at until it knows the types of all expressions of a source.
    ///
    /// The time that this takes grows with them, and they are the same on each machine and under each load.
    package func solverScopes(of source: String) throws -> Int {
        let statistics = try makeFolder()
        defer { try? FileManager.default.removeItem(at: statistics) }
        let output = try run(["Source": source], stage: .types, ["-stats-output-dir", statistics.path])
        if output.contains("error:") { throw Failure(description: output) }
        var scopes: Int?
        for file in try FileManager.default.contentsOfDirectory(at: statistics, includingPropertiesForKeys: nil) {
            let counters = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
            guard let count = counters?["Sema.NumConstraintScopes"] as? Int else { continue }
            scopes = (scopes ?? 0) + count
        }
        guard let scopes else { throw Failure(description: "The compiler counts nothing.") }
        return scopes
    }

    /// Builds a program of several modules, each one file, with the library, and runs it.
    ///
    /// - Parameters:
    ///   - parts: The files of the modules, by the modules' names.
    ///   - main: The program's main file, which imports them.
    /// - Returns: What it printed.
    package func output(of parts: [String: String], main: String, _ arguments: [String]) throws -> String {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var objects: [String] = []
        for (name, source) in parts.sorted(by: { $0.key < $1.key }) {
            let file = folder.appending(path: "\(name).swift")
            try Data(source.utf8).write(to: file)
            let object = folder.appending(path: "\(name).o").path
            try succeed(
                [
                    "-c", "-parse-as-library", "-emit-module", "-emit-module-path",
                    folder.appending(path: "\(name).swiftmodule").path, "-module-name", name, "-o", object, file.path,
                ] + includes, in: folder)
            objects.append(object)
        }
        let build = modules.lastPathComponent == "Modules" ? modules.deletingLastPathComponent() : modules
        // What the package's own programs are linked from: the folders of the modules may hold what was left by earlier builds.
        let list = build.appending(path: "Tour.product/Objects.LinkFileList")
        objects += try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map(String.init).filter {
            path in
            !path.contains("/Tour.build/")
        }
        let file = folder.appending(path: "main.swift")
        try Data(main.utf8).write(to: file)
        let program = folder.appending(path: "program")
        try succeed(
            ["-o", program.path, "-I", folder.path, file.path, "-lsqlite3", "-lz"] + postgres + sanitizer + includes
                + objects,
            in: folder)
        let (output, status) = try run(program, arguments, in: folder)
        guard status == 0 else { throw Failure(description: output) }
        return output
    }

    /// The option of the sanitizer that this process was built with, which the package's objects call.
    private var sanitizer: [String] {
        for name in ["thread", "address"] where dlsym(nil, "__\(name.first ?? "t")san_init") != nil {
            return ["-sanitize=\(name)"]
        }
        return []
    }

    private var includes: [String] {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
        #if PostgreSQL
        let libraries = ["CSwormSQLite", "CSwormSystem", "CSwormZlib", "CSwormPQ"]
        #else
        let libraries = ["CSwormSQLite", "CSwormSystem", "CSwormZlib"]
        #endif
        return ["-swift-version", "6", "-I", modules.path]
            + libraries.flatMap { ["-I", sources.appending(path: $0).path] } + headers
    }

    /// The folders with the headers of libpq, which systems keep in different ones.
    private var headers: [String] {
        #if PostgreSQL
        ["/usr/include/postgresql", "/opt/homebrew/opt/libpq/include", "/usr/local/opt/libpq/include"]
            .filter { FileManager.default.fileExists(atPath: $0) }.flatMap { ["-Xcc", "-I\($0)"] }
        #else
        []
        #endif
    }

    /// The libraries that the package's objects need with its trait.
    private var postgres: [String] {
        #if PostgreSQL
        ["-lpq"]
        #else
        []
        #endif
    }

    private func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sworm-snippets-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func succeed(_ arguments: [String], in folder: URL) throws {
        let (output, status) = try run(compiler, arguments, in: folder)
        guard status == 0 else { throw Failure(description: output) }
    }

    private func run(_ files: [String: String], stage: Stage, _ options: [String]) throws -> String {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        var paths: [String] = []
        for (name, source) in files.sorted(by: { $0.key < $1.key }) {
            let url = folder.appending(path: "\(name).swift")
            try Data(source.utf8).write(to: url)
            paths.append(url.path)
        }
        let arguments =
            stageOptions(stage)
            // A file named main may have statements at its top.
            + (files.keys.contains("main") ? [] : ["-parse-as-library"])
            + ["-wmo", "-module-name", "Snippets"] + includes + options + paths
        return try run(compiler, arguments, in: folder).output
    }

    private func stageOptions(_ stage: Stage) -> [String] {
        switch stage {
        case .syntax: ["-parse"]
        case .types: ["-typecheck"]
        case .dataFlow: ["-emit-sil", "-o", "/dev/null"]
        }
    }

    private func run(_ program: URL, _ arguments: [String], in folder: URL) throws -> (output: String, status: Int32) {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        // A file is used because the program would block on a pipe that is not read.
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let handle = try FileHandle(forWritingTo: log)
        process.standardError = handle
        process.standardOutput = handle
        try process.run()
        process.waitUntilExit()
        try handle.close()
        return (String(decoding: try Data(contentsOf: log), as: UTF8.self), process.terminationStatus)
    }
}
