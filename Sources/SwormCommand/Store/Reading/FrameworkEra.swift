/// The operating systems whose Core Data framework wrote a store, by the framework version in the store.
enum FrameworkEra {
    private static let eras: [(first: Int, systems: String)] = [
        (1, "iPhone OS 3 / Mac OS X 10.5-10.6"), (249, "between iPhone OS 3 and iOS 8"), (500, "iOS 8 / OS X 10.10"),
        (600, "iOS 9 / OS X 10.11"), (700, "iOS 10 / macOS 10.12"), (800, "iOS 11 / macOS 10.13"),
        (860, "iOS 12 / macOS 10.14"), (900, "iOS 13 / macOS 10.15"), (1000, "iOS 14 / macOS 11"),
        (1100, "iOS 15 / macOS 12"), (1200, "iOS 16 / macOS 13"), (1300, "iOS 17 / macOS 14"),
        (1400, "iOS 18 / macOS 15"), (1500, "iOS 26 / macOS 26"),
    ]

    static func name(_ version: Int) -> String? { eras.last { $0.first <= version }?.systems }
}
