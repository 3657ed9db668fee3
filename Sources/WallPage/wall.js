// Paints the agent's snapshots. It makes no text and invents no time; its one rule of its own is the lost link.
(function () {
  'use strict';
  var LOST_AFTER = 25, STALE_AFTER = 120, RELOAD_AFTER = 600, MOST_LATE = 4;
  var $ = function (id) { return document.getElementById(id); };
  var snapshot = null, boot = null, asset = document.currentScript.src.split('.').slice(-2)[0];
  var source = null, lastEvent = performance.now(), backAt = 0, retry = 0, triedReload = 0;

  // MARK: Painting

  function element(tag, className, text) {
    var node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) { node.textContent = text; node.dir = 'auto'; }
    return node;
  }

  function replace(parent, children) {
    while (parent.firstChild) parent.removeChild(parent.firstChild);
    children.forEach(function (child) { parent.appendChild(child); });
  }

  function paint() {
    var s = snapshot;
    if (!s) return;
    document.documentElement.lang = s.texts.language;
    document.body.className = s.mode === 'night' || s.mode === 'off' ? s.mode : '';
    $('clock').textContent = s.clock.text;
    $('date').textContent = s.clock.dateText;
    paintLink();
    $('missed').hidden = s.missed.length === 0;
    $('missed-heading').textContent = s.texts.missedHeading;
    replace($('missed-rows'), s.missed.map(function (row) {
      var item = element('li', row.state);
      item.appendChild(element('span', 'who name', row.person));
      item.appendChild(element('span', 'what', row.medication + ' · ' + row.text));
      return item;
    }));
    $('rail-more').textContent = s.rail.more > 0 ? '+' + s.rail.more + ' ' + s.texts.more : '';
    replace($('cards'), s.rail.cards.map(paintCard));
    $('reader-text').textContent = s.reader.message;
    $('reader').className = s.reader.state === 'ready' ? '' : 'bad';
    paintLate(s);
    paintOverlay(s);
  }

  function paintCard(card) {
    var node = element('div', 'card ' + card.style), main = element('div', 'main');
    main.appendChild(element('div', 'title name', card.title));
    main.appendChild(element('div', 'detail', card.detail));
    node.appendChild(main);
    node.appendChild(element('div', 'value', card.value));
    node.appendChild(element('div', 'unit', card.unit));
    return node;
  }

  function paintLate(s) {
    var late = $('late');
    late.hidden = s.late.length === 0;
    if (late.hidden) return;
    $('late-heading').textContent = s.texts.lateHeading;
    replace($('late-rows'), s.late.slice(0, MOST_LATE).map(function (row) {
      var item = element('li');
      item.appendChild(element('div', 'who', row.person));
      item.appendChild(element('div', 'what', row.medication + (row.dose ? ', ' + row.dose : '')));
      item.appendChild(element('div', 'when', row.text));
      return item;
    }));
    $('late-more').textContent = s.late.length > MOST_LATE ? '+' + (s.late.length - MOST_LATE) + ' ' + s.texts.more : '';
    fit(late);
  }

  function paintOverlay(s) {
    var overlay = $('overlay');
    overlay.hidden = !s.overlay;
    if (overlay.hidden) return;
    overlay.className = s.overlay.style + ' ' + s.overlay.kind;
    $('overlay-headline').textContent = s.overlay.headline;
    $('overlay-detail').textContent = s.overlay.detail;
    fit(overlay);
  }

  // The largest size at which everything is on the glass. Heights are summed: in a centred column a scroll height
  // does not tell what is cut at the top.
  function fit(section) {
    var box = section.querySelector('.fit');
    for (var size = 12.5; size >= 3; size -= 0.5) {
      box.style.setProperty('--t', size + 'rem');
      if (box.scrollWidth <= box.clientWidth + 1 && box.offsetHeight <= section.clientHeight - 80) return;
    }
  }

  // MARK: The lost link

  function silence() { return (performance.now() - lastEvent) / 1000; }

  function paintLink() {
    var banners = (snapshot ? snapshot.banners : []).map(function (b) { return element('div', '', b.text); });
    var seconds = Math.floor(silence()), announced = performance.now() < backAt;
    if (live && seconds >= LOST_AFTER && !announced) {
      banners.unshift(element('div', 'lost', snapshot.texts.connectionLost + ' ' + seconds + ' s'));
    } else if (live && announced && seconds >= 2) {
      banners.unshift(element('div', 'lost', snapshot.texts.restarting));
    }
    replace($('banners'), banners);
    // What is old must not look like now: a clock that stands still, a reader that may be gone, times that ran out.
    if (live && seconds >= STALE_AFTER) {
      $('clock').textContent = '–';
      $('date').textContent = '';
      $('reader-text').textContent = '–';
      $('reader').className = 'bad';
      $('overlay').hidden = true;
      Array.prototype.forEach.call(document.querySelectorAll('.card .value, #late .when, #missed .what'), function (node) {
        node.textContent = '–';
      });
    }
  }

  function watch() {
    var seconds = silence();
    if (seconds >= 2) paintLink();
    if (!source || source.readyState === 2 || seconds > LOST_AFTER + 5 * retry) connect();
    if (seconds >= RELOAD_AFTER && performance.now() - triedReload > 60000) {
      triedReload = performance.now();
      reload();
    }
  }

  // Only into a server that answers: an error page would never come back.
  function reload() {
    fetch('/healthz', { cache: 'no-store' }).then(function () { location.reload(); }, function () {});
  }

  function heard() {
    lastEvent = performance.now();
    backAt = 0;
    retry = 0;
  }

  function connect() {
    if (source) source.close();
    retry = Math.min(retry + 1, 6);
    source = new EventSource('/events');
    source.addEventListener('hello', function (event) {
      var hello = JSON.parse(event.data);
      heard();
      if (hello.asset !== asset) reload();
      if (boot !== null && hello.boot !== boot) snapshot = null;
      boot = hello.boot;
    });
    source.addEventListener('state', function (event) {
      heard();
      snapshot = JSON.parse(event.data);
      paint();
      acknowledge();
    });
    source.addEventListener('hb', function (event) {
      var beat = JSON.parse(event.data), wasLost = silence() >= LOST_AFTER;
      heard();
      if (snapshot && beat.v !== snapshot.v) connect();
      else if (wasLost) paint();
      acknowledge();
    });
    source.addEventListener('bye', function (event) {
      backAt = performance.now() + JSON.parse(event.data).back_s * 1000;
    });
  }

  function acknowledge() {
    if (!snapshot) return;
    fetch('/display/ack', {
      method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ v: snapshot.v, boot: snapshot.boot, w: innerWidth, h: innerHeight,
        vis: document.visibilityState, t0: !$('late').hidden || !$('overlay').hidden })
    }).catch(function () {});
  }

  // MARK: Burn-in: eight places around the middle, one a minute, inside the padding.

  function orbit() {
    var step = Math.floor(performance.now() / 60000) % 8, angle = step * Math.PI / 4;
    $('orbit').style.transform = 'translate(' + Math.round(8 * Math.cos(angle)) + 'px,' + Math.round(8 * Math.sin(angle)) + 'px)';
  }

  var live = document.body.dataset.live === '1';
  snapshot = JSON.parse($('boot').textContent);
  boot = snapshot.boot;
  paint();
  addEventListener('resize', paint);
  if (live) {
    connect();
    acknowledge();
    setInterval(watch, 1000);
    setInterval(orbit, 60000);
  }
})();
