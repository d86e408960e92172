import CBenchSQLite

extension RawStore {
    /// Fills the empty tables of authors and books.
    func fill(_ shelf: Shelf) throws {
        try run("BEGIN IMMEDIATE")
        let author = try statement(
            "INSERT INTO ZAUTHOR (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT ?, Z_ENT, 1, ? \(entity("Author"))")
        for index in 0..<shelf.authors {
            sqlite3_bind_int64(author.pointer, 1, Int64(index + 1))
            Self.bind(shelf.name(index), author.pointer, 2)
            try step(author)
        }
        let book = try statement(
            """
            INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZPAGES, ZAUTHOR)
            SELECT ?, Z_ENT, 1, ?, ?, ? \(entity("Book"))
            """)
        for index in 0..<shelf.books {
            sqlite3_bind_int64(book.pointer, 1, Int64(index + 1))
            Self.bind(shelf.title(index), book.pointer, 2)
            sqlite3_bind_int64(book.pointer, 3, Int64(shelf.pages(index)))
            sqlite3_bind_int64(book.pointer, 4, Int64(shelf.author(of: index) + 1))
            try step(book)
        }
        try run(
            """
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(shelf.authors) WHERE Z_NAME = 'Author';
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(shelf.books) WHERE Z_NAME = 'Book';
            COMMIT
            """)
    }

    private func entity(_ name: String) -> String { "FROM Z_PRIMARYKEY WHERE Z_NAME = '\(name)'" }

    static let selectAuthors = "SELECT Z_PK, ZNAME FROM ZAUTHOR"
    static let selectBooks = "SELECT ZAUTHOR, ZTITLE, ZPAGES FROM ZBOOK"

    /// Authors with their books, by two queries.
    func walk() throws -> ShelfWalk {
        var authors: [RawAuthor] = []
        var places: [Int64: Int] = [:]
        try forEachRow(try statement(Self.selectAuthors)) { row in
            places[sqlite3_column_int64(row, 0)] = authors.count
            authors.append(RawAuthor(name: Self.text(row, 1) ?? ""))
        }
        try forEachRow(try statement(Self.selectBooks)) { row in
            guard let place = places[sqlite3_column_int64(row, 0)] else { return }
            authors[place].books.append(
                RawBook(title: Self.text(row, 1) ?? "", pages: Int(sqlite3_column_int64(row, 2))))
        }
        return ShelfWalk(authors)
    }
}
