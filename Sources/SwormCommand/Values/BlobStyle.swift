import Foundation
import OpenCoreData
import SwormStore

/// The output format of binary data.
enum BlobStyle: String, CaseIterable, Sendable {
    /// The number of bytes and their SHA-256 hash.
    case hash
    case base64

    static let option = OptionSpec(
        "blobs", value: "FORM", choices: allCases.map(\.rawValue),
        summary: "The format of binary data: its size and SHA-256 (hash), or its content (base64).")

    init(_ arguments: Arguments, otherwise style: BlobStyle = .hash) {
        self = arguments.value("blobs").flatMap { BlobStyle(rawValue: $0) } ?? style
    }

    /// Returns the bytes as a single string without quotes.
    func text(_ bytes: UnsafeRawBufferPointer) -> String {
        switch self {
        case .base64: Data(bytes).base64EncodedString()
        case .hash: "\(bytes.count) bytes sha256:\(Self.sha256(bytes))"
        }
    }

    static func sha256(_ bytes: UnsafeRawBufferPointer) -> String {
        hex(SHA2.sha256(Array(bytes)))
    }

    static func hex(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16)
        }
        return text
    }
}
