// The control page: shows the calls and settings of the sandbox through the control API. The HTML
// states the request of each form and button.

const by = (id) => document.getElementById(id);
const said = by('said');
const SHOWN = 300;

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

/** Returns the filled fields of a form as JSON values. */
function valuesOf(form) {
  const values = {};
  for (const [name, value] of new FormData(form)) {
    if (value === '') continue;
    const field = form.elements[name];
    if (field.dataset.type === 'list') values[name] = [value];
    else values[name] = field.type === 'number' ? Number(value) : value;
  }
  return values;
}

for (const form of document.querySelectorAll('form[data-post]')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const done = await ask('POST', form.dataset.post, valuesOf(form));
    if (!done) return;
    tell(`Done: ${describe(done)}`);
    form.reset();
    form.dispatchEvent(new window.Event('change'));
    await refresh();
  });
}

by('load').addEventListener('submit', async (event) => {
  event.preventDefault();
  const [file] = event.target.elements.state.files;
  if (file && (await ask('PUT', '/state', file))) {
    tell('The saved state is loaded.');
    event.target.reset();
    await startAgain();
  }
});

document.addEventListener('click', async (event) => {
  const button = event.target.closest('button[data-post], button[data-delete]');
  if (!button) return;
  if (button.dataset.sure && !confirm(button.dataset.sure)) return;
  const { post, body, delete: gone } = button.dataset;
  const done = post ? await ask('POST', post, JSON.parse(body)) : await ask('DELETE', gone);
  if (!done) return;
  tell(`Done: ${describe(done)}`);
  if (gone === '/calls' || post === '/reset') await startAgain();
  else await refresh();
});

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
  const what = element('td', {}, element('span', { text: call.method, className: 'method' }));
  what.append(` ${call.path}${call.query}`);
  if (call.fault) {
    what.append(
      element('div', { text: `fault: ${describe(call.fault)}`, className: 'wrong small' }),
    );
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
      className: `number ${fine ? 'good' : 'wrong'}`,
    }),
    element('td', { text: String(Math.round(call.durationMs)), className: 'number' }),
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
  by('frozen').hidden = by('unfreeze').hidden = !clock.frozen;
  by('freeze').hidden = clock.frozen;
}

async function showList(list) {
  const answer = await ask('GET', list.dataset.list);
  if (!answer) return;
  const items = answer[list.dataset.key].slice(-50).toReversed();
  const seen = JSON.stringify(items);
  // An unchanged list is not rendered again, because a button must not move while the user presses
  // it.
  if (list.dataset.seen === seen) return;
  list.dataset.seen = seen;
  list.replaceChildren(
    ...items.map((item) => {
      const line = element('li', { className: item.spent ? 'spent' : '' });
      line.append(element('span', { text: describe(item) }));
      if (list.dataset.remove) {
        const remove = element('button', { text: 'Remove', type: 'button' });
        remove.setAttribute('aria-label', `Remove ${describe(item)}`);
        remove.dataset.delete = list.dataset.remove + item.id;
        line.append(remove);
      }
      return line;
    }),
  );
}

async function refresh() {
  const lists = [...document.querySelectorAll('[data-list]')];
  await Promise.all([
    showClock(),
    showCalls(),
    ...lists.filter((list) => list.closest('details').open).map(showList),
  ]);
}

async function prepare() {
  const [faults, environments] = await Promise.all([
    ask('GET', '/faults'),
    ask('GET', '/environments'),
  ]);
  if (!faults || !environments) return;
  const kinds = by('kinds');
  kinds.append(...Object.keys(faults.kinds).map((kind) => element('option', { text: kind })));
  by('operations').append(...faults.operations.map((name) => element('option', { text: name })));
  const explain = () => (by('does').textContent = `${faults.kinds[kinds.value].does}.`);
  kinds.form.addEventListener('change', explain);
  explain();
  for (const { name, baseUrl, publicKey } of environments.environments) {
    by('rotate').append(element('option', { text: name }));
    by('environments').append(
      element('li', {}, element('span', { text: `${name}: ${baseUrl}, public key ${publicKey}` })),
    );
  }
  by('rotate').value = 'sandbox';
}

for (const details of document.querySelectorAll('details')) {
  details.addEventListener('toggle', () => void refresh());
}

async function watch() {
  if (!document.hidden) await refresh();
  setTimeout(watch, 1000);
}

await prepare();
await watch();
