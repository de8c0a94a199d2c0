import { html, raw } from 'hono/html';
import { z } from 'zod';
import { fieldAt, type Field } from './fields.ts';
import type { Operation } from './operation.ts';
import { commandGroups, operations } from './operations.ts';

type Html = ReturnType<typeof html>;

/** Choices of list fields that only the running sandbox knows, by field. */
type Known = Readonly<Record<string, readonly string[]>>;

/** The groups that are open at first. */
const openGroups = ['outcome', 'fault'];

/**
 * Renders the control page: a form for each operation that changes something, a list for each that
 * shows something. Scripts and styles are files, because the CSP allows nothing inline.
 */
export function controlPage(known: Known) {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Sandbox control</title>
        <link rel="icon" href="/assets/mark.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/sandbox.css" />
        <script type="module" src="/assets/control.js"></script>
      </head>
      <body class="control">
        <header>
          <img src="/assets/mark.svg" alt="" width="28" height="28" />
          <h1>Sandbox control</h1>
          <p id="clock">
            <span class="count">Sandbox time</span>
            <time id="now">–</time>
            <span id="frozen" class="tag" hidden>frozen</span>
          </p>
          <div class="row" role="group" aria-label="Clock">
            ${press('POST', '/clock', '+1 hour', { advance: '1h' })}
            ${press('POST', '/clock', '+1 day', { advance: '1d' })}
            ${press('POST', '/clock', '+7 days', { advance: '7d' })}
            ${press('POST', '/clock', 'Freeze', { frozen: true })}
            ${press('POST', '/clock', 'Let it run', { frozen: false })}
          </div>
        </header>
        <p id="said" role="status"></p>
        <main>
          ${callsView}
          <div class="groups">
            ${Object.keys(commandGroups).map((group) => groupView(group, known))}
          </div>
        </main>
      </body>
    </html>`;
}

const callsView = html`<section class="card">
  <div class="row head">
    <h2 id="calls-title">Calls that arrived</h2>
    <label class="row"><input type="checkbox" id="pause" /> Pause</label>
    ${press('DELETE', '/calls', 'Clear')}
  </div>
  <div class="scroll" tabindex="0" role="region" aria-labelledby="calls-title">
    <table>
      <thead>
        <tr>
          ${['Time', 'Environment', 'Call', 'Key', 'Status', 'ms'].map(
            (name) => html`<th scope="col">${name}</th>`,
          )}
        </tr>
      </thead>
      <tbody id="calls"></tbody>
    </table>
  </div>
  <p class="hint" id="no-calls">
    Nothing yet. Point a companion at an address below, or start a checkout in the shop.
  </p>
  <h3>Environments</h3>
  <ul class="list" data-list="/environments"></ul>
</section>`;

/** A saved state is a file of any size, so it has its own routes. */
const stateFiles = html`<p><a href="/state">Save the state as a file</a></p>
  <form id="load">
    <div class="fields">
      <div class="field">
        <label for="state">Saved state</label>
        <input type="file" id="state" name="state" required />
      </div>
      <button class="primary">Load</button>
    </div>
  </form>
  <p class="hint">
    Both ask for a password: the control token, in the file control-token of the data folder.
  </p>`;

function groupView(name: string, known: Known): Html {
  const own = operations.filter(({ command }) => command.startsWith(`${name} `));
  const { does, help } = commandGroups[name] ?? {};
  return html`<details class="card" ${openGroups.includes(name) ? raw('open') : ''}>
    <summary>
      <h2>${words(name)}</h2>
      <span class="hint">${does}</span>
    </summary>
    ${own.map((one) => (one.method === 'GET' ? listView(one) : formView(one, known)))}
    ${name === 'state' ? stateFiles : ''} ${helpView(help)}
  </details>`;
}

function listView({ path, part }: Operation): Html {
  const removal = operations.find((one) => one.path === `${path}/:id?`);
  return html`<ul
    class="list"
    data-list="${path}"
    data-part="${part ?? ''}"
    data-remove="${removal ? path : ''}"
  ></ul>`;
}

function formView(operation: Operation, known: Known): Html {
  const { command, does, method, path, sends, help, confirm } = operation;
  const name = command.replace(' ', '-');
  const paths = fieldPathsOf(operation);
  return html`<form
    aria-label="${command}"
    data-method="${method}"
    data-path="${path}"
    data-sends="${JSON.stringify(sends ?? {})}"
    data-confirm="${confirm ?? ''}"
    class="${paths.length === 0 ? 'row' : ''}"
  >
    <p class="hint" id="${name}">${does}</p>
    <div class="fields">
      ${paths.map((field) => fieldView(operation, field, `${name}-${field}`, known))}
      <button class="primary" aria-describedby="${name}">
        ${words(command.split(' ')[1] ?? '')}
      </button>
    </div>
    ${helpView(help)}
  </form>`;
}

/** The fields that the command takes; all fields, if the command takes words instead. */
function fieldPathsOf({ options = {}, words: takesWords, input }: Operation): readonly string[] {
  return takesWords && input instanceof z.ZodObject
    ? Object.keys(input.shape)
    : Object.keys(options);
}

function fieldView({ input, options, sends }: Operation, path: string, id: string, known: Known) {
  if (!input) throw new Error('An operation without an input has no fields.');
  const field = fieldAt(input, path);
  const [flag = '', hint] = (options?.[path] ?? '').split('  ');
  const isRequired = field.required || flag.startsWith('<');
  const attributes = html`id="${id}" name="${path}" data-kind="${field.kind}"
  ${hint ? html`aria-describedby="${id}-hint"` : ''} ${isRequired ? raw('required') : ''}`;
  const initial = field.initial ?? sends?.[path];
  // A default is not sent, because another kind of the same field may refuse it.
  const choices = field.choices ?? known[path];
  return html`<div class="field ${field.kind === 'switch' ? 'check' : ''}">
    <label for="${id}">${words(path)}</label>
    ${
      choices
        ? html`<select ${attributes}>
            <option value="">${isRequired ? 'choose' : (initial ?? 'not set')}</option>
            ${choices.map((choice) => choice !== initial && html`<option>${choice}</option>`)}
          </select>`
        : html`<input ${attributes} ${inputType(field)} />`
    }
    ${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : ''}
  </div>`;
}

function inputType({ kind, initial }: Field): Html {
  if (kind === 'switch') {
    return html`type="checkbox" ${initial === true ? raw('checked') : ''}`;
  }
  const placeholder = initial === undefined ? '' : html`placeholder="${initial}"`;
  if (kind === 'number') return html`type="number" step="any" ${placeholder}`;
  if (kind === 'secret') return html`type="password" autocomplete="off"`;
  return html`type="text" autocomplete="off" spellcheck="false" ${placeholder}`;
}

/** Renders a button that sends the same request each time. */
function press(method: string, path: string, label: string, sends: object = {}): Html {
  return html`<form
    data-method="${method}"
    data-path="${path}"
    data-sends="${JSON.stringify(sends)}"
  >
    <button>${label}</button>
  </form>`;
}

function helpView(help: string | undefined): Html {
  if (help === undefined) return html``;
  return html`<details>
    <summary>Help</summary>
    <pre>${help}</pre>
  </details>`;
}

/** Returns a name as words: `fault.basisPoints` as "Fault basis points". */
function words(name: string): string {
  const text = name
    .replaceAll('.', ' ')
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
