/**
 * Renders `<financing-message>` to a string on a server. Needs no DOM.
 * @packageDocumentation
 */
import { contentOf } from './content.ts';
import type { Content } from './content.ts';
import { servedFor } from './programmes.ts';
import type { Programmes, Purchase } from './programmes.ts';
import { messageStyles } from './styles.ts';

export type { Programme, Programmes, ProgrammeText } from './programmes.ts';

/** Options for rendering a message. */
export interface RenderOptions extends Purchase {
  /** BCP 47 tag. The default is English. */
  readonly locale?: string | undefined;
  /** Nonce from the page's content security policy, for the message's styles. */
  readonly nonce?: string | undefined;
  /** Additional attributes of the element, such as `companion`, by name. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '@': '&#64;',
};

const escape = (text: string) => text.replace(/[&<>"'@]/g, (sign) => escapes[sign] ?? '');

/**
 * Returns a lender's text as HTML. A proxy that hides e-mail addresses from bots, such as
 * Cloudflare's, would replace an address with a placeholder that its script cannot restore in a
 * shadow root. The proxy does not recognize an address that an element splits, even after a
 * minifier has decoded the entity.
 */
const verbatim = (text: string) => escape(text).replaceAll('&#64;', '<span>&#64;</span>');

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Returns attributes as HTML, omitting those without a value. */
function attributesOf(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .filter(([name, value]) => /^[a-z][a-z\d-]*$/.test(name) && isGiven(value))
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`)
    .join('');
}

/**
 * Returns styles that hide the message if the page changes an attribute for which it was rendered
 * before the element is defined, or without its script.
 */
function hidingStyles(served: Readonly<Record<string, unknown>>): string {
  const escaped = (text: string) =>
    text.replace(/[^\w.:/-]/gu, (sign) => `\\${sign.codePointAt(0)?.toString(16)} `);
  const differs = Object.entries(served).map(([name, value]) =>
    isGiven(value) ? `:not([${name}="${escaped(String(value))}"])` : `[${name}]`,
  );
  return `:host(:is(${differs.join()})) > p { visibility: hidden; }`;
}

/**
 * Renders a message as HTML with a declarative shadow root, so that a page shows it without
 * scripts. The element in the browser keeps this HTML until it can render the message itself, and
 * hides it as soon as the page asks for another amount, currency, category, locale or companion.
 * @param programmes the companion's response to `GET /programmes`
 * @returns the complete element; everything in it is escaped
 */
export function renderMessage(
  programmes: Programmes,
  { attributes, locale = 'en', nonce, ...purchase }: RenderOptions,
): string {
  const { amount, category, currency } = purchase;
  const content = contentOf(programmes.programmes, purchase, locale);
  const served = { amount, currency, category, locale, companion: attributes?.companion };
  const host = attributesOf({
    ...attributes,
    ...served,
    rendered: servedFor(served),
    ...(!content && { collapsed: '' }),
  });
  const style = `<style${attributesOf({ nonce })}>${messageStyles}${hidingStyles(served)}</style>`;
  const root = `${style}${content ? bodyOf(content) : ''}`;
  return `<financing-message${host}><template shadowrootmode="open">${root}</template></financing-message>`;
}

function bodyOf({ dir, lang, lastPayment, learnMore, lender }: Content): string {
  const { disclosure } = lender;
  const own = attributesOf({ lang: lender.lang, dir: lender.dir, translate: 'no' });
  const parts = [
    `<a part="text" id="text"${own}>${verbatim(lender.text)}</a>`,
    lastPayment && `<span part="last-payment">${escape(lastPayment)}</span>`,
    disclosure &&
      ('text' in disclosure
        ? `<a part="disclosure"${own}>${verbatim(disclosure.text)}</a>`
        : `<a part="disclosure"${attributesOf({ href: disclosure.url })} target="_blank" rel="noopener"${own}>${verbatim(disclosure.label)}</a>`),
    // Reserves the button's space. The button works once the element is defined.
    `<button part="learn-more" type="button" disabled>${escape(learnMore)}</button>`,
  ];
  // Cloudflare's documented marker for leaving addresses unchanged.
  const body = `<!--email_off-->${parts.filter(Boolean).join(' ')}<!--/email_off-->`;
  return `<p part="message"${attributesOf({ lang, dir })}>${body}</p>`;
}
