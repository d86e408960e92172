import Foundation

/// The source of a SwiftData schema as ordinary Swift, for a compiler without SwiftData: classes without their macros.
///
/// What remains shows that the types exist, that initializers set every property, and that key paths lead somewhere.
enum SwiftDataStandIn {
    /// The declarations that take the role of SwiftData's.
    static let prelude = """
        import Foundation

        protocol PersistentModel: AnyObject {}
        enum SwiftData { enum Schema { struct Version { init(_ one: Int, _ two: Int, _ three: Int) {} } } }
        protocol VersionedSchema {
            static var versionIdentifier: SwiftData.Schema.Version { get }
            static var models: [any PersistentModel.Type] { get }
        }

        """

    /// Returns the source without macros, followed by what they refer to.
    static func source(_ text: String) -> String {
        let name = text.firstMatch(of: /enum (\w+): VersionedSchema/).map { String($0.1) } ?? ""
        var lines: [String] = []
        var paths: Set<String> = []
        var classes: [String] = []
        var transformed: Set<String> = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.drop { $0 == " " }
            if !words.hasPrefix("//") {
                for match in line.matches(of: /\\(`?\w+`?)\.(`?\w+`?)/) { paths.insert("\\\(match.1).\(match.2)") }
            }
            if let match = words.wholeMatch(of: /#(?:Unique|Index)<(.+?)>\((.*)\)/) {
                for path in match.2.matches(of: /\\\.(`?\w+`?)/) { paths.insert("\\\(match.1).\(path.1)") }
                continue
            }
            if words.hasPrefix("#") || words.hasPrefix("import ") || words == "@Model" { continue }
            if words.hasPrefix("@available") { continue }
            if let match = words.firstMatch(of: /^(?:final )?class (`?\w+`?)( \{)/) { classes.append(String(match.1)) }
            if let match = words.firstMatch(of: /\.transformable\(.*\) var `?\w+`?: (\w+)/), !match.1.hasPrefix("NS") {
                transformed.insert(String(match.1))
            }
            lines.append(String(line).replacing(#/@(?:Attribute|Relationship)\(.*\) var /#, with: "var "))
        }
        let conformances = classes.map { "extension \(name).\($0): PersistentModel {}" }
        let stubs = transformed.sorted().map { "final class \($0) {}" }
        let list = paths.sorted().joined(separator: ", ")
        return
            (["import Foundation"] + lines + conformances + stubs + [
                "extension \(name) {", "    static func paths() -> [AnyKeyPath] { [\(list)] }", "}", "",
            ]).joined(separator: "\n")
    }
}
