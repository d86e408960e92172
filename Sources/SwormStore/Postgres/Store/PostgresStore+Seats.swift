#if PostgreSQL
import Foundation
package import SwormPostgres
import SwormRows

extension PoolSeat: StoreSeat {}

extension PostgresStore: SeatedStore {
    package func reserveSeat(
        takingTurn takesTurn: Bool, until deadline: ContinuousClock.Instant?,
        _ answer: @escaping @Sendable (Result<any StoreSeat, any Error>) -> Void
    ) -> (@Sendable () -> Void)? {
        // No work is stopped by this token, which only has the deadline.
        let token = InterruptToken()
        token.deadline = deadline
        let end = ContinuousClock.now.advanced(by: longestWait(token))
        let action = takesTurn ? "write to" : "read"
        return pool.reserveSeat(for: takesTurn ? "write" : "read", takingTurn: takesTurn, until: end) { [self] result in
            switch result {
            case .success(let seat): answer(.success(seat))
            case .failure(let error) where error.kind == .cancelled: answer(.failure(CancellationError()))
            case .failure(let error): answer(.failure(translated(error, while: action, token: token)))
            }
        }
    }
}
#endif
