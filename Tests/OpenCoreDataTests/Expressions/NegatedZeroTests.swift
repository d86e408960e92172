import Foundation
import TestSupport
import Testing

@testable import OpenCoreData

@Suite("Conditions on the negative of zero", .overEachStore)
struct NegatedZeroTests {
    private let context: NSManagedObjectContext

    init() throws {
        let number = Build.entity(
            "Number",
            [
                Build.attribute("real", .doubleAttributeType), Build.attribute("small", .floatAttributeType),
                Build.attribute("whole", .integer64AttributeType),
            ])
        context = try GraphLibrary.context(GraphLibrary.coordinator(model: Build.model(number)))
        for (real, small, whole) in [(0.0, Float(0), 0), (-0.0, -Float(0), -1), (2, 2, 1), (-2, -2, -3)] {
            try context.make("Number", ["real": real, "small": small, "whole": whole])
        }
        try context.save()
    }

    /// SQLite subtracts from zero, and the result for zero is a positive zero. Powers distinguish the two.
    @Test(arguments: [
        "-real ** -1 > 0", "-real ** -1 < 0", "-small ** -1 > 0", "-small ** whole < 0", "-whole ** -1 > 0",
        "-(real * -1) ** -1 > 0", "-(-real) ** -1 > 0", "-real ** CAST(whole, 'NSNumber') < real - real",
        "whole == 0 AND -0.0 ** -1 < 0", "-real == 0", "-real * real ** -1 > 0",
    ])
    func `find the same objects in a store as in memory`(format: String) throws {
        let predicate = NSPredicate(format: format)
        let request = NSFetchRequest<NSManagedObject>(entityName: "Number")
        request.sortDescriptors = [NSSortDescriptor(key: "whole", ascending: true)]
        let all = try context.fetch(request)
        request.predicate = predicate
        let found = try context.fetch(request)
        #expect(found == all.filter(predicate.evaluate(with:)))
    }
}
