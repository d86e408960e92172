/// The way in which properties of one type are read and set.
@usableFromInline
protocol ManagedAccess<Value> {
    associatedtype Value

    static func value(of object: NSManagedObject, _ property: Managed<Value>) -> Value
    static func set(_ value: Value, of object: NSManagedObject, for property: Managed<Value>)
}
