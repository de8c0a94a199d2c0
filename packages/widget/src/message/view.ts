import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import type { Content, LenderWords } from './content.ts';

/*
 * A lender's text is in an `a` element, with or without an address, because Safari turns telephone
 * numbers into links everywhere else.
 */

/** Renders a lender's disclosure, verbatim, after a space at which the line can wrap. */
export function disclosureView({ disclosure, dir, lang }: LenderWords): unknown {
  if (!disclosure) return nothing;
  const isLink = 'url' in disclosure;
  const href = isLink && disclosure.url.startsWith('https:') ? disclosure.url : nothing;
  const text = isLink ? disclosure.label : disclosure.text;
  return html`&#32;<a
      part="disclosure"
      href=${href}
      target="_blank"
      rel="noopener"
      lang=${lang}
      dir=${dir}
      translate="no"
      .textContent=${text}
    ></a>`;
}

/**
 * Renders the message. Each text is set as `textContent`, which replaces nodes inserted by a page
 * translator. The lender's text is marked as not to be translated.
 */
export function messageView(content: Content, open: () => void): TemplateResult {
  const { lastPayment, learnMore, lender } = content;
  return html`<a
      part="text"
      id="text"
      lang=${lender.lang}
      dir=${lender.dir}
      translate="no"
      .textContent=${lender.text}
    ></a
    >&#32;<span part="last-payment" ?hidden=${!lastPayment} .textContent=${lastPayment}></span
    >${disclosureView(lender)}&#32;<button
      part="learn-more"
      type="button"
      aria-haspopup="dialog"
      aria-describedby="text"
      @click=${open}
      .textContent=${learnMore}
    ></button>`;
}
