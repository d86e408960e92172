import Foundation

#if canImport(FoundationXML)
import FoundationXML
import SwormStore
#endif

/// An element of an XML document, with its attributes and child elements. Text is ignored.
struct XMLTree {
    let name: String
    let attributes: [String: String]
    let line: Int
    private(set) var children: [XMLTree] = []

    func children(named name: String) -> [XMLTree] { children.filter { $0.name == name } }

    /// Parses a document of limited depth and number of elements, without a document type and therefore without
    /// entities.
    ///
    /// - Throws: A `CoreDataError` with the file and the line.
    static func parse(_ data: Data, file: String) throws -> XMLTree {
        try refuseUnsafe(data, file: file)
        let builder = Builder()
        let parser = XMLParser(data: data)
        parser.shouldProcessNamespaces = false
        parser.shouldResolveExternalEntities = false
        parser.delegate = builder
        let succeeded = parser.parse()
        if let limit = builder.limit { throw error(limit.message, file: file, line: limit.line) }
        guard succeeded, parser.parserError == nil, let root = builder.root, builder.open.isEmpty else {
            throw error(
                "is not well-formed XML", file: file, line: max(1, parser.lineNumber), cause: parser.parserError)
        }
        return root
    }

    static func error(_ what: String, file: String, line: Int, cause: (any Error)? = nil) -> CoreDataError {
        CoreDataError(CocoaError.Code.fileReadCorruptFile.rawValue, "\(file):\(line): The file \(what).", cause: cause)
    }

    /// Throws an error if the data has a document type or another encoding than UTF-8. Model files have neither, and
    /// rejecting both in advance leaves the C parser no entities to expand or to load.
    private static func refuseUnsafe(_ data: Data, file: String) throws {
        guard let text = String(data: data, encoding: .utf8) else {
            throw error("is not encoded in UTF-8", file: file, line: 1)
        }
        let declaration = text.utf8.prefix { $0 != UInt8(ascii: ">") }
        if text.hasPrefix("<?xml"), let declaration = String(declaration), let encoding = declaredEncoding(declaration),
            !["utf-8", "us-ascii", "ascii"].contains(encoding.lowercased())
        {
            throw error("declares the encoding '\(encoding)'; only UTF-8 is supported", file: file, line: 1)
        }
        try refuse(["<!DOCTYPE", "<!ENTITY"], because: "has a document type or an entity", in: data[...], file: file)
        // Foundation's parser reads out of bounds if a processing instruction has no text: <?a?>.
        let first = text.hasPrefix("\u{FEFF}") ? text.utf8.dropFirst(3) : text.utf8[...]
        let hasDeclaration = first.starts(with: "<?xml".utf8) && first.dropFirst(5).first.map(isSpace) ?? false
        let start = data.count - first.count + (hasDeclaration ? 2 : 0)
        try refuse(["<?"], because: "has a processing instruction", in: data.dropFirst(start), file: file)
    }

    private static func refuse(_ marks: [String], because what: String, in data: Data, file: String) throws {
        for mark in marks {
            guard let range = data.range(of: Data(mark.utf8)) else { continue }
            let line = data[..<range.lowerBound].reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
            throw error("\(what), which is not allowed in a model file", file: file, line: line)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private static func declaredEncoding(_ declaration: String) -> String? {
        guard let start = declaration.range(of: "encoding") else { return nil }
        let rest = declaration[start.upperBound...].drop { $0 == "=" || $0.isWhitespace }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
        return String(rest.dropFirst().prefix { $0 != quote })
    }

    private final class Builder: NSObject, XMLParserDelegate {
        private static let maximumCount = 500_000
        var root: XMLTree?
        var open: [XMLTree] = []
        var limit: (message: String, line: Int)?
        private var count = 0

        func parser(
            _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
            qualifiedName qName: String?, attributes attributeDict: [String: String] = [:]
        ) {
            count += 1
            if root != nil {
                limit = ("is not well-formed XML: it has a second root element", parser.lineNumber)
            } else if open.count >= ModelLimits.elementDepth {
                limit = ("has elements more than \(ModelLimits.elementDepth) deep", parser.lineNumber)
            } else if count > Self.maximumCount {
                limit = ("has more than \(Self.maximumCount) elements", parser.lineNumber)
            }
            guard limit == nil else { return parser.abortParsing() }
            open.append(XMLTree(name: elementName, attributes: attributeDict, line: parser.lineNumber))
        }

        func parser(
            _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?
        ) {
            guard limit == nil, let element = open.popLast() else { return }
            if open.isEmpty {
                root = element
            } else {
                open[open.count - 1].children.append(element)
            }
        }
    }
}
