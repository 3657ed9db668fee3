// Paints the agent's snapshots and nothing else: it makes no text and invents no time. Its own rules are those of a lost
// link: what is old must not look like now. ES2017 without `?.`, for the browsers of old tablets.
(function () {
  'use strict';

  var LOST = 25, STALE = 120, RELOAD = 600;       // seconds without an event (display 3.5)
  var DASH = '–', SVG = 'http://www.w3.org/2000/svg';
  var root = document.documentElement;
  var seed = document.getElementById('boot');
  var asset = seed.dataset.asset, live = seed.dataset.live === '1';
  var wanted = parseFloat(root.dataset.scale) || 1;

  var snapshot = null;      // what is painted
  var drawn = {};           // what each part was painted from, so that only what changes is touched
  var told = '';            // the agent's instant when it was last heard
  var overlayEnds = 0;      // page time at which a tap's answer goes by itself, if the agent no longer says so

  function $(id) { return document.getElementById(id); }
  function now() { return performance.now(); }

  // MARK: Elements

  function make(tag, className, text) {
    var node = document.createElement(tag);
    if (className) node.className = className;
    if (text !== undefined) { node.textContent = text; node.dir = 'auto'; }
    return node;
  }

  // A text whose pieces stay whole where it is broken into lines.
  function pieces(node, text, separator) {
    var parts = text.split(separator), glue = separator.replace(/ $/, '');
    node.dir = 'auto';
    fill(node, []);
    parts.forEach(function (piece, index) {
      if (index > 0) node.appendChild(document.createTextNode(' '));
      // Without a direction of their own: pieces of one text follow each other as that text runs.
      var part = make('span', 'piece');
      part.textContent = index < parts.length - 1 ? piece + glue : piece;
      node.appendChild(part);
    });
    return node;
  }

  // Short facts in a row, as many on a line as there is room for.
  function facts(node, text) {
    var row = make('span', '', '');
    node.classList.add('facts');
    text.split(' · ').forEach(function (fact) { row.appendChild(make('span', 'piece', fact)); });
    return fill(node, [row]);
  }

  function fill(parent, children) {
    while (parent.firstChild) parent.removeChild(parent.firstChild);
    children.forEach(function (child) { if (child) parent.appendChild(child); });
    return parent;
  }

  // Shapes tell results apart where colours do not.
  var SHAPES = {
    good: 'M50 4a46 46 0 1 0 .1 0zM26 52l17 17 32-36',
    warn: 'M50 6L96 92H4zM50 38v26M50 76v3',
    bad: 'M31 5h38l26 26v38L69 95H31L5 69V31zM34 34l32 32M66 34L34 66',
    unknown: 'M50 4a46 46 0 1 0 .1 0zM37 40q0-14 13-14t13 13q0 9-13 15v7M50 74v3',
    clock: 'M50 4a46 46 0 1 0 .1 0zM50 24v28l18 12',
    ring: 'M50 10a40 40 0 1 0 .1 0z',
    link: 'M16 40q34-28 68 0M30 56q20-16 40 0M12 90L88 14M49 74h2',
    dose: 'M20 56L56 20a18 18 0 0 1 25 25L45 81a18 18 0 0 1-25-25zM38 38l25 25',
    bus: 'M16 16h68v56H16zM16 48h68M28 72v12M72 72v12M30 60h4M66 60h4',
    bell: 'M50 10a26 26 0 0 1 26 26v24l10 14H14l10-14V36a26 26 0 0 1 26-26zM40 84q10 8 20 0',
    agenda: 'M14 20h72v68H14zM14 40h72M32 8v20M68 8v20',
    fault: 'M50 6L96 92H4zM50 38v26M50 76v3'
  };

  function icon(name) {
    var svg = document.createElementNS(SVG, 'svg'), path = document.createElementNS(SVG, 'path');
    var solid = name === 'dot';
    svg.setAttribute('viewBox', '0 0 100 100');
    svg.setAttribute('aria-hidden', 'true');
    path.setAttribute('d', solid ? 'M50 10a40 40 0 1 0 .1 0z' : SHAPES[name] || SHAPES.ring);
    path.setAttribute('fill', solid ? 'currentColor' : 'none');
    path.setAttribute('stroke', 'currentColor');
    path.setAttribute('stroke-width', '8');
    path.setAttribute('stroke-linecap', 'round');
    path.setAttribute('stroke-linejoin', 'round');
    svg.appendChild(path);
    return svg;
  }

  // MARK: Painting

  // Paints a part only when what it is made of has changed.
  function part(name, made, paint) {
    var key = JSON.stringify(made);
    if (drawn[name] === key) return false;
    drawn[name] = key;
    paint();
    return true;
  }

  function paint() {
    var s = snapshot;
    if (!s) return;
    var link = linkState(), stale = link === 'stale', texts = s.texts || {};
    root.dataset.mode = s.mode;
    if (texts.language) {
      root.lang = texts.language;
      root.dir = /^(ar|fa|he|ur)\b/.test(texts.language) ? 'rtl' : 'ltr';
    }
    document.body.classList.toggle('lost', stale);
    document.body.classList.toggle('unset', stale || !s.clock.trusted);
    // Clock and date change sides every week, against burn-in.
    document.body.classList.toggle('swap', Math.floor(Date.parse(s.now) / 6048e5) % 2 === 1);

    $('clock').textContent = stale ? '--:--' : s.clock.text;
    var date = stale ? '' : s.clock.dateText || '';
    var banners = (linkBanner(link, texts) || []).concat(s.banners), size = [innerWidth, innerHeight];
    // All of the page at once: what was left out for want of room comes back when there is some.
    part('page', [banners, date, s.period, s.agenda, s.missed, s.rail, s.reader, s.sources, link, texts, size], function () {
      showing = {};
      // Smaller letters are for a wall on which even what must stay has no room.
      for (var scale = wanted; ; scale -= 0.1) {
        root.dataset.scale = String(Math.round(scale * 10) / 10);
        fill($('banners'), banners.map(banner));
        pieces($('date'), date, ', ').hidden = date === '';
        paintPeriod(s.period, stale);
        paintAgenda(s.agenda, stale);
        paintMissed(s.missed, texts);
        paintRail(s.rail, stale, texts);
        fill($('reader'), [readerLine(s, link, '')]);
        paintAge(s, texts);
        if (fitPage(s, texts) || scale < 0.85) break;
      }
      shown = showing;
    });
    part('age', [told, s.sources, s.clock.trusted, texts, size], function () { paintAge(s, texts); });
    part('late', [s.late, banners, s.reader, link, texts, size], function () { paintLate(s, banners, stale, texts); });
    if (!$('late').hidden) $('late-clock').textContent = stale ? '--:--' : s.clock.text;
    part('overlay', [s.overlay, size], function () { paintOverlay(s); });
  }

  // What was not there at the last painting comes in softly; the rest stands still.
  var shown = {}, showing = {};

  function entering(key) {
    showing[key] = true;
    return shown[key] ? '' : ' enter';
  }

  var STOPS = { ledger: 1, reader: 1, tag: 1, clock: 1, link: 1 };   // what keeps doses from being recorded

  function banner(b) {
    var node = make('div', 'banner' + entering('banner ' + b.id) + (STOPS[b.id] ? ' stops' : '') + (b.id === 'restart' ? ' quiet' : ''));
    node.appendChild(icon(b.id === 'link' || b.id === 'restart' ? 'link' : b.id === 'clock' ? 'clock' : 'warn'));
    node.appendChild(make('span', '', b.text));
    return node;
  }

  function paintPeriod(period, stale) {
    if (!period) { fill($('period'), []); return; }
    fill($('period'), [facts(make('div', 'period'), stale ? DASH : period.text)].concat(period.people.map(function (p) {
      return fill(make('div', 'lesson'), [make('span', 'name', p.name), facts(make('div', 'what'), stale ? DASH : p.text)]);
    })));
  }

  function paintAgenda(agenda, stale) {
    fill($('agenda'), agenda.slice(0, 6).map(function (entry) {
      var node = make('div', 'entry' + (entry.state === 'now' && !entry.allDay && !stale ? ' on' : ''));
      node.appendChild(make('span', 'at', entry.text));
      node.appendChild(fill(make('div', 'what'), [
        make('span', 'name', entry.title), entry.note ? make('span', 'note', entry.note) : null]));
      return node;
    }));
  }

  // A medication may be cut as a name, what is to be taken of it never: each is an element.
  function dosed(row, isCut) {
    var node = make('div', 'what'), medication = make('span', 'piece medication' + (isCut ? ' name' : ''));
    node.dir = 'auto';
    medication.textContent = row.medication + (row.dose ? ' ·' : '');
    fill(node, [medication]);
    if (row.dose) {
      // Without directions of their own they follow each other as the text of both runs.
      var dose = make('span', 'piece amount');
      dose.textContent = row.dose;
      node.appendChild(document.createTextNode(' '));
      node.appendChild(dose);
    }
    return node;
  }

  function more(count, texts) { return make('div', 'more', '+' + count + ' ' + (texts.more || '')); }

  function paintMissed(missed, texts) {
    if (missed.length === 0) { fill($('missed'), []); return; }
    var rows = missed.map(function (row) {
      var node = make('div', 'missed' + entering('missed ' + row.person + row.medication + row.dueAt) + (row.state === 'unknown' ? ' unknown' : '')), body = make('div', 'body');
      node.appendChild(icon(row.state === 'unknown' ? 'unknown' : 'warn'));
      fill(body, [make('div', 'person name', row.person), dosed(row, true), make('div', 'text', row.text)]);
      node.appendChild(body);
      return node;
    });
    fill($('missed'), rows);
    if (texts.missedHeading) $('missed').insertBefore(make('div', 'heading', texts.missedHeading), $('missed').firstChild);
  }

  // What it is (a route's number says more than a picture), whose, what is to be known of it, and how long there is left.
  function card(c, stale) {
    var chip = make('div', 'chip'), eta = make('div', 'eta');
    chip.appendChild(c.badge ? make('span', 'badge name' + (c.badge.length > 3 ? ' long' : ''), c.badge) : icon(c.kind));
    var detail = c.detail && !stale ? facts(make('div', 'detail'), c.detail) : null;
    if (c.value) eta.appendChild(make('span', 'value', stale ? DASH : c.value));
    if (c.unit && !stale) eta.appendChild(make('span', 'unit', c.unit));
    return fill(make('div', 'card ' + c.kind + ' ' + (stale ? 'stale' : c.style) + entering('card ' + c.id)), [
      chip, fill(make('div', 'body'), [make('div', 'name', c.title), detail]), eta.firstChild ? eta : null
    ]);
  }

  function paintRail(rail, stale, texts) {
    var cards = rail.cards.map(function (c) { return card(c, stale); });
    if (rail.more > 0) cards.push(more(rail.more, texts));
    fill($('rail'), cards);
  }

  // Once the link is lost nobody knows whether a tap would be recorded: "ready" would be a promise.
  function readerLine(s, link, className) {
    var known = link === 'live' || link === 'still', state = s.reader.state;
    var kind = !known ? 'wait' : state === 'ready' ? 'ready' : state === 'starting' || state === 'unknown' ? 'wait' : 'fault';
    var node = make('span', className + kind);
    node.appendChild(icon(kind === 'ready' ? 'dot' : kind === 'fault' ? 'warn' : 'ring'));
    node.appendChild(make('span', '', known ? s.reader.message : DASH));
    return node;
  }

  var GRAVITY = { down: 4, off: 3, stale: 2, aging: 1 };   // off with a reason: no key

  // The age of what is shown: of the worst source in words, or when the agent was last heard.
  function paintAge(s, texts) {
    var worst = s.sources.filter(function (x) { return GRAVITY[x.state] && x.message; }).sort(function (a, b) {
      return GRAVITY[b.state] - GRAVITY[a.state];
    })[0];
    var heardAt = s.clock.trusted && texts.updated && told ? texts.updated + ' ' + told.slice(11, 19).replace(/^0/, '') : '';
    $('source').className = worst && worst.state !== 'aging' ? 'fault' : '';
    fill($('source'), [worst ? make('span', '', worst.message) : heardAt ? make('span', '', heardAt) : null]);
  }

  // MARK: Fitting

  // In a centred column a scroll height does not see what is cut at the top: heights are summed.
  function heightOf(nodes) {
    return Array.prototype.reduce.call(nodes, function (sum, node) {
      var style = getComputedStyle(node);
      return sum + node.offsetHeight + parseFloat(style.marginTop) + parseFloat(style.marginBottom);
    }, 0);
  }

  function inner(box) {
    var style = getComputedStyle(box);
    return box.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
  }

  function over(id) { var box = $(id); return heightOf(box.children) > inner(box) + 1; }

  // What does not fit goes, the least urgent first, and is counted. Doses and faults go last.
  // True: it fits.
  function fitPage(s, texts) {
    var hidden = 0, unsaid = 0, landscape = innerWidth > innerHeight;
    document.body.classList.toggle('alone', s.missed.length === 0 && s.rail.cards.length === 0);
    document.body.classList.toggle('airy', s.agenda.length === 0 && !s.period);

    function drop(id, selector, keep) {
      var all = $(id).querySelectorAll(selector);
      if (all.length <= keep) return false;
      all[all.length - 1].parentNode.removeChild(all[all.length - 1]);
      return true;
    }
    function count(id, missing) {
      var last = $(id).lastChild;
      if (last && last.classList.contains('more')) $(id).removeChild(last);
      $(id).appendChild(more(missing, texts));
      return true;
    }
    function dropCard(keep) { return drop('rail', '.card', keep) && count('rail', s.rail.more + ++hidden); }
    function dropMissed() {
      return drop('missed', '.missed', 1) && count('missed', s.missed.length - $('missed').querySelectorAll('.missed').length);
    }
    // In landscape the columns fill by themselves: what one lacks the other cannot give.
    function isNowOver() { return over(landscape ? 'now' : 'page'); }
    function isListOver() { return over('list') || !landscape && over('page'); }

    // A small or far wall has room for three cards (display 3.4).
    var most = Math.min(innerWidth, innerHeight) < 700 || wanted > 1.25 ? 3 : 4;
    while (dropCard(most));
    // A large clock is the first to give way.
    if (isNowOver() || isListOver()) document.body.classList.remove('airy');
    while (
      isNowOver() && drop('agenda', '.entry', 0) ||
      isListOver() && (!landscape && drop('agenda', '.entry', 0) || dropCard(2) || dropMissed()) ||
      isNowOver() && drop('period', '.lesson', 0) ||
      isListOver() && dropCard(0) ||
      // The agent puts the gravest banner first.
      (isNowOver() || isListOver()) && (drop('banners', '.banner', 1) && count('banners', ++unsaid) || hide($('date')))
    );
    return !isNowOver() && !isListOver();
  }

  function hide(node) {
    var was = node.hidden;
    node.hidden = true;
    return !was;
  }

  // The largest size from `most` to `least` rem at which `fits`. Words are not broken unless nothing else helps.
  function largest(box, most, least, fits) {
    box.classList.remove('broken');
    for (var size = most; size >= least; size -= 0.5) {
      box.style.fontSize = size + 'rem';
      if (fits()) return true;
    }
    box.classList.add('broken');
    return fits();
  }

  function wide(box) {
    return Array.prototype.some.call(box.querySelectorAll('[dir]'), function (node) {
      return node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflow !== 'hidden';
    });
  }

  // MARK: Tier 0

  function paintLate(s, warnings, stale, texts) {
    var late = $('late');
    late.hidden = s.late.length === 0;
    if (late.hidden) { fill(late, []); return; }
    var bar = make('div', 'bar'), clock = make('span', 'clock', s.clock.text);
    clock.id = 'late-clock';
    fill(bar, [icon(stale ? 'unknown' : 'clock'), make('span', '', stale ? DASH : texts.lateHeading || ''), clock]);
    var box = make('div', 'doses');
    // A fault that keeps a tap from counting matters most just here.
    var top = fill(make('div', ''), warnings.filter(function (w) { return STOPS[w.id]; }).slice(0, 2).map(banner));
    top.className = 'banners';
    var readers = readerLine(s, linkState(), 'readerline ');
    for (var shown = Math.min(4, s.late.length); shown >= 1; shown--) {
      var rest = s.late.length - shown, several = s.late.length > 1;
      box.className = 'doses orbit' + (several ? ' several' : '');
      fill(box, s.late.slice(0, shown).map(function (row) { return lateDose(row, stale); }));
      fill(late, [top, bar, box, rest > 0 ? more(rest, texts) : null, readers]);
      if (largest(box, 12.5, 5.5, lateFits)) break;
      box.classList.add('small');
      if (largest(box, 7, 4.5, lateFits)) break;
      // Names may be cut before a dose is left out.
      Array.prototype.forEach.call(box.querySelectorAll('.person, .medication'), function (n) { n.classList.add('name'); });
      if (largest(box, 5.5, 3.5, lateFits)) break;
    }
    function lateFits() {
      var rows = box.children, heights = 0;
      if (several && innerWidth > innerHeight) {
        for (var i = 0; i < rows.length; i += 2) heights += Math.max(heightOf([rows[i]]), rows[i + 1] ? heightOf([rows[i + 1]]) : 0);
      } else heights = heightOf(rows);
      return heights <= box.clientHeight && !wide(box);
    }
  }

  function lateDose(row, stale) {
    return fill(make('div', 'dose'), [
      make('div', 'person', row.person), dosed(row, false),
      pieces(make('div', 'text'), stale ? DASH : row.text, ' · ')
    ]);
  }

  function paintOverlay(s) {
    var overlay = $('overlay'), o = s.overlay;
    overlay.hidden = !o;
    if (!o) { fill(overlay, []); overlayEnds = 0; return; }
    overlay.className = o.style + ' ' + o.kind;
    overlayEnds = now() + Math.max(0, Date.parse(o.until) - Date.parse(s.now)) + 2000;
    var mark = make('div', 'icon');
    mark.appendChild(icon(o.kind === 'unknownTag' ? 'unknown' : o.kind === 'pendingTime' ? 'clock' : o.style));
    fill(overlay, [mark, make('div', 'headline', o.headline), o.detail ? pieces(make('div', 'detail'), o.detail, '; ') : null]);
    if (!largest(overlay, 12.5, 5.5, fits)) {
      overlay.classList.add('small');
      largest(overlay, 9, 3, fits);
    }
    function fits() { return heightOf(overlay.children) <= inner(overlay) && !wide(overlay); }
  }

  // MARK: The link

  var source = null, lastEvent = now(), backBy = 0, triedAt = 0, retryAt = 0, reloadAt = 0;

  function silence() { return (now() - lastEvent) / 1000; }

  function linkState() {
    if (!live) return 'still';
    if (now() < backBy) return 'restart';
    // It said goodbye and has not come back in the time it asked for.
    return silence() >= STALE ? 'stale' : backBy || silence() >= LOST ? 'lost' : 'live';
  }

  function span(seconds) {
    if (seconds < 120) return Math.floor(seconds) + ' s';
    var minutes = Math.floor(seconds / 60);
    return minutes < 120 ? minutes + ' min' : Math.floor(minutes / 60) + ' h ' + minutes % 60 + ' min';
  }

  function linkBanner(link, texts) {
    if (link === 'restart') return [{ id: 'restart', text: texts.restarting || 'Restarting' }];
    if (link !== 'lost' && link !== 'stale') return null;
    return [{ id: 'link', text: (texts.connectionLost || 'No connection for') + ' ' + span(silence()) }];
  }

  function heard() { lastEvent = now(); backBy = 0; }

  function connect() {
    if (source) source.close();
    triedAt = now();
    retryAt = 0;
    var mine = source = new EventSource('/events');
    function on(name, act) {
      mine.addEventListener(name, function (event) {
        if (mine !== source) return;
        try { act(JSON.parse(event.data)); } catch (error) { retryAt = retryAt || now() + 5000; }
      });
    }
    on('hello', function (hello) {
      heard();
      if (hello.asset !== asset) reload('asset ' + hello.asset);
      if (snapshot && hello.boot !== snapshot.boot) { drawn = {}; overlayEnds = 0; }
    });
    on('state', function (s) {
      heard();
      // Within one run of the agent snapshots only get newer.
      if (snapshot && s.boot === snapshot.boot && s.v < snapshot.v) return;
      snapshot = s;
      told = s.now;
      paint();
      acknowledge();
    });
    on('hb', function (beat) {
      heard();
      told = beat.now || told;
      if (snapshot && beat.v !== snapshot.v) connect();
      else paint();
    });
    on('bye', function (bye) {
      heard();
      backBy = now() + Math.min(120, bye.back_s) * 1000;
      paint();
    });
    mine.onerror = function () {
      // Closed is for ever, unless it is made anew; pages must not all come back in the same instant.
      if (mine === source && mine.readyState === 2) retryAt = now() + 2000 + Math.random() * 2000;
    };
  }

  // Only into an agent that answers, since an error page never comes back; and not again and again.
  function reload(why) {
    try {
      if (sessionStorage.getItem('reload') === why) return;
    } catch (error) { /* no storage: the time below still bounds it */ }
    if (now() < reloadAt) return;
    reloadAt = now() + 60000;
    fetch('/healthz', { cache: 'no-store' }).then(function (answer) {
      if (answer.status !== 200 && answer.status !== 503) return;
      try { sessionStorage.setItem('reload', why); } catch (error) { /* as above */ }
      location.reload();
    }, function () {});
  }

  var acknowledging = false;

  function acknowledge() {
    if (!live || acknowledging || !snapshot) return;
    acknowledging = true;
    var done = function () { acknowledging = false; };
    // After the browser had its turn to paint; not an animation frame, which a dark panel holds back.
    setTimeout(function () {
      var t0 = !$('overlay').hidden || !$('late').hidden;
      fetch('/display/ack', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ v: snapshot.v, boot: snapshot.boot, w: innerWidth, h: innerHeight, vis: document.visibilityState, t0: t0 })
      }).then(done, done);
    }, 0);
  }

  var ticks = 0;

  function tick() {
    ticks += 1;
    if (overlayEnds && now() > overlayEnds && !$('overlay').hidden) {
      // The agent has not said that it is over: an old thank-you would answer the next tap.
      $('overlay').hidden = true;
    }
    if (ticks % 60 === 0) orbit(Math.floor(ticks / 60) % 8);
    if (!live) return;
    var silent = silence();
    if (silent >= 11 || linkState() !== 'live') paint();
    if (retryAt && now() >= retryAt) connect();
    else if (silent >= LOST && now() - triedAt > 15000) connect();
    if (silent >= RELOAD) reload('silence ' + Math.floor(Date.now() / 600000));
    if (ticks % 10 === 0) acknowledge();
  }

  function orbit(step) {
    $('wall').className = $('late').className = step > 0 ? 'orbit orbit-' + step : 'orbit';
  }

  try { snapshot = JSON.parse(seed.textContent); } catch (error) { snapshot = null; }
  // An agent that has just started has nothing to show yet.
  if (snapshot && !snapshot.clock) snapshot = null;
  if (snapshot) { told = snapshot.now; paint(); }
  addEventListener('resize', paint);
  if (document.fonts && document.fonts.ready) document.fonts.ready.then(function () { drawn = {}; paint(); });
  setInterval(tick, 1000);
  if (live) { connect(); acknowledge(); }
})();
