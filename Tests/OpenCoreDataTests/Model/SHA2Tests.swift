import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("SHA-2")
struct SHA2Tests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test func `the published examples are reproduced`() {
        #expect(hex(SHA2.sha256([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            hex(SHA2.sha256(Array("abc".utf8))) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            hex(SHA2.sha512(Array("abc".utf8)))
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
                + "454d4423643ce80e2a9ac94fa54ca49f")
        let long = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
        #expect(hex(SHA2.sha256(long)) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    }

    /// The hash of the hashes of the messages of 0 to 300 bytes: every length of padding occurs.
    @Test func `every length of padding gives the right hash`() {
        var hashes256: [UInt8] = []
        var hashes512: [UInt8] = []
        for length in 0...300 {
            let message = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            hashes256 += SHA2.sha256(message)
            hashes512 += SHA2.sha512(message)
        }
        #expect(hex(SHA2.sha256(hashes256)) == "ddbdb189f5834c274dbe603d6d2874adf7234fd8a075c3d1bfbadc2107a75676")
        #expect(hex(SHA2.sha256(hashes512)) == "04c8f8dbf4202f12910ac99d378a5564a9cf7d683a950b23a6d0045e32a55042")
    }
}
