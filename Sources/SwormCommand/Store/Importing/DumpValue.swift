import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// A value of a dump, in the form in which a store contains it.
struct DumpValue {
    /// The reason why a value is not valid for its attribute.
    struct Mistake: Error {
        /// The end of a sentence that starts with the attribute.
        var words: String
    }

    var value: AttributeValue
    /// The content to write to the column if the attribute's type would reject or change it.
    var exact: ExactValue?
    /// A rule of the attribute's type that the value violates without being rejected.
    var warning: String?
    /// Whether the value was in a file of external data that was missing when the store was dumped.
    private(set) var isMissingFile = false

    private init(_ value: AttributeValue, exact: ExactValue? = nil) {
        self.value = value
        self.exact = exact
    }

    /// - Parameter isExternal: Whether the attribute allows external storage.
    /// - Throws: ``Mistake`` for all values that the attribute cannot store unchanged.
    init(_ any: Any, as type: SwormPredicates.AttributeType, isExternal: Bool = false) throws {
        if isExternal, let name = Self.missingFile(any) {
            self.init(.null, exact: .blob(ExternalDataFolder.referenceColumn(name)))
            isMissingFile = true
        } else if any is NSNull {
            self.init(.null)
        } else if let members = any as? [String: Any] {
            self = try Self.stored(members, as: type)
        } else if let value = Self.value(any, as: type) {
            self = value
        } else if [.integer16, .integer32].contains(type), let number = Self.whole(any) {
            self.init(.null, exact: .integer(number))
            warning = "is \(number), which \(type.displayName) cannot hold"
        } else {
            throw Mistake(words: "is \(Self.shown(any)), which is not a value of the type \(type.displayName)")
        }
    }

    private static func value(_ any: Any, as type: SwormPredicates.AttributeType) -> DumpValue? {
        switch type {
        case .integer16: whole(any).flatMap { Int16(exactly: $0) }.map { DumpValue(.int(Int64($0))) }
        case .integer32: whole(any).flatMap { Int32(exactly: $0) }.map { DumpValue(.int(Int64($0))) }
        case .integer64: whole(any).map { DumpValue(.int($0)) }
        case .boolean: isFlag(any) ? (any as? NSNumber).map { DumpValue(.bool($0.boolValue)) } : nil
        case .double: double(any).map { DumpValue(.double($0)) }
        case .float:
            double(any).map { number in
                Double(Float(number)) == number
                    ? DumpValue(.double(number)) : DumpValue(.null, exact: .real(number))
            }
        case .decimal:
            if let text = any as? String {
                DecimalText.number(text).map { DumpValue(.decimal($0)) }
            } else {
                double(any).flatMap { $0.isFinite ? DumpValue(.double($0)) : nil }
            }
        case .string: (any as? String).map { DumpValue(.string($0)) }
        case .uri: (any as? String).map(uri)
        case .date: seconds(any).map { DumpValue(.date(Date(timeIntervalSinceReferenceDate: $0))) }
        case .uuid: (any as? String).flatMap(UUID.init).map { DumpValue(.uuid($0)) }
        case .binaryData, .transformable:
            (any as? String).flatMap { Data(base64Encoded: $0) }.map { DumpValue(.data($0)) }
        case .undefined, .objectID, .composite: nil
        }
    }

    /// A string that no URL preserves is written to the column directly.
    private static func uri(_ text: String) -> DumpValue {
        if let url = URL(string: text, encodingInvalidCharacters: false),
            url.absoluteString.utf8.elementsEqual(text.utf8)
        {
            return DumpValue(.url(url))
        }
        return DumpValue(.null, exact: .text(Data(text.utf8)))
    }

    // MARK: Numbers

    private static func isFlag(_ any: Any) -> Bool {
        (any as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
    }

    private static func number(_ any: Any) -> NSNumber? { isFlag(any) ? nil : any as? NSNumber }

    /// Returns a number that was written without a fraction.
    private static func whole(_ any: Any) -> Int64? {
        guard let number = number(any) else { return nil }
        // Foundation decodes a whole number of 19 digits with a sign as a decimal number.
        if number is NSDecimalNumber { return Int64(number.stringValue) }
        return ["i", "q"].contains(String(cString: number.objCType)) ? number.int64Value : nil
    }

    private static func double(_ any: Any) -> Double? {
        if let text = any as? String { return text == "inf" ? .infinity : text == "-inf" ? -.infinity : nil }
        if !(any is NSDecimalNumber), let whole = whole(any) { return Double(exactly: whole) }
        // The string value is the shortest string that parses as the double, or all digits of a whole number.
        return number(any).flatMap { Double($0.stringValue) }
    }

    private static func seconds(_ any: Any) -> Double? {
        guard let text = any as? String, let seconds = DateText.seconds(text) else { return double(any) }
        // Reject dates that are read as another day, such as the 30th of February.
        return DateText.exact(seconds.rounded(.down))?.prefix(10) == text.prefix(10) ? seconds : nil
    }

    // MARK: Columns

    /// Returns the name of the file of external data that was missing when the store was dumped.
    private static func missingFile(_ any: Any) -> UUID? {
        guard let members = any as? [String: Any], members.count == 1 else { return nil }
        return (members[StoredForm.missing.rawValue] as? String).flatMap(UUID.init)
    }

    /// Reads the form in which a dump writes a column whose content is not a value of its attribute's type.
    private static func stored(_ members: [String: Any], as type: SwormPredicates.AttributeType) throws -> DumpValue {
        guard members["sha256"] == nil else { throw Mistake(words: "is only the hash of its data") }
        let form = members.count == 1 ? members.first.flatMap { StoredForm(rawValue: $0.key) } : nil
        guard let form, let content = members.values.first else {
            throw Mistake(words: "is \(shown(members)), which is not a value")
        }
        let value: ExactValue? =
            switch form {
            case .integer: whole(content).map { .integer($0) }
            case .real: double(content).map { .real($0) }
            case .text: (content as? String).map { .text(Data($0.utf8)) }
            case .text64: (content as? String).flatMap { Data(base64Encoded: $0) }.map { .text($0) }
            case .blob: (content as? String).flatMap { Data(base64Encoded: $0) }.map { .blob($0) }
            case .missing: nil
            }
        guard let value else { throw Mistake(words: "is \(shown(members)), which is not a value") }
        var result = DumpValue(.null, exact: value)
        if !StoredForm.classes(of: type).contains(form.storageClass) {
            result.warning = "holds \(form.words), which is not a value of the type \(type.displayName)"
        }
        return result
    }

    /// Returns a value as in the dump, shortened.
    static func shown(_ any: Any) -> String {
        let text: String
        if isFlag(any) {
            text = (any as? NSNumber)?.boolValue == true ? "true" : "false"
        } else if let data = try? JSONSerialization.data(
            withJSONObject: any, options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes])
        {
            text = String(decoding: data, as: UTF8.self)
        } else {
            text = "\(any)"
        }
        return text.count > 60 ? text.prefix(60) + "…" : text
    }
}
