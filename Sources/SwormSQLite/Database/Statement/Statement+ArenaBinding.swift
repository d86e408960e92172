import CSwormSQLite
package import Foundation

// Bindings for writing many rows: the bytes are copied once into an arena, from which SQLite reads them.
extension Statement {
    package mutating func bind(_ value: String, at index: Int, in arena: BindingArena) throws {
        var value = value
        try value.withUTF8 { try bindText(UnsafeRawBufferPointer($0), at: index, in: arena) }
    }

    /// Binds UTF-8 bytes as text.
    mutating func bindText(_ bytes: UnsafeRawBufferPointer, at index: Int, in arena: BindingArena) throws {
        hold(arena)
        if let copy = arena.copy(bytes) {
            try bindText(copy, at: index, destructor: nil)
        } else {
            try bindText(bytes, at: index)
        }
    }

    mutating func bind(_ bytes: UnsafeRawBufferPointer, at index: Int, in arena: BindingArena) throws {
        hold(arena)
        if let copy = arena.copy(bytes) {
            try bindBlob(copy, at: index, destructor: nil)
        } else {
            try bind(bytes, at: index)
        }
    }

    package mutating func bind(_ data: Data, at index: Int, in arena: BindingArena) throws {
        try data.withUnsafeBytes { try bind($0, at: index, in: arena) }
    }

    package mutating func bind(_ uuid: UUID, at index: Int, in arena: BindingArena) throws {
        try withUnsafeBytes(of: uuid.uuid) { try bind($0, at: index, in: arena) }
    }

    /// Runs the statement to completion, clears its bindings and empties the arena, even if an error is thrown.
    ///
    /// Bind every parameter again for the next row.
    package mutating func run(emptying arena: BindingArena) throws {
        defer {
            reset()
            sqlite3_clear_bindings(pointer)
            arena.removeAll()
        }
        while try step() {}
    }

    /// Runs the statement for one of many rows and empties the arena.
    ///
    /// The bindings are kept: for the next row, rebind everything that was bound in the arena, or whose bytes were
    /// passed to SQLite without a copy.
    ///
    /// - Returns: The first column of the row that a RETURNING clause returns, or nil if it returns no row.
    package mutating func runRow(emptying arena: BindingArena) throws -> Int64? {
        defer {
            reset()
            arena.removeAll()
        }
        var returned: Int64?
        while try step() { returned = int64(0) }
        return returned
    }

    /// Retains the arena, because the bytes must remain valid while they are bound, even if the caller releases the
    /// arena.
    mutating func hold(_ arena: BindingArena) {
        guard self.arena !== arena else { return }
        if self.arena != nil { sqlite3_clear_bindings(pointer) }
        self.arena = arena
    }
}
