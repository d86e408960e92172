import Foundation
import SwormPredicates

// Fetch requests with names, which a model file may contain.
extension NSManagedObjectModel {
    /// The request templates by name. The requests are copies: changing one does not change the template.
    public var fetchRequestTemplatesByName: [String: NSFetchRequest<any NSFetchRequestResult>] {
        requestTemplates.mapValues { request($0) }
    }

    /// Returns the request template with a name. The request is a copy: changing it does not change the template.
    ///
    /// - Parameter name: The name of the template.
    /// - Returns: A request; nil if there is no template with that name.
    public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<any NSFetchRequestResult>? {
        requestTemplates[name].map { request($0) }
    }

    /// Returns a request that is made from a template, with values for the variables in its predicate.
    ///
    /// ```swift
    /// let template = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
    /// template.predicate = NSPredicate(format: "year > $YEAR")
    /// model.setFetchRequestTemplate(template, forName: "recent")
    /// let request = model.fetchRequestFromTemplate(withName: "recent", substitutionVariables: ["YEAR": 2020])
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the template.
    ///   - variables: The values by the names of the variables, without `$`. A fetch with a variable that has no value
    ///     throws an error.
    /// - Returns: A request; nil if there is no template with that name.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<any NSFetchRequestResult>? {
        guard let template = requestTemplates[name] else { return nil }
        let request = request(template)
        request.predicate = template.predicate.map { predicate in
            ObjectPredicate(Result { try predicate.tree().substituting(predicateVariables(variables)) })
        }
        return request
    }

    /// Adds, replaces or removes a request template.
    ///
    /// - Parameters:
    ///   - fetchRequestTemplate: A request, whose settings are copied; nil removes the template.
    ///   - name: The name of the template.
    public func setFetchRequestTemplate<ResultType>(
        _ fetchRequestTemplate: NSFetchRequest<ResultType>?, forName name: String
    ) {
        requestTemplates[name] = fetchRequestTemplate?.template
    }

    /// Adds, replaces or removes a request template.
    ///
    /// - Parameters:
    ///   - fetchRequestTemplate: A request, whose settings are copied; nil removes the template.
    ///   - name: The name of the template.
    public func setFetchRequestTemplate(
        _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
    ) {
        requestTemplates[name] = fetchRequestTemplate?.template
    }

    private func request(_ template: RequestTemplate) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>(template)
        if let entity = template.entityName.flatMap({ entitiesByName[$0] }) { request.entity = entity }
        return request
    }
}

extension NSFetchedPropertyDescription {
    /// The request whose results are the value of the property; nil if it has no entity. The predicate may use the
    /// variables `$FETCH_SOURCE`, the object that has the property, and `$FETCHED_PROPERTY`, this description.
    ///
    /// The request is a copy: changing it does not change the property.
    public var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get {
            guard let name = request.entityName else { return nil }
            let result = NSFetchRequest<any NSFetchRequestResult>(request)
            if let entity = declaringEntity?.owningModel?.entitiesByName[name] { result.entity = entity }
            return result
        }
        set { request = newValue?.template ?? RequestTemplate() }
    }
}
