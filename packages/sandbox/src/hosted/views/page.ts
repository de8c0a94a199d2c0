import { html, raw } from 'hono/html';
import type { Outcome } from '../message.ts';
import type { Text } from '../text/index.ts';
import type { Visit } from '../visit.ts';

/** Rendered HTML. Hono escapes every other value. */
export type Html = ReturnType<typeof html>;

interface PageOptions {
  text: Text;
  title: string;
  /** Undefined for a page that must not send messages. */
  visit: Visit | undefined;
  outcome: Outcome | undefined;
  /** Number of the step; undefined outside the three steps. */
  step?: 1 | 2 | 3;
  /** Milliseconds until a reload shows that the session has expired. */
  expiresInMs?: number | undefined;
  main: Html;
  aside?: Html | undefined;
  footer?: Html | undefined;
}

/**
 * Renders the whole document. Scripts and styles are files, because the CSP allows nothing inline.
 */
export function page(options: PageOptions): Html {
  const { text, visit, outcome, expiresInMs } = options;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${options.title} · ${text.brand}</title>
        <link rel="icon" href="/assets/mark.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/sandbox.css" />
        <script src="/assets/hosted.js" type="module"></script>
      </head>
      <body
        data-session="${visit?.session ?? ''}"
        data-origin="${visit?.origin ?? ''}"
        data-key="${visit?.key ?? ''}"
        data-outcome="${outcome ? JSON.stringify(outcome) : ''}"
        data-expires-in="${expiresInMs ?? ''}"
      >
        <aside class="notice" aria-label="${text.test}">${text.testNotice}</aside>
        <div class="shell">
          <header class="masthead">
            <span class="brand">${mark} ${text.brand}</span>
            ${options.step ? steps(text, options.step) : ''}
          </header>
          <div class="${options.aside ? 'columns' : 'column'}">
            ${options.aside ?? ''}
            <main class="card">${options.main}</main>
          </div>
          ${options.footer ? html`<footer>${options.footer}</footer>` : ''}
        </div>
      </body>
    </html>`;
}

const mark = raw(
  '<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="9" fill="currentColor"/><path d="M9 20.5c2.2 0 2.8-9 7-9s4.8 9 7 9" fill="none" stroke="var(--mark-line)" stroke-width="2.6" stroke-linecap="round"/></svg>',
);

function steps(text: Text, current: number): Html {
  const names = [text.steps.details, text.steps.offers, text.steps.done];
  return html`<ol class="steps" aria-label="${text.steps.label}">
    ${names.map(
      (name, index) =>
        html`<li
          class="${index + 1 < current ? 'is-done' : index + 1 === current ? 'is-current' : ''}"
          ${index + 1 === current ? raw('aria-current="step"') : ''}
        >
          <span>${name}</span>
        </li>`,
    )}
  </ol>`;
}

/** Renders the parameters of the visit as hidden fields. */
export function hiddenFields(visit: Visit): Html {
  const fields = {
    session: visit.session,
    key: visit.key,
    origin: visit.origin,
    return: visit.returnUrl,
    locale: visit.locale,
  };
  return html`${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )}`;
}

/** Renders the error summary at the top of the page, with a link to each invalid field. */
export function errorSummary(text: Text, errors: Partial<Record<string, string>>): Html {
  const entries = Object.entries(errors);
  if (entries.length === 0) return html``;
  return html`<div class="summary" role="alert" tabindex="-1" data-focus>
    <h2>${text.errors.title(entries.length)}</h2>
    <ul>
      ${entries.map(([field, message]) => html`<li><a href="#${field}">${message}</a></li>`)}
    </ul>
  </div>`;
}

/** Renders the form that cancels the application. */
export function cancelForm(text: Text, visit: Visit): Html {
  return html`<form method="post" action="/checkout/cancel" class="leave">
    ${hiddenFields(visit)}
    <button class="quiet" type="submit">${text.cancel}</button>
  </form>`;
}
