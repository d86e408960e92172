import Foundation

// libFuzzer's entry point for the predicate language. It is compiled into one module with the sources of SwormPredicates;
// see `Tests/Fuzz/run`.

/// An object that has a value of every kind, under any key.
private struct AnySubject: EvaluationSubject {
    var reference: ObjectReference? { ObjectReference(storeIdentifier: "s", entityName: "E", key: 1) }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        switch key.utf8.first.map({ $0 % 12 }) ?? 0 {
        case 0: .value(.null)
        case 1: .value(.bool(true))
        case 2: .value(.int(.max))
        case 3: .value(.double(.infinity))
        case 4: .value(.decimal(Decimal(string: "0.1") ?? 0))
        case 5: .value(.string("Aé\u{0}b"))
        case 6: .value(.date(Date(timeIntervalSinceReferenceDate: 0.5)))
        case 7: .value(.data(Data([0, 255])))
        case 8: .value(.int(.min))
        case 9: .objects([self])
        case 10: .object(self)
        default: .missing(self)
        }
    }
}

private let arguments: [PredicateArgument] = [
    .value(.int(1)), .value(.string("key")), .list([.value(.string("a.b")), .value(.null)]), .value(.double(-0.0)),
    .value(.null), .value(.object(ObjectReference(storeIdentifier: "s", entityName: "E", key: 1))),
]

/// Stops the fuzzer, with the reason, which a precondition would not print in an optimized build.
private func require(_ condition: Bool, _ reason: @autoclosure () -> String) {
    guard !condition else { return }
    FileHandle.standardError.write(Data((reason() + "\n").utf8))
    abort()
}

/// How deep the brackets of a text are, those in quotes included.
private func brackets(in text: String) -> Int {
    var (depth, deepest) = (0, 0)
    for byte in text.utf8 {
        if "([{".utf8.contains(byte) { depth += 1 }
        if ")]}".utf8.contains(byte) { depth -= 1 }
        deepest = max(deepest, depth)
    }
    return deepest
}

/// Parses the input, and checks of what was understood that it prints to the same predicate and can be asked.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPredicates(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    guard let tree = try? parsePredicate(text, arguments: arguments) else { return 0 }
    let printed = tree.format
    // What is printed can be longer than what was read, and so be too long to be read.
    if printed.utf8.count <= PredicateLimits.formatSize, let depth = tree.depth(limit: PredicateLimits.parsedDepth / 2)
    {
        let read = try? parsePredicate(printed)
        require(
            read == tree,
            "\(text.debugDescription)\n\(printed.debugDescription)\n\(read?.format ?? "-") (\(depth) levels)")
        let template = tree.template
        // Long chains in long chains have more brackets than levels.
        guard brackets(in: template.format) <= PredicateLimits.parsedDepth else { return 0 }
        let filled = try? parsePredicate(template.format, arguments: template.arguments)
        require(
            filled?.joiningChains == tree.joiningChains,
            "\(text.debugDescription)\n\(template.format.debugDescription)\n\(filled?.format ?? "-")")
    }
    for logic in [NilLogic.sql, .cocoa] {
        guard let prepared = try? PreparedPredicate(tree, logic: logic) else { continue }
        _ = try? prepared.evaluate(AnySubject())
        _ = try? prepared.evaluate(value: .value(.string("Aé")))
    }
    return 0
}
