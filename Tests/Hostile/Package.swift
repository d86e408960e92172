// swift-tools-version: 6.2
import PackageDescription

// A program that reads and changes all objects of a store that may be damaged. `mutants.py` runs it, and `sworm-tool`, on
// thousands of them:
//
//     swift build -c release --product sworm-tool
//     swift build -c release --package-path Tests/Hostile
//     python3 Tests/Hostile/mutants.py .build/release/sworm-tool FOLDER --walk Tests/Hostile/.build/release/Walk --count 20000
let package = Package(
    name: "Hostile",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Sworm", path: "../..")],
    targets: [.executableTarget(name: "Walk", dependencies: [.product(name: "OpenCoreData", package: "Sworm")])],
    swiftLanguageModes: [.v6]
)
