// The control page: sends its forms to the control API, and shows the calls, lists and clock of the
// sandbox. Each form states its request.

const by = (id) => document.getElementById(id);
const said = by('said');
const SHOWN = 300;
const SHOWN_IN_LIST = 50;

/** Sends a request to the control API and shows its result. @returns the answer, or undefined */
async function ask(method, path, body) {
  try {
    const json = body !== undefined && !(body instanceof window.Blob);
    const answer = await fetch(path, {
      method,
      ...(json && { headers: { 'content-type': 'application/json' } }),
      ...(body !== undefined && { body: json ? JSON.stringify(body) : body }),
    });
    const content = await answer.json();
    if (answer.ok) return content;
    tell(content.error ?? `The sandbox answered ${answer.status}.`, true);
  } catch {
    tell('The sandbox does not answer. Is it still running?', true);
  }
  return undefined;
}

function tell(text, wrong = false) {
  said.textContent = text;
  said.className = wrong ? 'wrong' : 'good';
}

function element(name, { text, className, ...more } = {}, ...children) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  Object.assign(made, more);
  made.append(...children);
  return made;
}

/** Returns what a form sends: the filled fields, with dotted names for nested ones. */
function valuesOf(form) {
  const values = JSON.parse(form.dataset.sends);
  for (const field of form.querySelectorAll('[name]')) {
    const value = valueOf(field);
    if (value === undefined) continue;
    const names = field.name.split('.');
    const last = names.pop();
    let object = values;
    for (const name of names) object = object[name] ??= {};
    object[last] = value;
  }
  return values;
}

function valueOf({ dataset, checked, defaultChecked, value }) {
  // A switch is only sent when it was moved, because some switches can only be on.
  if (dataset.kind === 'switch') return checked === defaultChecked ? undefined : checked;
  if (value === '') return undefined;
  if (dataset.kind === 'number') return Number(value);
  return dataset.kind === 'list' ? [value] : value;
}

document.addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target;
  if (form.id === 'load') return load(form);
  const { method, path, confirm: question } = form.dataset;
  if (question && !confirm(question)) return;
  const values = valuesOf(form);
  const filled = path.replaceAll(/\/:(\w+)\??/g, (_all, name) =>
    values[name] === undefined ? '' : `/${encodeURIComponent(values[name])}`,
  );
  const done = await ask(method, filled, method === 'POST' ? values : undefined);
  if (!done) return;
  tell(`Done: ${describe(done)}`);
  form.reset();
  await (['/calls', '/reset'].includes(path) ? startAgain() : refresh());
});

async function load(form) {
  const [file] = form.elements.state.files;
  if (file && (await ask('PUT', '/state', file))) {
    tell('The saved state is loaded.');
    form.reset();
    await startAgain();
  }
}

/** Formats a flat answer in a line: "kind latency, next 1". */
function describe(thing) {
  return Object.entries(thing)
    .filter(([name, value]) => name !== 'id' && ![null, '', 0, false].includes(value))
    .map(([name, value]) => `${name} ${plain(value)}`)
    .join(', ');
}

function plain(value) {
  if (Array.isArray(value)) return value.map(plain).join(' ');
  return typeof value === 'object' && value !== null ? describe(value) : String(value);
}

let last = 0;

async function startAgain() {
  last = 0;
  by('calls').replaceChildren();
  await refresh();
}

function callRow(call) {
  const { scheme, key } = call.authorization;
  const who =
    key === null ? (scheme ?? 'none') : key === 'unknown' ? 'unknown' : plain(Object.values(key));
  const fine = call.status >= 200 && call.status < 400 && !call.fault;
  const what = element('td', {}, element('strong', { text: call.method }));
  what.append(` ${call.path}${call.query}`);
  if (call.fault) {
    what.append(element('div', { text: `fault: ${describe(call.fault)}`, className: 'wrong' }));
  }
  return element(
    'tr',
    {},
    element('td', { text: call.at.slice(5, 19).replace('T', ' ') }),
    element('td', { text: call.environment }),
    what,
    element('td', { text: who }),
    element('td', {
      text: call.status === 0 ? 'none' : String(call.status),
      className: fine ? 'good' : 'wrong',
    }),
    element('td', { text: String(Math.round(call.durationMs)) }),
  );
}

async function showCalls() {
  if (by('pause').checked) return;
  const answer = await ask('GET', `/calls?after=${last}`);
  if (!answer) return;
  const rows = by('calls');
  for (const call of answer.calls.slice(-SHOWN)) {
    last = call.id;
    rows.prepend(callRow(call));
  }
  while (rows.children.length > SHOWN) rows.lastElementChild.remove();
  by('no-calls').hidden = rows.children.length > 0;
}

async function showClock() {
  const clock = await ask('GET', '/clock');
  if (!clock) return;
  by('now').textContent = `${clock.now.slice(0, 19).replace('T', ' ')} UTC`;
  by('now').dateTime = clock.now;
  by('frozen').hidden = !clock.frozen;
}

async function showList(list) {
  const { list: path, part, remove } = list.dataset;
  const answer = await ask('GET', path);
  if (!answer) return;
  const lists = part ? [answer[part]] : Object.values(answer).filter(Array.isArray);
  const items = lists.length > 0 ? lists.flatMap((one) => one.slice(-SHOWN_IN_LIST)) : [answer];
  const seen = JSON.stringify(items);
  // An unchanged list is not rendered again, because a button must not move while the user presses
  // it.
  if (list.dataset.seen === seen) return;
  list.dataset.seen = seen;
  list.replaceChildren(
    ...items.toReversed().map((item) => {
      const line = element('li', { className: item.spent ? 'spent' : '' });
      line.append(element('span', { text: describe(item) }));
      if (remove) line.append(removalOf(item, remove));
      return line;
    }),
  );
}

function removalOf(item, path) {
  const form = element('form', {}, element('button', { text: 'Remove' }));
  form.firstChild.setAttribute('aria-label', `Remove ${describe(item)}`);
  Object.assign(form.dataset, { method: 'DELETE', path: `${path}/${item.id}`, sends: '{}' });
  return form;
}

async function refresh() {
  const lists = [...document.querySelectorAll('[data-list]')];
  await Promise.all([
    showClock(),
    showCalls(),
    ...lists.filter((list) => list.closest('details')?.open !== false).map(showList),
  ]);
}

for (const details of document.querySelectorAll('details')) {
  details.addEventListener('toggle', () => void refresh());
}

async function watch() {
  if (!document.hidden) await refresh();
  setTimeout(watch, 1000);
}

await watch();
