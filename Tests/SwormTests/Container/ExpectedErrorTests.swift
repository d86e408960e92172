import Foundation
import Sworm
import Testing

@Suite("Errors that tests expect by their code")
struct ExpectedErrorTests {
    @Test func `a code is an expected error`() async throws {
        let store = try PersistentContainer(for: Dossier.self, at: .memory)
        #expect(throws: StoreError.Code.invalidRequest) {
            try store.perform { try $0.decode(Dossier.all.limit(-1)) }
        }
        await #expect(throws: StoreError.Code.invalidRequest) {
            try await store.schedule { try $0.decode(Dossier.all.limit(-1)) }
        }
        let error = try #require(throws: StoreError.Code.invalidCondition) {
            try store.perform { try $0.decode(Dossier.all.where(raw: "nonsense == 1")) }
        }
        #expect(error.message.contains("nonsense"))
        let other: StoreError = StoreError.Code.validation
        #expect(error != other && error == StoreError.Code.invalidCondition)
    }

    @Test func `a code is a code everywhere else`() throws {
        let store = try PersistentContainer(for: Dossier.self, at: .memory)
        let error = storeError { try store.perform { try $0.decode(Dossier.all.limit(-1)) } }
        let code = StoreError.Code.invalidRequest
        #expect(type(of: code) == StoreError.Code.self)
        #expect(error?.code == .invalidRequest && error?.code == StoreError.Code.invalidRequest)
        #expect(Set([StoreError.Code.invalidRequest, .validation, code]).count == 2)
        switch error?.code {
        case .invalidRequest?: break
        default: Issue.record("\(error as Any)")
        }
        do {
            try store.perform { try $0.decode(Dossier.all.limit(-1)) }
        } catch StoreError.Code.validation {
            Issue.record("the wrong code")
        } catch StoreError.Code.invalidRequest {
        }
    }

    @Test func `every code can be expected`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources").standardized
        var (codes, expected): ([String], [String]) = ([], [])
        for case let file as URL in try #require(
            FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            // Other types have codes, too.
            guard file.lastPathComponent == "StoreError.swift" || text.contains("extension StoreError.Code") else {
                continue
            }
            codes += text.matches(of: /static let (\w+) = (?:Code|Self)\("\w+"\)/).map { String($0.1) }
            expected += text.matches(of: /public static var (\w+): StoreError \{/).map { String($0.1) }
        }
        #expect(codes.count > 20 && Set(codes) == Set(expected), "\(Set(codes).symmetricDifference(expected))")
    }
}
