import { problems } from '@financing-checkout/contract';
import { html, raw } from 'hono/html';
import { type DescribedApi, jsonSchema, openApiPath, problemsOf, schemeOf } from './openapi.ts';
import { isScope, type Operation } from './operation.ts';
import type { z } from 'zod';

type Html = ReturnType<typeof html>;

/** Content-Security-Policy of the page: nothing runs in it, nothing is loaded by it. */
export const REFERENCE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const styles = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); }
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 0.5rem; text-wrap: balance; }
h2 { font-size: 1.25rem; margin: 3rem 0 0.25rem; }
h3 { font-size: 1rem; margin: 0; font-weight: 600; }
p { margin: 0.25rem 0; max-width: 45rem; }
a { color: inherit; }
nav ul { list-style: none; padding: 0; margin: 0.5rem 0; columns: 22rem; }
nav li { break-inside: avoid; padding: 0.1rem 0; }
article { border-top: 1px solid var(--line); padding: 1.25rem 0; margin-top: 1.25rem; }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; }
h3 code { display: inline-block; font-weight: 400; }
nav h2 { margin-top: 2rem; font-size: 1rem; }
pre { margin: 0.5rem 0 0; padding: 0.75rem 1rem; border: 1px solid var(--line); border-radius: 6px; white-space: pre-wrap; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0; font-size: 0.9375rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 1rem 0.3rem 0; border-bottom: 1px solid var(--line); }
th { font-weight: inherit; min-width: 6rem; }
@media (min-width: 40rem) { th { white-space: nowrap; } }
summary { cursor: pointer; padding: 0.25rem 0; }
`;

/** The document as a page to read: no script, nothing from elsewhere. */
export function referencePage(version: string, apis: readonly DescribedApi[]): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Companion ${version}: reference</title>
        <style>
          ${raw(styles)}
        </style>
      </head>
      <body>
        <main>
          <h1>Financing Checkout companion ${version}</h1>
          <p>
            Money is integer minor units with its currency. Times are ISO 8601 in UTC. Every error
            is a problem (RFC 9457) with a stable code and the id of the request. The same as
            <a href="openapi.json">OpenAPI document</a>.
          </p>
          <nav aria-label="Operations">
            ${apis.map(
              ({ tag, operations }) =>
                html`<h2>${tag}</h2>
                  <ul>
                    ${operations.map(
                      (operation) =>
                        html`<li>
                          <a href="#${anchor(operation)}"><code>${title(operation)}</code></a>
                        </li>`,
                    )}
                  </ul>`,
            )}
          </nav>
          ${apis.map(
            ({ tag, description, server, operations }) =>
              html`<section>
                <h2>${tag}</h2>
                <p>${description} <code>${server}</code></p>
                ${operations.map(article)}
              </section>`,
          )}
        </main>
      </body>
    </html>`;
}

const accessText = {
  none: 'Nothing is needed.',
  'public-key': 'Authorization: Bearer <Public API Key>',
  'back-office-token': 'Authorization: Bearer <token of the back office>',
  notification: 'Authorization: <the value agreed with the service>',
} as const;

function article(operation: Operation): Html {
  const codes = problemsOf(operation);
  const inputs = [
    ...Object.entries(operation.headers ?? {}),
    ...Object.entries(operation.query?.shape ?? {}).map(
      ([name, schema]) => [`?${name}`, shortType(schema)] as const,
    ),
  ];
  return html`<article id="${anchor(operation)}">
    <h3>${operation.summary} &nbsp; <code>${title(operation)}</code></h3>
    ${operation.description === undefined ? '' : html`<p>${prose(operation.description)}</p>`}
    <p>
      <code>${accessText[schemeOf(operation.access)]}</code>
      ${isScope(operation.access) ? html`with the scope <code>${operation.access}</code>` : ''}
    </p>
    ${
      inputs.length === 0
        ? ''
        : html`<table>
            ${inputs.map(
              ([name, text]) =>
                html`<tr>
                  <th scope="row"><code>${name}</code></th>
                  <td>${text}</td>
                </tr>`,
            )}
          </table>`
    }
    ${
      operation.body === undefined
        ? ''
        : html`<details>
            <summary>Request body (${typesOf(operation.body).join(', ')})</summary>
            <pre>${schemaText(operation.body.schema, 'input')}</pre>
          </details>`
    }
    ${Object.entries(operation.answers).map(([status, answer]) =>
      answer.schema === undefined
        ? html`<p><code>${status}</code> ${prose(answer.description)}</p>`
        : html`<details>
            <summary><code>${status}</code> ${prose(answer.description)}</summary>
            <pre>${schemaText(answer.schema, 'output')}</pre>
          </details>`,
    )}
    ${
      codes.length === 0
        ? ''
        : html`<details>
            <summary>Problems</summary>
            <table>
              ${codes.map(
                (code) =>
                  html`<tr>
                    <th scope="row">${problems[code].status} <code>${code}</code></th>
                    <td>${problems[code].title}</td>
                  </tr>`,
              )}
            </table>
          </details>`
    }
  </article>`;
}

function typesOf({
  contentType = 'application/json',
  others = {},
}: NonNullable<Operation['body']>) {
  return [contentType, ...Object.keys(others)];
}

/** Text in which what stands between backticks is code. */
function prose(text: string): (Html | string)[] {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`));
}

function title({ method, path }: Operation): string {
  return `${method.toUpperCase()} ${openApiPath(path)}`;
}

function anchor({ method, path }: Operation): string {
  return `${method}${path.replaceAll(/[^\w]+/g, '-')}`;
}

function schemaText(schema: z.ZodType, io: 'input' | 'output'): string {
  return JSON.stringify(jsonSchema(schema, io), undefined, 2);
}

function shortType(schema: z.ZodType): string {
  const { type, enum: values, format, default: fallback } = jsonSchema(schema, 'input');
  const kind = [values, format, type].find((value) => value !== undefined);
  const name = Array.isArray(kind) ? kind.join(' | ') : typeof kind === 'string' ? kind : 'text';
  return fallback === undefined ? name : `${name}, default ${JSON.stringify(fallback)}`;
}
