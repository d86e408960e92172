import Foundation

/// The code of the error that a piece of work throws; nil if it throws none.
func thrownCode(_ work: () throws -> Void) -> Int? {
    do {
        try work()
        return nil
    } catch {
        return (error as NSError).code
    }
}
