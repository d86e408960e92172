import Foundation

extension Bundle {
    /// The URLs of the model files among the bundle's resources, in the order of their names. A folder of versions is one
    /// file.
    var modelFiles: [URL] {
        var folders: [URL] = []
        for folder in [resourceURL, bundleURL].compactMap({ $0?.standardizedFileURL }) where !folders.contains(folder) {
            folders.append(folder)
        }
        return folders.flatMap { folder in
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return files.filter(ModelFile.isModel).sorted().map { folder.appendingPathComponent($0) }
        }
    }

    /// The URLs of the model files, with each model once: a package may contain a model in its compiled form and in the
    /// form that an editor writes.
    var models: [URL] {
        var seen: Set<String> = []
        // In this order, a compiled model and a folder of versions come first.
        let files = modelFiles.sorted { $0.pathExtension.lowercased() > $1.pathExtension.lowercased() }
        let compiled = files.filter { $0.pathExtension.lowercased().hasPrefix("mom") }
        let others = files.filter { !$0.pathExtension.lowercased().hasPrefix("mom") }
        return (compiled + others).filter { seen.insert($0.deletingPathExtension().lastPathComponent).inserted }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
