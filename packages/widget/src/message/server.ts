/**
 * Renders `<financing-message>` to a string on a server. Needs no DOM.
 * @packageDocumentation
 */
import { contentOf } from './content.ts';
import type { Content } from './content.ts';
import type { Programmes, Purchase } from './programmes.ts';
import { messageStyles } from './styles.ts';

export type { Programme, Programmes, ProgrammeText } from './programmes.ts';

/** Options for rendering a message. */
export interface RenderOptions extends Purchase {
  /** BCP 47 tag. The default is English. */
  readonly locale?: string | undefined;
  /** Nonce of the page's content security policy, for the styles of the message. */
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
};

const escape = (text: string) => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? '');

/** Returns attributes as HTML, omitting those without a value. */
function attributesOf(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .filter(
      ([name, value]) => /^[a-z][a-z\d-]*$/.test(name) && value !== undefined && value !== null,
    )
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`)
    .join('');
}

/**
 * Renders a message as HTML with a declarative shadow root, so that a page shows the message
 * without scripts. The element in the browser keeps this HTML until it can render the message
 * itself.
 * @param programmes the companion's response to `GET /programmes`
 * @returns the complete element; everything in it is escaped
 */
export function renderMessage(
  programmes: Programmes,
  { attributes, locale = 'en', nonce, ...purchase }: RenderOptions,
): string {
  const { amount, category, currency } = purchase;
  const content = contentOf(programmes.programmes, purchase, locale);
  const host = attributesOf({
    ...attributes,
    amount,
    currency,
    category,
    locale,
    rendered: '',
    ...(!content && { collapsed: '' }),
  });
  const style = `<style${attributesOf({ nonce })}>${messageStyles}</style>`;
  const root = `${style}${content ? bodyOf(content) : ''}`;
  return `<financing-message${host}><template shadowrootmode="open">${root}</template></financing-message>`;
}

function bodyOf({ dir, lang, lastPayment, learnMore, lender }: Content): string {
  const { disclosure } = lender;
  const own = attributesOf({ lang: lender.lang, dir: lender.dir, translate: 'no' });
  const parts = [
    `<span part="text" id="text"${own}>${escape(lender.text)}</span>`,
    lastPayment && `<span part="last-payment">${escape(lastPayment)}</span>`,
    disclosure &&
      ('text' in disclosure
        ? `<span part="disclosure"${own}>${escape(disclosure.text)}</span>`
        : `<a part="disclosure"${attributesOf({ href: disclosure.url })} target="_blank" rel="noopener"${own}>${escape(disclosure.label)}</a>`),
    // Reserves the button's space. The button works once the element is defined.
    `<button part="learn-more" type="button" disabled>${escape(learnMore)}</button>`,
  ];
  return `<p part="message"${attributesOf({ lang, dir })}>${parts.filter(Boolean).join(' ')}</p>`;
}
