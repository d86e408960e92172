// A stand-in for Apple's framework: our engine under its name, so that the code for Apple's platforms can be compiled and
// tested where there is no such framework. It shows that this code type-checks against the public API and behaves on our
// engine; it says nothing about Apple's.
@_exported public import OpenCoreData
