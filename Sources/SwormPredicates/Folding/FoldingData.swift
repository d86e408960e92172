/// The letters and marks that folding changes, as runs of numbers.
///
/// Version 1 of this data never changes, because databases contain indexes of folded strings. Other data would be
/// another version beside this one.
enum FoldingData {}
