import Foundation
import TestSupport
import Testing

/// A tutorial, as text, with the code files of its steps.
private struct Tutorial {
    struct Step {
        /// The name that the reader sees.
        let name: String
        /// The file in the folder of the tutorial.
        let file: String
    }

    let folder: URL
    let steps: [Step]

    init(_ name: String) throws {
        let path = "Sources/Sworm/Sworm.docc/Tutorials/\(name)"
        folder = Document.root.appending(path: path)
        steps = try Document("\(path)/\(name).tutorial").text
            .matches(of: /@Code\(name: "([^"]+)", file: "([^"]+)"/)
            .map { Step(name: String($0.1), file: String($0.2)) }
    }

    func code(of step: Step) throws -> String {
        try String(contentsOf: folder.appending(path: step.file), encoding: .utf8)
    }
}

@Suite("The tutorials", .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct TutorialTests {
    @Test(arguments: ["PhoneStore", "SafeChange"])
    func `the code of every step compiles, together with the other files of the reader`(name: String) throws {
        let compiler = try #require(SnippetCompiler.found)
        let tutorial = try Tutorial(name)
        var files: [String: String] = [:]
        for step in tutorial.steps where step.name.hasSuffix(".swift") && step.name != "Package.swift" {
            files[String(step.name.dropLast(".swift".count))] = try tutorial.code(of: step)
            #expect(try compiler.diagnostics(of: files, stage: .dataFlow) == [:], "\(step.file)")
        }
        #expect(!files.isEmpty)
    }

    @Test func `the manifest of a step compiles`() throws {
        let compiler = try #require(SnippetCompiler.found)
        let tutorial = try Tutorial("PhoneStore")
        let step = try #require(tutorial.steps.first { $0.name == "Package.swift" })
        let library = compiler.compiler.deletingLastPathComponent().appending(path: "../lib/swift/pm/ManifestAPI")
        let options = ["-package-description-version", "6.2.0", "-I", library.standardized.path]
        #expect(try compiler.diagnostics(of: ["main": tutorial.code(of: step)], stage: .types, options) == [:])
    }

    @Test(arguments: ["PhoneStore", "SafeChange"])
    func `every code file belongs to a step`(name: String) throws {
        let tutorial = try Tutorial(name)
        let files = try FileManager.default.contentsOfDirectory(atPath: tutorial.folder.path)
        #expect(Set(files.filter { !$0.hasSuffix(".tutorial") }) == Set(tutorial.steps.map(\.file)))
    }

    @Test(arguments: ["Sworm", "SwormMigrations", "SwormTools", "SwormLegacy", "OpenCoreData"])
    func `the code of the landing pages compiles`(module: String) throws {
        let compiler = try #require(SnippetCompiler.found)
        let code = try Document("Sources/\(module)/\(module).docc/\(module).md").blocks("swift")
        #expect(code.contains("import \(module)"))
        #expect(try compiler.diagnostics(of: ["main": code], stage: .dataFlow) == [:])
    }
}
