#if PostgreSQL
package import Foundation

extension Date {
    /// The date as a `timestamptz` returns it, in whole microseconds; nil for a date that the type cannot hold.
    package var roundedForServer: Date? {
        Wire.microseconds(timeIntervalSinceReferenceDate)
            .map { Date(timeIntervalSinceReferenceDate: Wire.seconds($0)) }
    }
}
#endif
