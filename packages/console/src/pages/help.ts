import { html, nothing } from 'lit';
import { texts, type Texts } from '../locale/locale.ts';
import { Page } from '../parts/page.ts';
import { maybe, quiet } from '../parts/views.ts';

type Help = Texts['help'];

/** The help page: exceptions, terms, permissions and keys. Each code and term is an anchor. */
class HelpPage extends Page {
  override readonly heading = texts().shell.help;

  protected override render() {
    const { help, order } = texts();
    const parts = [
      ['exceptions', order.exceptions],
      ['terms', help.termsTitle],
      ['rights', help.rightsTitle],
      ['keyboard', help.keyboardTitle],
    ] as const;
    return html`<h1>${this.heading}</h1>
      <nav class="contents" aria-label=${help.contents}>
        ${parts.map(([id, name]) => html`<a href="#${id}">${name}</a>`)}
      </nav>
      ${exceptionsView(help)} ${termsView(help)} ${this.#rightsView(help)} ${keyboardView(help)}`;
  }

  #rightsView({ rights, rightsTitle, rightsIntro, yours, notYours }: Help) {
    const entries = (Object.keys(rights) as (keyof Help['rights'])[]).map((name): Entry => {
      const has = name === 'view' || this.may(name);
      const icon = html`<wa-icon
        class=${has ? 'good' : 'quiet'}
        name=${has ? 'circle-check' : 'minus'}
        label=${has ? yours : notYours}
      ></wa-icon>`;
      return { name: html`${rights[name].name} ${icon}`, text: rights[name].text };
    });
    return sectionView('rights', rightsTitle, entriesView(entries), rightsIntro);
  }
}

interface Entry {
  id?: string;
  name: unknown;
  text: string;
}

function sectionView(id: string, title: string, content: unknown, intro?: string) {
  return html`<section id=${id} tabindex="-1">
    <h2>${title}</h2>
    ${maybe(intro, (text) => quiet(text))} ${content}
  </section>`;
}

/** Shows terms with their meanings. Each term's id is a link target. */
function entriesView(entries: readonly Entry[]) {
  return html`<dl class="card entries">
    ${entries.map(
      ({ id, name, text }) =>
        html`<div id=${id ?? nothing} tabindex=${id === undefined ? nothing : -1}>
          <dt>${name}</dt>
          <dd>${text}</dd>
        </div>`,
    )}
  </dl>`;
}

function exceptionsView(help: Help) {
  const { exceptions, order } = texts();
  const articles = Object.entries(exceptions).map(
    ([code, { name, meaning, todo }]) =>
      html`<article id=${code} tabindex="-1">
        <h3>${name} <code>${code}</code></h3>
        <p><span class="sr">${help.means}: </span>${meaning}</p>
        <p><strong>${help.todo}:</strong> ${todo}</p>
      </article>`,
  );
  const content = html`<div class="card">${articles}</div>`;
  return sectionView('exceptions', order.exceptions, content, help.exceptionsIntro);
}

function termsView({ terms, termsTitle }: Help) {
  const entries = Object.entries(terms).map(([id, term]): Entry => {
    const [name = '', text = ''] = term.split(/: (.*)/s);
    return { id, name, text };
  });
  return sectionView('terms', termsTitle, entriesView(entries));
}

function keyboardView({ keys, keyboardTitle, keyboardIntro }: Help) {
  const entries = keys.map(([key, text]): Entry => ({ name: keysOf(key), text }));
  return sectionView('keyboard', keyboardTitle, entriesView(entries), keyboardIntro);
}

/** Shows a string such as "Tab, Shift + Tab" as keys. */
function keysOf(text: string) {
  return text
    .split(/(, | \+ | )/)
    .map((part, index) => (index % 2 === 1 ? part : html`<kbd>${part}</kbd>`));
}

customElements.define('console-help', HelpPage);
