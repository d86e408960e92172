import SwormSQLite
import Testing

@testable import SwormStore

@Suite("inspect --cloudkit, entities that a file lists")
struct MirroredEntityTests {
    /// Reads entities with the names E1, E2 and so on.
    ///
    /// - Parameter superentity: The SQL of the number of a superentity, for the number `i`.
    private func entities(_ count: Int, superentity: String) throws -> [MirroredEntity] {
        let connection = try Connection(.memory(name: "entities"))
        try connection.execute(
            """
            CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            SELECT i, 'E' || i, \(superentity), 0 FROM n
            """)
        return try MirroredEntity.all(on: StoreConnection(connection), columns: ["ZE1": ["Z_PK", "Z_ENT"]])
    }

    @Test func `each entity has the root of its superentity`() throws {
        let chain = try entities(4, superentity: "i - 1")
        #expect(chain.map(\.root) == [1, 1, 1, 1] && chain.map(\.table) == ["ZE1", "ZE1", "ZE1", "ZE1"])
        #expect(try entities(4, superentity: "CASE i WHEN 4 THEN 3 ELSE 0 END").map(\.root) == [1, 2, 3, 3])
        // A circle, an entity above itself, and superentities that do not exist.
        #expect(try entities(3, superentity: "i % 3 + 1").map(\.root) == [1, 2, 1])
        #expect(try entities(3, superentity: "i").map(\.root) == [1, 2, 3])
        #expect(try entities(3, superentity: "i - 9").map(\.root) == [1, 2, 3])
    }

    @Test func `the end of a long chain of superentities has its root`() throws {
        let chain = try entities(15_999, superentity: "i - 1")
        #expect(chain.count == 15_999 && chain.last?.root == 1)
    }
}
