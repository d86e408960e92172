#if PostgreSQL
import SwormRows

/// The conversion of numbers and dates from and to their form in messages, which is big-endian.
///
/// Reading checks the length only, because the caller compares the types of the columns once a result.
enum Wire {
    /// Returns an integer of two, four or eight bytes; nil for another length.
    @inline(__always)
    static func integer(_ start: UnsafeRawPointer, length: Int32) -> Int64? {
        switch length {
        case 4: Int64(Int32(bigEndian: start.loadUnaligned(as: Int32.self)))
        case 8: Int64(bigEndian: start.loadUnaligned(as: Int64.self))
        case 2: Int64(Int16(bigEndian: start.loadUnaligned(as: Int16.self)))
        default: nil
        }
    }

    /// Returns a number without a sign of four or eight bytes; nil for another length and for one above `Int64.max`.
    static func unsigned(_ start: UnsafeRawPointer, length: Int32) -> Int64? {
        switch length {
        case 4: Int64(UInt32(bigEndian: start.loadUnaligned(as: UInt32.self)))
        case 8: Int64(exactly: UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)))
        default: nil
        }
    }

    /// Returns an integer of a form; nil if the form has none.
    @inline(__always)
    static func integer(_ start: UnsafeRawPointer, length: Int32, form: ValueForm) -> Int64? {
        switch form {
        case .integer: integer(start, length: length)
        case .unsigned: unsigned(start, length: length)
        default: nil
        }
    }

    /// Returns a real number of four or eight bytes; nil for another length.
    @inline(__always)
    static func real(_ start: UnsafeRawPointer, length: Int32) -> Double? {
        switch length {
        case 8: Double(bitPattern: UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)))
        case 4: Double(Float(bitPattern: UInt32(bigEndian: start.loadUnaligned(as: UInt32.self))))
        default: nil
        }
    }

    /// Returns the seconds since 2001 of a `timestamptz`; nil for another length and for an infinite one.
    @inline(__always)
    static func timestamp(_ start: UnsafeRawPointer, length: Int32) -> Double? {
        guard length == 8 else { return nil }
        let microseconds = Int64(bigEndian: start.loadUnaligned(as: Int64.self))
        return microseconds == .max || microseconds == .min ? nil : seconds(microseconds)
    }

    // MARK: Dates

    /// The microseconds from 2000 to 2001.
    private static let shift: Int64 = 31_622_400_000_000

    /// Returns microseconds since 2000 as seconds since 2001.
    @inline(__always)
    static func seconds(_ microseconds: Int64) -> Double {
        // Only values that are no dates of a server can wrap around.
        Microseconds.seconds(microseconds &- shift)
    }

    /// Returns seconds since 2001 as microseconds since 2000, rounded to the nearest; nil for a date that a
    /// `timestamptz` cannot hold.
    @inline(__always)
    static func microseconds(_ seconds: Double) -> Int64? { Microseconds.nearest(to: seconds).map { $0 + shift } }
}
#endif
