import TestSupport

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
