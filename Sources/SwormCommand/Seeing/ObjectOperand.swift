import Foundation
import SwormStore

/// The object that a user names: by its entity and key, or by its URI.
enum ObjectOperand {
    /// - Throws: ``ToolError`` for a string that is not the name of an object, and for the URI of an object of another store.
    static func name(_ text: String, in store: StoreReader) throws -> ObjectName {
        guard let name = ObjectName(operand: text) else {
            throw ToolError(
                .usage, "'\(text)' is not the name of an object",
                hint: "write the entity and the key, such as Book/17")
        }
        let trimmed = text.trimmingCharacters(in: .whitespaces)
        guard trimmed.hasPrefix("x-coredata:"), let host = URL(string: trimmed)?.host(),
            host.uppercased() != store.store.identifier.uppercased()
        else { return name }
        throw ToolError(
            .noObject, "the URI is that of an object of the store \(host), and this store is \(store.store.identifier)",
            hint: "if this is a copy of that store, write \(name.shown)")
    }
}
