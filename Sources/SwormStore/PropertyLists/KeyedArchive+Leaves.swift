import Foundation
import SwormRows

// Objects of Foundation's value classes.
extension KeyedArchive {
    /// Returns a string, a date, a UUID, data, a URL or a decimal number; nil for an object of any other class, and for
    /// one without its fields.
    package func leaf(_ object: Object) -> Any? {
        switch object.className {
        case "NSString", "NSMutableString": return string(.object(object))
        case "NSDate":
            guard case .real(let seconds) = self[object, "NS.time"] else { return nil }
            return Date(timeIntervalSinceReferenceDate: seconds)
        case "NSUUID":
            guard case .data(let bytes) = self[object, "NS.uuidbytes"] else { return nil }
            return bytes.withUnsafeBytes { UUID(bytes: $0) }
        case "NSData", "NSMutableData":
            if case .data(let bytes) = self[object, "NS.bytes"] { return bytes }
            guard case .data(let bytes) = self[object, "NS.data"] else { return nil }
            return bytes
        case "NSURL":
            guard let text = string(of: object, field: "NS.relative") else { return nil }
            guard let base = self.object(of: object, field: "NS.base") else { return URL(string: text) }
            return string(of: base, field: "NS.relative").flatMap { URL(string: text, relativeTo: URL(string: $0)) }
        case "NSDecimalNumber": return decimal(object)
        default: return nil
        }
    }

    /// Returns a decimal from its archived parts: up to eight words of sixteen bits, the lowest first, and a power of
    /// ten.
    private func decimal(_ object: Object) -> Decimal? {
        guard case .data(let bytes) = self[object, "NS.mantissa"],
            let exponent = int(of: object, field: "NS.exponent"),
            (-128...127).contains(exponent)
        else { return nil }
        // The byte order: 0 means that of the machine, 1 little-endian, 2 big-endian.
        let isBig = int(of: object, field: "NS.mantissa.bo") == 2
        var number = Decimal.zero
        for word in stride(from: 0, to: bytes.count - 1, by: 2).prefix(8).reversed() {
            let (first, second) = (UInt(bytes[bytes.startIndex + word]), UInt(bytes[bytes.startIndex + word + 1]))
            number = number * 65_536 + Decimal(isBig ? first << 8 | second : second << 8 | first)
        }
        if flag(of: object, field: "NS.negative") { number.negate() }
        return number * (exponent < 0 ? 1 / pow(Decimal(10), -exponent) : pow(Decimal(10), exponent))
    }
}
