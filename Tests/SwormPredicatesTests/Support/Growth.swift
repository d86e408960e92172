/// How much longer a piece of work takes for an input that is eight times as large: about 8 when the time is linear, 64
/// and more when it is quadratic. The shortest of several tries counts on both sides, since other work only adds to
/// them.
func growth(to size: Int, tries: Int = 5, _ work: (Int) throws -> Void) rethrows -> Double {
    var best = [size / 8: Double.infinity, size: Double.infinity]
    for _ in 0..<tries {
        for size in [size / 8, size] {
            let time = try ContinuousClock().measure { try work(size) }.components
            best[size] = min(best[size] ?? .infinity, Double(time.seconds) + Double(time.attoseconds) * 1e-18)
        }
    }
    return (best[size] ?? 0) / max(best[size / 8] ?? 0, 1e-7)
}
