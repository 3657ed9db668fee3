internal import Foundation
internal import Linux

// One try: from the key to the record of how it went.
extension Source {
  /// nil: nothing new; the record says why.
  func attempt<Value: Sendable>(_ resource: Resource, _ parse: @Sendable (Delivery) throws(Objection) -> Value)
    async throws(CancellationError) -> Value?
  {
    let key: FeedKey?
    do throws(KeyStore.Fault) {
      key = settings.keyParameter == nil ? nil : try keys?.key()
    } catch {
      note(.noKey(error), resource)
      return nil
    }
    if case .noKey = fault { (fault, failingSince) = (nil, nil) }
    if let rejectedKey, key != rejectedKey {
      // Somebody has put another key there: it deserves a try at once.
      self.rejectedKey = nil
      backOff.succeeded()
      records[resource.name, default: Record()].backOff.succeeded()
      records[resource.name, default: Record()].lastAttempt = nil
    }
    guard isDue(resource) else { return nil }
    let start = time.uptime()
    let outcome: Result<Good<Value>, Fault>
    do {
      outcome = .success(try await ask(resource, key, parse))
    } catch let fault as Fault {
      outcome = .failure(fault)
    } catch {
      // Only a cancelled task ends otherwise; it says nothing of the source.
      throw CancellationError()
    }
    records[resource.name, default: Record()].attempts += 1
    records[resource.name, default: Record()].lastAttempt = start
    switch outcome {
    case .success(let good):
      succeed(good.copy, resource, key)
      return good.value
    case .failure(let fault):
      fail(scrubbed(fault, key), resource, key)
      return nil
    }
  }

  /// A value and the copy it came from.
  private struct Good<Value> {
    let value: Value
    let copy: LastGoodCopy
  }

  /// Requests until there is an answer to the document itself: redirects are followed, and a 304 whose copy the parser no
  /// longer takes is asked for again without validators.
  private func ask<Value: Sendable>(
    _ resource: Resource, _ key: FeedKey?, _ parse: @Sendable (Delivery) throws(Objection) -> Value
  ) async throws -> Good<Value> {
    let end = time.uptime() + settings.deadline
    let first = try addressed(resource.address, key)
    var address = first
    var hops = 0
    var confirmed = confirmable(resource)
    while true {
      let answer = try await perform(address, confirmed, end)
      if Redirect.statuses.contains(answer.status) {
        address = try Redirect.follow(answer.location, from: first, hosts: settings.hosts, hops: hops)
        hops += 1
      } else if answer.status == 304 {
        guard let copy = confirmed else { throw Fault.unexpected(status: 304) }
        let renewed = renewed(copy, by: answer)
        if let value = try? parse(renewed.delivery(boot: boot)) { return Good(value: value, copy: renewed) }
        confirmed = nil
      } else {
        let copy = copy(of: answer, resource)
        let since = lastGood.flatMap { $0.key == key ? time.uptime() - $0.at : nil }
        let delivery = Delivery(
          body: answer.body, status: answer.status, instant: copy.origin.instant, receivedAt: copy.origin.uptime,
          toldAgo: answer.took / 2 + answer.cachedFor, headers: answer.headers, retryAfter: answer.wait,
          sinceSuccess: since)
        return Good(value: try judge(answer, delivery, parse), copy: copy)
      }
    }
  }

  /// The copy whose validators may be sent.
  private func confirmable(_ resource: Resource) -> LastGoodCopy? {
    guard resource.usesValidators, let copy = record(of: resource).copy,
      copy.entityTag != nil || copy.lastModified != nil,
      abs(trueNow().timeIntervalSince(copy.bodySince)) < Self.longestConfirmation
    else { return nil }
    return copy
  }

  private func addressed(_ address: Address, _ key: FeedKey?) throws(Fault) -> Address {
    guard let key, let parameter = settings.keyParameter else { return address }
    // A key that makes the address too long.
    guard let full = address.adding(parameter, key.text) else { throw .curl(3) }
    return full
  }

  /// One request.
  private func perform(_ address: Address, _ confirmed: LastGoodCopy?, _ end: Duration) async throws -> Answer {
    let left = end - time.uptime()
    guard left > .zero else { throw Fault.overdue(settings.deadline) }
    var request = Request(address: address, wanted: settings.headers, deadline: left, limit: settings.limit)
    if let tag = confirmed?.entityTag { request.headers.append(("If-None-Match", tag)) }
    if let date = confirmed?.lastModified { request.headers.append(("If-Modified-Since", date)) }
    do {
      let answer = try await exchange.perform(request)
      if let date = answer.date { serverClock = (date + answer.cachedFor.inSeconds, time.uptime()) }
      return answer
    } catch Fault.overdue {
      // What was left may be less than the deadline that people know.
      throw Fault.overdue(settings.deadline)
    }
  }

  /// The value, or what is wrong with the answer.
  private func judge<Value: Sendable>(
    _ answer: Answer, _ delivery: Delivery, _ parse: @Sendable (Delivery) throws(Objection) -> Value
  ) throws(Fault) -> Value {
    let isForParser = settings.verdict == .body || answer.status == 200 || answer.status == 203
    guard isForParser else { throw refused(answer) }
    do throws(Objection) {
      return try parse(delivery)
    } catch {
      // The parser of an envelope knows better what came in its place.
      if settings.verdict == .status, answer.body.isEmpty { throw .empty }
      if settings.verdict == .status, answer.isWebPage { throw .webPage }
      throw .objection(error)
    }
  }

  /// What the HTTP status says.
  private func refused(_ answer: Answer) -> Fault {
    switch answer.status {
    // A page for people is not the provider's word on a key.
    case 401, 403:
      settings.keyParameter == nil || answer.isWebPage ? .forbidden(status: answer.status) : .keyRejected
    case 404, 410: .notFound
    case 429: .tooMany(retryAfter: answer.wait)
    case 500...599: .serverError(status: answer.status, retryAfter: answer.wait)
    default: .unexpected(status: answer.status)
    }
  }

  private func origin(of answer: Answer) -> Origin {
    let instant = answer.date.map { $0 + answer.cachedFor.inSeconds }
    return Origin(
      uptime: time.uptime(), boot: boot, instant: instant ?? time.now(), isServers: instant != nil,
      cachedFor: answer.cachedFor)
  }

  private func copy(of answer: Answer, _ resource: Resource) -> LastGoodCopy {
    let origin = origin(of: answer)
    return LastGoodCopy(
      body: answer.body, origin: origin, bodySince: origin.instant, entityTag: answer.entityTag,
      lastModified: answer.lastModified, headers: answer.headers, address: LastGoodCopy.mark(resource.address))
  }

  private func renewed(_ copy: LastGoodCopy, by answer: Answer) -> LastGoodCopy {
    var copy = copy
    copy.origin = origin(of: answer)
    return copy
  }
}

// How a try went.
extension Source {
  private func succeed(_ copy: LastGoodCopy, _ resource: Resource, _ key: FeedKey?) {
    let record = record(of: resource)
    if let fault = self.fault ?? record.fault, !fault.isBeforeAsking {
      let since = record.failingSince.map { Int(trueNow().timeIntervalSince($0).rounded()) }
      log.notice("\(settings.id): fetched again\(since.map { " after \(max(0, $0)) s" } ?? "")")
    }
    (fault, failingSince) = (nil, nil)
    backOff.succeeded()
    rejectedKey = nil
    lastGood = (key, time.uptime())
    records[resource.name, default: Record()].fault = nil
    records[resource.name, default: Record()].failingSince = nil
    records[resource.name, default: Record()].backOff.succeeded()
    store(copy, of: resource)
  }

  private func fail(_ fault: Fault, _ resource: Resource, _ key: FeedKey?) {
    if fault.isOfKey { rejectedKey = key }
    note(fault, resource)
    let now = time.uptime()
    let chance = chance()
    records[resource.name, default: Record()].backOff.failed(
      at: now, retryAfter: fault.retryAfter, range: settings.backOff, chance: chance)
    if fault.isOfSource {
      backOff.failed(at: now, retryAfter: fault.retryAfter, range: settings.backOff, chance: chance)
    }
  }

  /// Remembers a fault, and says it once for as long as it is the same.
  private func note(_ fault: Fault, _ resource: Resource) {
    let record = record(of: resource)
    let known = fault.isOfSource ? self.fault : record.fault
    if fault.isOfSource {
      (self.fault, failingSince) = (fault, failingSince ?? trueNow())
    } else {
      // The provider is reached again, or there is a key again: what was wrong with the source is over.
      (self.fault, failingSince) = (nil, nil)
      backOff.succeeded()
    }
    // A missing key is no document's; and what the provider said of one it does not take back by falling silent.
    let isKept = fault.isOfSource && record.fault?.isOfSource == false
    if !fault.isBeforeAsking, !isKept { records[resource.name, default: Record()].fault = fault }
    if record.failingSince == nil { records[resource.name, default: Record()].failingSince = trueNow() }
    if known != fault { log.warning("\(settings.id): \(sentence(fault, resource))") }
  }

  /// Texts of the other side, short, of one line, and without the key that they may quote.
  private func scrubbed(_ fault: Fault, _ key: FeedKey?) -> Fault {
    let scrub = { (text: String) in Fault.printable(key?.scrub(text) ?? text) ?? "" }
    return switch fault {
    case .objection(let objection):
      .objection(
        Objection(scrub(objection.sentence), scope: objection.scope, retryAfter: objection.retryAfter))
    case .redirectRefused(let to?): .redirectRefused(to: scrub(to))
    default: fault
    }
  }
}
