import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Batch updates with expressions")
struct BatchExpressionTests {
    private static func model() -> NSManagedObjectModel {
        let maker = Build.entity("Maker", [Build.attribute("name")])
        let item = Build.entity(
            "Item",
            [
                Build.attribute("name", optional: false) { $0.validationRules = [.maximumLength(6)] },
                Build.attribute("code"), Build.attribute("small", .integer16AttributeType),
                Build.attribute("big", .integer64AttributeType), Build.attribute("price", .doubleAttributeType),
                Build.attribute("weight", .floatAttributeType), Build.attribute("cost", .decimalAttributeType),
                Build.attribute("flag", .booleanAttributeType), Build.attribute("day", .dateAttributeType),
                Build.attribute("id", .UUIDAttributeType), Build.attribute("site", .URIAttributeType),
                Build.attribute("bytes", .binaryDataAttributeType),
                Build.attribute("scan", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
                Build.attribute("form", .transformableAttributeType),
                Build.attribute("passing") { $0.isTransient = true },
                Build.derived("plain", .stringAttributeType, "canonical:(name)"),
            ])
        item.uniquenessConstraints = [["code"]]
        let part = Build.entity("Part", [Build.attribute("size", .integer32AttributeType)])
        let special = Build.entity("Special", [Build.attribute("bonus", .integer16AttributeType)])
        item.subentities = [special]
        let (owner, items) = (Build.toOne("maker", maker), Build.toMany("items", item))
        Build.connect(owner, items)
        let (whole, parts) = (Build.toOne("item", item), Build.toMany("parts", part))
        Build.connect(whole, parts)
        item.properties += [owner, parts]
        maker.properties += [items]
        part.properties += [whole]
        return Build.model(maker, item, special, part)
    }

    private let library: HistoryLibrary
    private var context: NSManagedObjectContext { library.context }

    init() throws {
        library = try HistoryLibrary(model: Self.model())
        let maker = try context.make("Maker", ["name": "Ada"])
        for index in 1...3 {
            let item = try context.make(
                index == 3 ? "Special" : "Item",
                [
                    "name": "n\(index)", "code": "c\(index)", "small": index * 10, "big": index,
                    "price": Double(index) + 0.75,
                    "cost": Decimal(index), "day": Date(timeIntervalSinceReferenceDate: Double(index)), "flag": false,
                ])
            if index > 1 { item.setValue(maker, forKey: "maker") }
            for size in 0..<index { try context.make("Part", ["size": size, "item": item]) }
        }
        try context.save()
    }

    @discardableResult
    private func update(_ values: [AnyHashable: Any], where format: String? = nil, of entity: String = "Item") throws
        -> Int
    {
        let request = NSBatchUpdateRequest(entityName: entity)
        request.predicate = format.map { NSPredicate(format: $0) }
        request.propertiesToUpdate = values
        request.resultType = .updatedObjectsCountResultType
        let result = try #require(try context.execute(request) as? NSBatchUpdateResult)
        return try #require(result.result as? Int)
    }

    private func column<Value>(_ key: String, as: Value.Type = Value.self) throws -> [Value?] {
        let other = GraphLibrary.context(library.coordinator)
        return try other.all("Item", sort: "code").map { $0.value(forKey: key) as? Value }
    }

    @Test func `each object computes its values from those before the update`() throws {
        let count = try update([
            "small": NSExpression(format: "big + 1"), "big": NSExpression(format: "small * 2"),
            "price": NSExpression(forFunction: "multiply:by:", arguments: [NSExpression(forKeyPath: "price"), 2]),
            "name": NSExpression(format: "uppercase:(name)"), "cost": NSExpression(forConstantValue: 5),
            "day": NSExpression(format: "day + 60"), "flag": NSExpression(format: "TERNARY(big == 2, YES, NO)"),
        ])
        #expect(count == 3)
        #expect(try column("small") == [2, 3, 4] && column("big") == [20, 40, 60])
        #expect(try column("price") == [3.5, 5.5, 7.5] && column("name") == ["N1", "N2", "N3"])
        #expect(try column("cost", as: NSDecimalNumber.self) == [5, 5, 5])
        #expect(try column("day", as: Date.self).map { $0?.timeIntervalSinceReferenceDate } == [61, 62, 63])
        #expect(try column("flag") == [false, true, false])
        // A derived attribute follows.
        #expect(try column("plain") == ["n1", "n2", "n3"])
        try library.verify()
    }

    @Test func `expressions lead through relationships and into collections`() throws {
        try update(
            [
                "code": NSExpression(forKeyPath: "maker.name"), "big": NSExpression(format: "parts.@count"),
                "small": NSExpression(format: "parts.@sum.size + SUBQUERY(parts, $p, $p.size > 0).@count"),
            ], where: "code == 'c2'")
        #expect(try column("code") == ["Ada", "c1", "c3"])
        #expect(try column("big") == [2, 1, 3] && column("small") == [2, 10, 30])
        #expect(try update(["bonus": NSExpression(format: "small / 4")], of: "Special") == 1)
        let other = GraphLibrary.context(library.coordinator)
        #expect(try other.all("Special").first?.number("bonus") == 7)
        try library.verify()
    }

    @Test func `a fraction for an integer is cut off, and numbers take the type of the attribute`() throws {
        try update([
            "small": NSExpression(format: "0 - price"), "price": NSExpression(format: "big"),
            "weight": NSExpression(format: "price / 3"), "cost": NSExpression(format: "price + 0.5"),
        ])
        #expect(try column("small") == [-1, -2, -3] && column("price", as: Double.self) == [1, 2, 3])
        #expect(try column("weight", as: Float.self) == [1.75 / 3, 2.75 / 3, 3.75 / 3].map { Float($0 as Double) })
        #expect(try column("cost", as: NSDecimalNumber.self).map { $0?.decimalValue } == [2.25, 3.25, 4.25])
        try library.verify()
    }

    @Test func `nil, the time and constants of any type are values too`() throws {
        let before = Date()
        try update([
            "price": NSExpression(forConstantValue: nil), "day": NSExpression(format: "now()"),
            "form": NSExpression(forConstantValue: ["a", "b"]), "id": NSExpression(forConstantValue: UUID()),
            "small": NSExpression(format: "TERNARY(maker == nil, 1, nil)"),
        ])
        #expect(try column("price", as: Double.self) == [nil, nil, nil] && column("small") == [1, nil, nil])
        #expect(try column("day", as: Date.self).allSatisfy { ($0 ?? .distantPast) >= before.addingTimeInterval(-1) })
        #expect(try column("form") == [["a", "b"], ["a", "b"], ["a", "b"]])
        #expect(try Set(column("id", as: UUID.self)).count == 1)
    }

    @Test func `the history knows the computed properties, and ids are returned`() throws {
        let request = NSBatchUpdateRequest(entityName: "Item")
        request.propertiesToUpdate = ["small": NSExpression(format: "small + 1"), "price": 2]
        request.predicate = NSPredicate(format: "code != 'c1'")
        request.resultType = .updatedObjectIDsResultType
        let token = library.token
        let result = try #require(try context.execute(request) as? NSBatchUpdateResult)
        #expect((result.result as? [NSManagedObjectID])?.map { $0.entity.name } == ["Item", "Special"])
        let history = try context.history(
            .fetchHistory(after: token), .changesOnly, as: [NSPersistentHistoryChange].self)
        #expect(
            history.map { Set($0.updatedProperties?.map(\.name) ?? []) } == [["small", "price"], ["small", "price"]])
        try library.verify()
        let plain = try PlainStore(copyOf: library.folder.url())
        let versions = try #require(plain.rows["ZITEM"]).map { $0["Z_OPT"] }
        // The version of a row counts the update once.
        #expect(versions == [.integer(1), .integer(2), .integer(2)])
    }

    @Test(arguments: [
        ("name", "nil", NSValidationMissingMandatoryPropertyError, "required"),
        ("name", "code", 0, ""), ("name", "uppercase:('longer text')", NSValidationStringTooLongError, "at most 6"),
        ("small", "big * 20000", NSValidationNumberTooLargeError, "out of the range"),
        ("small", "price * 100000000000000000000", NSManagedObjectValidationError, "Integer 16"),
        ("weight", "price * 10 ** 50", NSValidationNumberTooLargeError, "out of the range of a Float"),
        ("weight", "price * 10 ** 30", 0, ""),
        ("flag", "big", 0, ""), ("price", "big / 0", 0, ""),
    ])
    func `a computed value that a save would reject changes nothing`(
        key: String, format: String, code: Int, message: String
    ) throws {
        let error = coreDataError { try update([key: NSExpression(format: format), "big": 99]) }
        guard code != 0 else {
            #expect(error == nil)
            return
        }
        #expect(error?.errorCode == code && error?.key == key, "\(String(describing: error))")
        #expect(error?.message.contains(message) ?? false, "\(error?.message ?? "")")
        #expect(try column("big") == [1, 2, 3])
        try library.verify()
    }

    @Test(arguments: [
        ("name", "price", "a string is needed for 'name', not a number"),
        ("day", "price", "a date is needed for 'day'"), ("price", "maker", "a plain value"),
        ("price", "parts", "to-many"), ("price", "parts.size", "to-many"), ("price", "@sum.price", "to-many"),
        ("price", "nothing", "nothing"), ("price", "passing", "transient"), ("passing", "name", "transient"),
        ("plain", "name", "derived"), ("scan", "bytes", "cannot be computed"), ("form", "bytes", "cannot be computed"),
        ("price", "price +", "expected a value"), ("price", "$x", "$x"), ("price", "max:(price)", "max"),
    ])
    func `an expression that does not fit the attribute is an error`(key: String, format: String, message: String)
        throws
    {
        let error = try #require(coreDataError { try update([key: NSExpression(format: format)]) })
        #expect(error.message.contains(message), "\(error.message)")
    }

    @Test func `a unique value that several objects would get is an error that shows the expression`() throws {
        let error = try #require(coreDataError { try update(["code": NSExpression(forKeyPath: "maker.name")]) })
        #expect(error.errorCode == NSManagedObjectConstraintMergeError && error.message.contains("code = maker.name"))
        #expect(try column("code") == ["c1", "c2", "c3"])
    }

    @Test func `objects take over unique values from each other`() throws {
        let next = "TERNARY(code == 'c1', 'c2', TERNARY(code == 'c2', 'c3', 'c1'))"
        #expect(try update(["code": NSExpression(format: next), "big": NSExpression(format: "big + 10")]) == 3)
        let other = GraphLibrary.context(library.coordinator)
        #expect(try other.all("Item", sort: "name").map { $0.text("code") } == ["c2", "c3", "c1"])
        #expect(try other.all("Item", sort: "name").map { $0.number("big") } == [11, 12, 13])
        let swapped = "TERNARY(code == 'c1', 'c3', 'c1')"
        #expect(try update(["code": NSExpression(format: swapped)], where: "code != 'c2'") == 2)
        other.refreshAllObjects()
        #expect(try other.all("Item", sort: "name").map { $0.text("code") } == ["c2", "c1", "c3"])
        try library.verify()
    }

    @Test func `values are computed by one statement, and written by one`() throws {
        let compiler = SQLCompiler(
            model: .library, layout: StoreLayout(model: .library), storeIdentifier: LibraryQueries.store)
        let book = try #require(CompiledModel.library.entity(named: "Book"))
        func sql(_ name: String, _ format: String) throws -> String {
            let attribute = try #require(book.attributes.first { $0.name == name })
            return try compiler.computed(
                ComputedValue(attribute: attribute, expression: try parseExpression(format)), of: book.number,
                withKeys: "SELECT k"
            ).sql
        }
        #expect(
            try sql("title", "uppercase(author.name)")
                == "SELECT k, v AS v FROM (SELECT t0.Z_PK AS k, SwormUpper(t1.ZNAME) AS v FROM ZBOOK t0"
                + " LEFT JOIN ZAUTHOR t1 ON t1.Z_PK = t0.ZAUTHOR WHERE t0.Z_PK IN (SELECT k))")
        #expect(
            try sql("price", "cost * 2")
                == "SELECT k, CAST(v AS REAL) AS v FROM (SELECT t0.Z_PK AS k, (CAST(t0.ZCOST AS REAL) * ?1) AS v FROM ZBOOK t0"
                + " WHERE t0.Z_PK IN (SELECT k))")
        #expect(
            try sql("year", "price")
                == "SELECT k, CASE WHEN typeof(v) = 'real' AND abs(v) < 9.2e18 THEN CAST(v AS INTEGER) ELSE v END AS v"
                + " FROM (SELECT t0.Z_PK AS k, t0.ZPRICE AS v FROM ZBOOK t0 WHERE t0.Z_PK IN (SELECT k))")
    }
}
