import Foundation

/// Runs the compiler that built these tests on small sources that import the library.
struct SnippetCompiler: Sendable {
    /// How far the compiler goes. Data races between isolation domains are found only in the second stage, and only
    /// when the first one found no error.
    enum Stage: Sendable { case types, dataFlow }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Nil when the compiler or the built modules are not found.
    static let found = SnippetCompiler()

    let compiler: URL
    let modules: URL

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

    /// What the compiler says about some files, by their names.
    func diagnostics(of files: [String: String], stage: Stage, _ options: [String] = []) throws -> [String: [String]] {
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

    /// How many milliseconds the compiler takes for the slowest expression of a source; at least one.
    func slowestExpression(of source: String) throws -> Int {
        let output = try run(
            ["Source": source], stage: .types, ["-Xfrontend", "-warn-long-expression-type-checking=1"])
        if output.contains("error:") { throw Failure(description: output) }
        return output.matches(of: /took (\d+)ms to type-check/).compactMap { Int($0.1) }.max() ?? 1
    }

    private func run(_ files: [String: String], stage: Stage, _ options: [String]) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sworm-snippets-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var paths: [String] = []
        for (name, source) in files.sorted(by: { $0.key < $1.key }) {
            let url = folder.appending(path: "\(name).swift")
            try Data(source.utf8).write(to: url)
            paths.append(url.path)
        }
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
            .standardized
        let process = Process()
        process.executableURL = compiler
        process.arguments =
            (stage == .types ? ["-typecheck"] : ["-emit-sil", "-o", "/dev/null"])
            // A file named main may have statements at its top.
            + (files.keys.contains("main") ? [] : ["-parse-as-library"])
            + ["-wmo", "-module-name", "Snippets", "-swift-version", "6", "-I", modules.path]
            + ["CSwormSQLite", "CSwormZlib"].flatMap { ["-I", sources.appending(path: $0).path] } + options + paths
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let handle = try FileHandle(forWritingTo: log)
        process.standardError = handle
        process.standardOutput = handle
        try process.run()
        process.waitUntilExit()
        try handle.close()
        return String(decoding: try Data(contentsOf: log), as: UTF8.self)
    }
}

/// A few lines that the compiler must refuse, or warn of, and the words that it must use.
struct Misuse: Sendable {
    let name: String
    /// Statements, or declarations if ``isDeclaration``.
    let code: String
    let expected: String
    var isDeclaration = false

    static func declaration(_ name: String, _ code: String, expected: String) -> Misuse {
        Misuse(name: name, code: code, expected: expected, isDeclaration: true)
    }

    init(_ name: String, _ code: String, expected: String) {
        self.init(name: name, code: code, expected: expected)
    }

    private init(name: String, code: String, expected: String, isDeclaration: Bool = false) {
        self.name = name
        self.code = code
        self.expected = expected
        self.isDeclaration = isDeclaration
    }

    /// A file with these lines in it, whose names clash with no other file's.
    func source(_ number: Int) -> String {
        "import Foundation\nimport Sworm\n"
            + (isDeclaration
                ? "enum Case\(number) {\n\(code)\n}\n" : "func case\(number)() throws {\n\(code)\n}\n")
    }

    /// Compiles all cases in one go and gives, for each, what the compiler said about it.
    static func check(_ cases: [Misuse], models: String, stage: SnippetCompiler.Stage) throws -> [(Misuse, [String])] {
        guard let compiler = SnippetCompiler.found else { return [] }
        var files = ["Models": models]
        for (number, misuse) in cases.enumerated() { files["Case\(number)"] = misuse.source(number) }
        let said = try compiler.diagnostics(of: files, stage: stage)
        if let lines = said["Models"] { throw SnippetCompiler.Failure(description: "the models: \(lines)") }
        return cases.enumerated().map { ($1, said["Case\($0)"] ?? []) }
    }
}
