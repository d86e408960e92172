extension Duration {
    /// The duration in seconds.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

extension ContinuousClock.Instant {
    /// The number of seconds until this instant; zero if it has passed.
    package var secondsLeft: Double { max(0, (self - .now).inSeconds) }
}
