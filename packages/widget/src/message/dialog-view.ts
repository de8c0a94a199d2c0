import { html, nothing } from 'lit';
import type { TemplateResult } from 'lit';
import { directionOf, fill, lenderWords, valuesOf } from './content.ts';
import type { Content } from './content.ts';
import type { Offer } from './programmes.ts';
import type { LabeledTexts } from '../texts/message-texts.ts';
import type { MessageTexts } from '../texts/texts.ts';
import { disclosureView } from './view.ts';

interface DialogActions {
  readonly close: () => void;
  readonly qualify: (event: Event) => void;
  /** Whether there is an element to start or a page to navigate to. */
  readonly canQualify: boolean;
  /** URL of the page where shoppers see if they qualify. */
  readonly href: string | false | undefined;
}

const periods = {
  Day: 'perDay',
  Week: 'perWeek',
  BiWeek: 'perTwoWeeks',
  Month: 'perMonth',
} as const satisfies Record<Offer['programme']['payments']['period'], keyof MessageTexts>;

type Fact = readonly [label: string, value: string];

const isLease = ({ programme }: Offer) => programme.productType === 'LeaseToOwn';

/**
 * Returns the labels and values that describe an offer, in the language of the texts. A lease has a
 * price and a cost instead of an amount financed, a rate and interest.
 */
function factsOf(offer: Offer, texts: MessageTexts, lang: string) {
  const values = valuesOf(offer, lang);
  const { payment, lastPayment } = offer.repayment;
  const amount: Fact = [isLease(offer) ? texts.cashPrice : texts.amount, values.amount];
  const count: Fact = [texts.count, values.count];
  const each = fill(texts[periods[offer.programme.payments.period]], values);
  const last: Fact[] = payment === lastPayment ? [] : [[texts.last, values.lastPayment]];
  const costs: Fact[] = isLease(offer)
    ? [[texts.leaseCost, values.interest]]
    : [
        [texts.apr, values.apr ?? ''],
        [texts.interest, values.interest],
      ];
  costs.push([texts.total, values.total]);
  return {
    row: [[texts.payment, each], count, ...costs],
    example: [amount, count, [texts.payment, each], ...last, ...costs],
  } as const satisfies Record<string, readonly Fact[]>;
}

/**
 * Roles are explicit because a narrow dialog displays the table as blocks, which removes implicit
 * roles.
 */
function tableView(offers: readonly Offer[], texts: MessageTexts, lang: string): unknown {
  const [first] = offers;
  if (!first) return nothing;
  const columns = [texts.plan, ...factsOf(first, texts, lang).row.map(([label]) => label)];
  return html`<table part="table" role="table">
    <thead>
      <tr role="row">
        ${columns.map(
          (column) => html`<th role="columnheader" scope="col" .textContent=${column}></th>`,
        )}
      </tr>
    </thead>
    <tbody>
      ${offers.map((offer) => rowView(offer, texts, lang))}
    </tbody>
  </table>`;
}

function rowView(offer: Offer, texts: MessageTexts, lang: string): TemplateResult {
  return html`<tr role="row">
    <th role="rowheader" scope="row" .textContent=${offer.programme.lender.name}></th>
    ${factsOf(offer, texts, lang).row.map(
      ([label, value]) => html`<td role="cell" data-label=${label} .textContent=${value}></td>`,
    )}
  </tr>`;
}

function exampleView(offer: Offer, texts: MessageTexts, lang: string): TemplateResult {
  return html`<dl>
    ${factsOf(offer, texts, lang).example.map(
      ([label, value]) =>
        html`<dt .textContent=${label}></dt>
          <dd .textContent=${value}></dd>`,
    )}
  </dl>`;
}

/** Renders a lender's text and disclosure, verbatim. */
function lenderView(offer: Offer, locale: string): TemplateResult {
  const words = lenderWords(offer, locale);
  const text = html`<a .textContent=${words.text}></a>`;
  return html`<div class="note">
    <b .textContent=${offer.programme.lender.name}></b>
    <p lang=${words.lang} dir=${words.dir} translate="no">${text}</p>
    ${disclosureView(words)}
  </div>`;
}

function qualifyView(label: string, { canQualify, href, qualify }: DialogActions): unknown {
  if (!canQualify) return nothing;
  const text = html`<slot name="qualify" .textContent=${label}></slot>`;
  return href
    ? html`<a part="qualify" class="button" href=${href} @click=${qualify}>${text}</a>`
    : html`<button part="qualify" class="button" type="button" @click=${qualify}>${text}</button>`;
}

export function dialogView(
  { offers }: Content,
  { lang, texts }: LabeledTexts,
  locale: string,
  actions: DialogActions,
): TemplateResult {
  const [best] = offers;
  const answers = [
    [texts.whatQuestion, texts.whatAnswer],
    [texts.offerQuestion, texts.offerAnswer],
    [texts.creditQuestion, texts.creditAnswer],
  ];
  return html`<div lang=${lang} dir=${directionOf(lang)}>
    <dialog part="dialog" aria-labelledby="title">
      <header part="header">
        <h2 part="title" id="title" tabindex="-1" .textContent=${texts.title}></h2>
        <span part="amount" .textContent=${valuesOf(best, lang).amount}></span>
        <button part="close" type="button" aria-label=${texts.close} @click=${actions.close}>
          <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18" /></svg>
        </button>
      </header>
      <div part="details" tabindex="0" role="group" aria-labelledby="title">
        ${[(offer: Offer) => !isLease(offer), isLease].map((kind) =>
          tableView(offers.filter(kind), texts, lang),
        )}
        ${qualifyView(texts.qualify, actions)}
        <h3 .textContent=${texts.example}></h3>
        ${exampleView(best, texts, lang)}
        <h3 .textContent=${texts.questions}></h3>
        ${answers.map(
          ([question, answer]) =>
            html`<details>
              <summary .textContent=${question}></summary>
              <p class="note" .textContent=${answer}></p>
            </details>`,
        )}
        <h3 .textContent=${texts.disclosures}></h3>
        ${offers.map((offer) => lenderView(offer, locale))}
      </div>
    </dialog>
  </div>`;
}
