import { html, nothing } from 'lit';
import { texts, type Texts } from '../locale/locale.ts';
import { Page } from '../parts/page.ts';

type Help = Texts['help'];

/** The help: exceptions, terms, rights and keys. Each code and term is an anchor. */
class HelpPage extends Page {
  override readonly heading = texts().help.title;

  protected override render() {
    const { help } = texts();
    const parts = [
      ['exceptions', help.exceptionsTitle],
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
    const has = (name: keyof Help['rights']) => name === 'view' || this.may(name);
    const names = Object.keys(rights) as (keyof Help['rights'])[];
    return html`<section id="rights" tabindex="-1">
      <h2>${rightsTitle}</h2>
      <p class="quiet">${rightsIntro}</p>
      <dl class="card entries">
        ${names.map(
          (name) =>
            html`<div>
              <dt>
                ${rights[name].name}
                <wa-icon
                  class=${has(name) ? 'good' : 'quiet'}
                  name=${has(name) ? 'circle-check' : 'minus'}
                  label=${has(name) ? yours : notYours}
                ></wa-icon>
              </dt>
              <dd>${rights[name].text}</dd>
            </div>`,
        )}
      </dl>
    </section>`;
  }
}

function exceptionsView(help: Help) {
  return html`<section id="exceptions" tabindex="-1">
    <h2>${help.exceptionsTitle}</h2>
    <p class="quiet">${help.exceptionsIntro}</p>
    <div class="card">
      ${Object.entries(texts().exceptions).map(
        ([code, { name, meaning, todo }]) =>
          html`<article id=${code} tabindex="-1">
            <h3>${name} <code>${code}</code></h3>
            <p><span class="sr">${help.means}: </span>${meaning}</p>
            <p class="todo"><strong>${help.todo}:</strong> ${todo}</p>
          </article>`,
      )}
    </div>
  </section>`;
}

function termsView({ terms, termsTitle }: Help) {
  return html`<section id="terms" tabindex="-1">
    <h2>${termsTitle}</h2>
    <dl class="card entries">
      ${Object.entries(terms).map(
        ([id, { name, text }]) =>
          html`<div id=${id} tabindex="-1">
            <dt>${name}</dt>
            <dd>${text}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
}

function keyboardView({ keys, keyboardTitle, keyboardIntro }: Help) {
  return html`<section id="keyboard" tabindex="-1">
    <h2>${keyboardTitle}</h2>
    <p class="quiet">${keyboardIntro}</p>
    <dl class="card entries">
      ${keys.map(
        ([key, effect]) =>
          html`<div>
            <dt>
              ${key
                .split(/(, | \+ | )/)
                .map((part) =>
                  /^(?:, | \+ | )$/.test(part)
                    ? part
                    : part === ''
                      ? nothing
                      : html`<kbd>${part}</kbd>`,
                )}
            </dt>
            <dd>${effect}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
}

customElements.define('console-help', HelpPage);
