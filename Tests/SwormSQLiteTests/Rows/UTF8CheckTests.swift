import Foundation
import TestSupport
import Testing

@testable import SwormRows
@testable import SwormSQLite

@Suite("UTF-8 checks")
struct UTF8CheckTests {
    static let broken: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
        [0xE2, 0x82], [0xE2, 0x82, 0x41], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
        [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98], [0xF0, 0x9F], [0xF0], [0xF4, 0x90, 0x80, 0x80],
        [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xF8, 0x88, 0x80, 0x80, 0x80],
    ]

    func string(_ bytes: [UInt8]) -> String? {
        bytes.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.flatMap { UTF8Check.string(start: $0, count: buffer.count) }
        }
    }

    func isValid(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { UTF8Check.isValid($0) } }

    @Test(arguments: broken) func `invalid bytes are found at every position`(bytes: [UInt8]) {
        for before in 0..<18 {
            for after in 0..<18 {
                let text =
                    Array(repeating: UInt8(ascii: "a"), count: before) + bytes
                    + Array(repeating: UInt8(ascii: "b"), count: after)
                #expect(!isValid(text))
                #expect(string(text) == nil)
            }
        }
    }

    @Test(arguments: ["", "a", "é", "€", "😀", "a\0b", "\u{10FFFF}", "\u{D7FF}\u{E000}", "\u{FFFD}", "日本語テキスト", "😀😀😀"])
    func `valid characters are accepted at every position`(text: String) {
        for before in 0..<18 {
            let padded = String(repeating: "x", count: before) + text + "é"
            #expect(isValid(Array(padded.utf8)))
            #expect(string(Array(padded.utf8)) == padded)
        }
    }

    @Test func `it agrees with the standard library on random bytes`() {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("UTF-8 check, seed \(seed)")
        var random = SeededRandom(seed: seed)
        let pieces: [UInt8] = [
            0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5,
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...20, using: &random)
            var bytes: [UInt8] = []
            while bytes.count < count {
                if Bool.random(using: &random) {
                    bytes += Array(["é", "😀", "€", "abcdefgh"].randomElement(using: &random)?.utf8 ?? "".utf8)
                } else {
                    bytes.append(pieces.randomElement(using: &random) ?? 0)
                }
            }
            let expected = String(validating: bytes, as: UTF8.self)
            #expect(isValid(bytes) == (expected != nil), "\(bytes)")
            if !bytes.isEmpty { #expect(string(bytes) == expected, "\(bytes)") }
        }
    }
}
