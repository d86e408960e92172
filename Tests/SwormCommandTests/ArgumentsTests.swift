import Testing

@testable import SwormCommand

@Suite("Arguments")
struct ArgumentsTests {
    private let spec = CommandSpec(
        "paint", summary: "Paints.", operands: [OperandSpec("WALL", summary: "What to paint.")],
        options: [
            OptionSpec("color", short: "c", value: "NAME", summary: "The color."),
            OptionSpec("fast", summary: "In a hurry."),
            OptionSpec("form", value: "FORM", choices: ["flat", "round"], summary: "The form."),
        ])

    private func error(_ words: String...) throws -> ToolError {
        try #require(throws: ToolError.self) { _ = try Arguments(words, for: spec) }
    }

    @Test func `option values follow an equals sign or a space, and options can be at any position`() throws {
        for words in [["w", "--color", "red"], ["--color=red", "w"], ["-c", "red", "w"]] {
            let arguments = try Arguments(words, for: spec)
            #expect(arguments.operands == ["w"])
            #expect(arguments.value("color") == "red")
            #expect(!arguments.has("fast"))
        }
        #expect(try Arguments(["--color=a=b", "--fast", "w"], for: spec).value("color") == "a=b")
    }

    @Test func `two hyphens end the options`() throws {
        #expect(try Arguments(["--", "--color"], for: spec).operands == ["--color"])
    }

    @Test func `each usage error is reported with a way out`() throws {
        #expect(try error("w", "--colour", "x").hint == "did you mean '--color'?")
        #expect(try error("w", "--zzzzzzzz").hint == "see 'sworm-tool paint --help'")
        #expect(try error("w", "--color").message == "the option '--color' needs a value")
        #expect(try error("w", "--fast=1").message == "the option '--fast' takes no value")
        #expect(try error("w", "--form", "rond").hint == "did you mean 'round'?")
        #expect(try error("w", "--color", "a", "--color", "b").message == "the option '--color' is given twice")
        #expect(try error().message == "'paint' needs WALL")
        #expect(try error("a", "b").message == "'paint' does not take the argument 'b'")
    }

    @Test func `the last operands can be optional`() throws {
        let spec = CommandSpec(
            "hang", summary: "Hangs.",
            operands: [
                OperandSpec("PICTURE", summary: "It."), OperandSpec("WALL", summary: "There.", isOptional: true),
            ])
        #expect(try Arguments(["p"], for: spec).operands == ["p"])
        #expect(try Arguments(["p", "w"], for: spec).operands == ["p", "w"])
        let few = try #require(throws: ToolError.self) { _ = try Arguments([], for: spec) }
        #expect(few.message == "'hang' needs PICTURE")
        let many = try #require(throws: ToolError.self) { _ = try Arguments(["p", "w", "x"], for: spec) }
        #expect(many.message == "'hang' does not take the argument 'x'")
        #expect(HelpText.command(spec).contains("usage: sworm-tool hang PICTURE [WALL] [OPTIONS]"))
    }

    @Test func `lists are parted by commas outside brackets and quotes`() {
        #expect(Arguments.parts("a, b.c ,f:(x, y),\"q,r\"") == ["a", "b.c", "f:(x, y)", "\"q,r\""])
    }

    @Test func `an empty item of a list is rejected`() throws {
        for text in ["", ",", "a,", " ,a", "a,,b"] {
            let arguments = try Arguments(["--color", text, "w"], for: spec)
            let error = try #require(throws: ToolError.self) { _ = try arguments.list("color") }
            #expect(error.code == .usage)
            #expect(error.message.contains("empty") && error.hint != nil)
        }
        #expect(try Arguments(["--color", "a, b", "w"], for: spec).list("color") == ["a", "b"])
    }

    @Test func `every command and the tool have a help that fits 80 columns`() {
        for words in [["--help"], ["help"]] + SwormTool.commands.map({ [$0.spec.name, "--help"] }) {
            let run = Run(words)
            #expect(run.code == .ok)
            #expect(run.err == "")
            #expect(run.lines.allSatisfy { $0.count <= 80 }, "\(words)")
        }
        for command in SwormTool.commands {
            let help = Run(["help", command.spec.name]).out
            for option in command.spec.allOptions { #expect(help.contains("--\(option.name)")) }
        }
    }

    @Test func `wrong use gives 2 and a failure gives 3`() {
        #expect(Run([]).code == .usage)
        let unknown = Run(["qurey"])
        #expect(unknown.code == .usage)
        #expect(unknown.err == "error: unknown command 'qurey'\nhint: did you mean 'query'?\n")
        let missing = Run(["count", "/nowhere/store", "Book", "--model", "/nowhere/model.xcdatamodel"])
        #expect(missing.code == .failure)
        #expect(missing.err.hasPrefix("error: "))
    }
}
