import Foundation
@testable import OpenCoreData
import SwormPredicates
import SwormStore
import TestSupport
import Testing

@testable import SwormCommand

@Suite("Sample stores")
struct SampleStoreTests {
    /// Writes the sample store of a model, and expects no faults in it.
    @discardableResult
    private func sample(of name: String, in workshop: Workshop) throws -> URL {
        let model = try NSManagedObjectModel.load(contentsOf: workshop.url(name + ".xcdatamodel"))
        let url = workshop.url(name + "-sample.sqlite")
        #expect(try SampleStore.write(model, to: url) == [])
        let findings = try StoreVerification.findings(of: url, model: model.compiled())
        #expect(findings.map(\.message) == [])
        try expectValid(url, model)
        return url
    }

    /// Expects that every object passes the validation of a save, and that every property of an entity has a value in one
    /// of its objects.
    private func expectValid(_ url: URL, _ model: NSManagedObjectModel, but empty: Set<String> = []) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSReadOnlyPersistentStoreOption: NSNumber(value: true)])
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
            for entity in model.entities where !entity.isAbstract {
                let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
                request.includesSubentities = false
                let objects = try context.fetch(request)
                #expect(!objects.isEmpty, "\(entity.name ?? "")")
                for object in objects { try object.validateForInsert() }
                for property in entity.properties
                where !property.isTransient && !(property is NSFetchedPropertyDescription) {
                    let path = "\(entity.name ?? "").\(property.name)"
                    guard !empty.contains(path) else { continue }
                    #expect(objects.contains { hasValue($0, property) }, "\(path)")
                }
            }
        }
    }

    private func hasValue(_ object: NSManagedObject, _ property: NSPropertyDescription) -> Bool {
        switch object.value(forKey: property.name) {
        case nil: false
        case let set as Set<NSManagedObject>: !set.isEmpty
        case let set as NSOrderedSet: set.count > 0
        default: true
        }
    }

    @Test func `objects of every entity are linked, and attributes of every type have values`() throws {
        let workshop = try Workshop()
        try workshop.write(OddXML.text, model: "Odd")
        try workshop.write(PressXML.text, model: "Press")
        try workshop.write(HouseXML.text, model: "House")
        for name in ["Library", "Odd", "Press", "House"] { try sample(of: name, in: workshop) }
    }

    @Test func `rules of every kind are satisfied`() throws {
        let workshop = try Workshop()
        try workshop.write(
            """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Rule">
                    <attribute name="age" attributeType="Integer 16" minValueString="18" maxValueString="19"/>
                    <attribute name="code" attributeType="String" regularExpressionString="[A-Z]{2}-\\d{3,}"/>
                    <attribute name="day" attributeType="Date" minDateTimeInterval="1000" maxDateTimeInterval="2000"/>
                    <attribute name="long" attributeType="String" minValueString="100"/>
                    <attribute name="mail" attributeType="String" regularExpressionString="[^@ ]+@[a-z]+(\\.[a-z]+)*"/>
                    <attribute name="part" attributeType="Double" minValueString="0.25" maxValueString="0.5"/>
                    <attribute name="price" attributeType="Decimal" minValueString="99.5"/>
                    <attribute name="short" attributeType="String" maxValueString="2"/>
                    <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
                </entity>
            </model>
            """, model: "Rules")
        try sample(of: "Rules", in: workshop)
    }

    @Test func `relationships with required counts get as many objects as they need`() throws {
        let workshop = try Workshop()
        try workshop.write(
            """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Team">
                    <relationship name="members" toMany="YES" minCount="4" maxCount="5" deletionRule="Nullify" destinationEntity="Member" inverseName="team" inverseEntity="Member"/>
                    <relationship name="captain" maxCount="1" minCount="1" deletionRule="Nullify" destinationEntity="Member" inverseName="leads" inverseEntity="Member"/>
                    <relationship name="rivals" toMany="YES" minCount="1" deletionRule="Nullify" destinationEntity="Team" inverseName="rivals" inverseEntity="Team"/>
                </entity>
                <entity name="Member">
                    <relationship name="team" maxCount="1" minCount="1" deletionRule="Nullify" destinationEntity="Team" inverseName="members" inverseEntity="Team"/>
                    <relationship name="leads" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Team" inverseName="captain" inverseEntity="Team"/>
                    <relationship name="next" maxCount="1" minCount="1" deletionRule="Nullify" destinationEntity="Member" inverseName="previous" inverseEntity="Member"/>
                    <relationship name="previous" maxCount="1" minCount="1" deletionRule="Nullify" destinationEntity="Member" inverseName="next" inverseEntity="Member"/>
                </entity>
                <entity name="Folder">
                    <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Folder" inverseName="children" inverseEntity="Folder"/>
                    <relationship name="children" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="Folder" inverseName="parent" inverseEntity="Folder"/>
                </entity>
            </model>
            """, model: "Teams")
        let url = try sample(of: "Teams", in: workshop)
        // No folder contains itself.
        let roots = Run(["count", url.path, "Folder", "--where", "parent == nil"]).out
        #expect(roots == "1\n")
    }

    @Test func `an entity whose rules contradict each other has no objects, and a warning names the rule`() throws {
        let workshop = try Workshop()
        try workshop.write(
            """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Never"><attribute name="code" attributeType="String" minValueString="3" maxValueString="2"/></entity>
                <entity name="Needs">
                    <relationship name="never" maxCount="1" minCount="1" deletionRule="Nullify" destinationEntity="Never"/>
                </entity>
                <entity name="Free"><attribute name="code" attributeType="String"/></entity>
            </model>
            """, model: "Never")
        let run = Run(["freeze", workshop.file("Never.xcdatamodel"), workshop.file("Frozen"), "--name", "1"])
        #expect(run.code == .ok)
        #expect(run.err.contains("warning: the sample store has no objects of Never: 'code' of Never"), "\(run.err)")
        #expect(run.err.contains("warning: the sample store has no objects of Needs: 'never' of Needs"))
        let store = workshop.file("Frozen/1.store/Store.sqlite")
        #expect(Run(["count", store, "Free"]).out == "3\n")
        #expect(Run(["verify", store]).code == .ok)
    }

    @Test(arguments: [
        "abc", "[a-c]+", "\\d{4}-\\d{2}", "(a|b)?c*", "[^a-z]{3}", "\\+?[0-9]{5,}", "(?:ab){2,3}", "^x.y$",
        "(?i)[A-F0-9]{8}",
        "\\p{L}+\\s\\p{Lu}", "[\\w.-]+@[\\w-]+\\.[a-z]{2,}", "\\x41\\u0042\\t", "a{0}b", "[a\\]-]+", "x*?y++",
    ])
    func `strings are made that patterns match`(pattern: String) throws {
        let sample = try #require(PatternSample(pattern))
        let expression = try RegularExpressionPattern(pattern, options: [])
        for number in 1...30 {
            for extra in 0...3 {
                let text = try #require(sample.text(number, extra: extra))
                #expect(expression.matches(text), "\(text)")
            }
        }
    }

    @Test(arguments: [
        "(?=a)b", "(a", "a)", "[a", "a{", "*", "\\", "(?<x>a)\\1", "(\\d", String(repeating: "(", count: 5000),
        "(?x)a #{-1}", "(?x)a #{-3,-1}", "a{+1}",
    ])
    func `other patterns have no strings`(pattern: String) { #expect(PatternSample(pattern) == nil) }

    @Test func `repetitions do not make endless strings`() {
        #expect(PatternSample("((a{4000}){4000}){4000}")?.text(1, extra: 0) == nil)
        #expect(PatternSample("(((a*)*)*)*")?.text(1, extra: 1_000)?.count ?? 0 < 10_000)
    }
}
