// swift-tools-version: 6.2
import PackageDescription

// Stores on a PostgreSQL server under load by several processes, with servers that the program starts. Each command counts
// what must hold, and ends with 0 or 1:
//
//     swift run -c release --package-path Tests/Servers Servers bank 100000
//     swift run -c release --package-path Tests/Servers Servers losses 10000
//     swift run -c release --package-path Tests/Servers Servers rules 100000
//     swift run -c release --package-path Tests/Servers Servers feed 1000000
//     swift run -c release --package-path Tests/Servers Servers versions 60
//     swift run --package-path Tests/Servers Servers short
//
// `bank` makes so many transfers between accounts, in all forms of calls. `losses` interrupts connections, backends and the
// server so many times, and compares the outcome of each call with the tables. `rules` makes so many random changes of linked
// objects with unique values, under all merge policies. `feed` writes so many changes, and kills the processes that write and
// read them. `versions` lets programs with two versions of a model run side by side for so many minutes. `short` runs a short
// form of each, in about 15 seconds. --seed NUMBER gives the seed of the random choices; their order in time is up to the
// system.
let package = Package(
    name: "Servers",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Sworm", path: "../..", traits: ["PostgreSQL"])],
    targets: [
        .systemLibrary(name: "CServersPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .executableTarget(
            name: "Servers",
            dependencies: [
                "CServersPQ", .product(name: "Sworm", package: "Sworm"),
                // Built beside the program, which runs it.
                .product(name: "sworm-tool", package: "Sworm"),
            ],
            // Some files of `Support` are links to those of the tests.
            swiftSettings: [
                .define("PostgreSQL"), .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
